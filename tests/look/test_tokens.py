"""The colours of the tokens can be told apart: WCAG 2.2 AA, 4.5:1 for words (1.4.3) and 3:1 for controls (1.4.11)."""

import re
from pathlib import Path

import pytest

TOKENS = (Path(__file__).parents[2] / "static/css/tokens.css").read_text()
PAIR = re.compile(r"--([a-z-]+):\s*light-dark\((#[0-9a-f]{6}),\s*(#[0-9a-f]{6})\)")
LIGHT = {name: light for name, light, _ in PAIR.findall(TOKENS)}
DARK = {name: dark for name, _, dark in PAIR.findall(TOKENS)}
SCHEMES = {"light": LIGHT, "dark": DARK}

SURFACES = ["paper", "card", "sunken"]
WORDS = [(ink, surface) for ink in ("ink", "soft", "pounamu", "rata", "kowhai", "moana") for surface in SURFACES]
WORDS += [(name, f"{name}-wash") for name in ("pounamu", "kowhai", "rata", "moana")]
WORDS += [(ink, f"{name}-wash") for name in ("pounamu", "kowhai", "rata", "moana") for ink in ("ink", "soft")]
WORDS += [("on-pounamu", "pounamu"), ("on-pounamu", "pounamu-deep"), ("pounamu-deep", "card"), ("paper", "ink")]
CONTROLS = [("edge", "paper"), ("edge", "card"), ("soft", "sunken"), ("pounamu", "pounamu-wash"), ("kowhai", "card")]


def luminance(colour: str) -> float:
    def linear(channel: int) -> float:
        share = channel / 255
        return share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4

    red, green, blue = (linear(int(colour[at : at + 2], 16)) for at in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def test_contrast_of_black_and_white_is_21_to_1():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize(("word", "ground"), WORDS)
def test_words_can_be_read(scheme: str, word: str, ground: str):
    colours = SCHEMES[scheme]
    assert contrast(colours[word], colours[ground]) >= 4.5


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize(("edge", "ground"), CONTROLS)
def test_controls_can_be_seen(scheme: str, edge: str, ground: str):
    colours = SCHEMES[scheme]
    assert contrast(colours[edge], colours[ground]) >= 3


def test_older_browsers_get_the_same_light_colours():
    old = TOKENS[TOKENS.index("@supports not") :]
    plain = dict(re.findall(r"--([a-z-]+):\s*(#[0-9a-f]{6});", old))
    assert plain == LIGHT

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from series.domain.structure import AnteType, Break, Level, check, preview
from series.domain.structure_templates import TEMPLATES, build

chip_sets = st.sampled_from(
    [(25, 100, 500, 1000, 5000, 25_000), (25, 100, 500, 1000), (5, 25, 100, 500), (100, 500, 1000, 5000),
     (1, 5, 25), (20, 50, 200), (25, 40, 1000), (50,)]
)  # fmt: skip


@settings(max_examples=60)
@given(
    st.sampled_from(sorted(TEMPLATES)),
    st.integers(40, 2_000),
    st.integers(6, 24),
    chip_sets,
    st.integers(9, 500),
)
def test_a_template_passes_the_check_and_lasts_about_as_long_as_asked(template, depth, half_hours, chips, entries):
    stack = depth * min(chips)
    hours = Decimal(half_hours) / 2
    items = build(template, stack, hours, chips, entries=entries)
    result = check(items, chips)
    assert result.errors == ()
    assert result.warnings == ()
    assert abs(sum(item.minutes for item in items) - hours * 60) <= hours * 15


@pytest.mark.parametrize(("template", "shallow", "deep"), [("turbo", 50, 75), ("regular", 80, 125), ("deep", 150, 250)])
def test_a_template_starts_at_its_depth_and_ends_with_20_big_blinds_in_play(template, shallow, deep):
    items = build(template, 30_000, 6, [25, 100, 500, 1000, 5000], entries=60)
    depths = preview(items, 30_000)
    assert shallow <= depths[0].stack_in_big_blinds <= deep
    assert 10 <= depths[-1].stack_in_big_blinds * 60 <= 20


@pytest.mark.parametrize("hours", [3, 4, 5, 6, 8, 10, 12])
@pytest.mark.parametrize("template", sorted(TEMPLATES))
def test_usual_durations_are_met_to_a_few_minutes(template, hours):
    items = build(template, 20_000, hours, [25, 100, 500, 1000, 5000], entries=60)
    assert abs(sum(item.minutes for item in items) - hours * 60) <= hours * 60 // 20


def test_a_regular_evening():
    items = build("regular", 20_000, 4, [25, 100, 500, 1000, 5000], entries=40)
    small_blinds = [item.small_blind for item in items if isinstance(item, Level)]
    assert small_blinds == [100, 150, 200, 300, 400, 500, 600, 1000, 1500, 2000, 3000, 4000, 5000, 6000, 8000, 10_000,
                            15_000, 20_000]  # fmt: skip
    assert {item.minutes for item in items if isinstance(item, Level)} == {12}
    assert [item.ante_type for item in items if isinstance(item, Level)][2:4] == [
        AnteType.NONE,
        AnteType.BIG_BLIND,
    ]
    assert [item.remove for item in items if isinstance(item, Break)] == [(25, 100), (500, 1000)]


@pytest.mark.parametrize(
    ("stack", "hours", "chips", "words"),
    [
        (10_000, 3, [], "Name the chips"),
        (10_000, 3, [0, 25], "Name the chips"),
        (500, 3, [25], "too large"),
        (10_000, Decimal("0.3"), [25], "does not fit"),
        (10_000, 100, [25], "does not fit"),
    ],
)
def test_what_cannot_be_built_is_explained(stack, hours, chips, words):
    with pytest.raises(ValueError, match=words):
        build("regular", stack, hours, chips)

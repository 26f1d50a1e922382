"""Inter for PDFs, from its package: the weights that are used, cut down to the characters that are."""

from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont
from fontTools.varLib import instancer

_FONTS = Path(str(files("fontpkg_inter"))) / "files"
_UPRIGHT, _ITALIC = _FONTS / "Inter[opsz,wght].ttf", _FONTS / "Inter-Italic[opsz,wght].ttf"
_STYLES = {"": (_UPRIGHT, 400), "B": (_UPRIGHT, 650), "I": (_ITALIC, 400), "BI": (_ITALIC, 650)}


def cut_fonts(folder: Path, characters: Iterable[str], styles: Iterable[str] = tuple(_STYLES)) -> dict[str, Path]:
    """Write Inter into a folder, by style: "" upright, "B" bold, "I" italic, "BI" both."""
    made = {}
    for style in styles:
        source, weight = _STYLES[style]
        font = TTFont(source, lazy=True, recalcTimestamp=False)
        options = subset.Options(layout_features=[], hinting=False, notdef_outline=True)
        options.drop_tables += ["GSUB", "GPOS", "GDEF", "STAT"]
        cut = subset.Subsetter(options)
        cut.populate(unicodes={ord(character) for character in characters})
        cut.subset(font)
        made[style] = folder / f"Inter{style}.ttf"
        instancer.instantiateVariableFont(font, {"wght": weight, "opsz": 14}).save(made[style])
    return made

"""Cut Inter, from its package, down to what pages use: Latin with all its accents, upright, weights 400 to 740.

Written to .venv/fonts/inter.woff, a tenth of the package's file; `STATICFILES_DIRS` finds it there.
"""

import logging
import sys
from importlib.resources import files
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont
from fontTools.varLib import instancer

SOURCE = Path(str(files("fontpkg_inter"))) / "files" / "Inter[opsz,wght].ttf"
TARGET = Path(sys.prefix) / "fonts" / "inter.woff"
WEIGHTS = (400, 740)  # as in static/css/tokens.css
FEATURES = ["kern", "mark", "mkmk", "ccmp", "locl", "calt", "case", "tnum", "cv05", "ss03"]
CHARACTERS = [
    *range(0x20, 0x7F), *range(0xA0, 0x180), *range(0x218, 0x21C), 0x2BB, 0x2BC, *range(0x300, 0x330),
    *range(0x1E00, 0x1F00),  # with Vietnamese
    *range(0x2010, 0x2040), 0x20AC, 0x2116, 0x2122, *range(0x2190, 0x219A), 0x2212, 0x2248, 0x2260, 0x2264, 0x2265,
    0x232B, 0x25AA, 0x25CB, 0x25CF, 0x25E6, 0x2713, 0x2717,
]  # fmt: skip


def main() -> None:
    logging.getLogger("fontTools").setLevel(logging.ERROR)
    font = TTFont(SOURCE, lazy=True, recalcTimestamp=False)
    options = subset.Options(layout_features=FEATURES, hinting=False, notdef_outline=True)
    cut = subset.Subsetter(options)
    keep_words_as_they_are(font)
    cut.populate(unicodes=CHARACTERS)
    cut.subset(font)
    instancer.instantiateVariableFont(font, {"wght": WEIGHTS}, inplace=True)
    TARGET.parent.mkdir(exist_ok=True)
    font.flavor = "woff"
    font.save(TARGET)
    print(f"  the site's font: {TARGET.stat().st_size / 1000:.0f} kB instead of {SOURCE.stat().st_size / 1000:.0f}")


def keep_words_as_they_are(font: TTFont) -> None:
    """Only figures get one width: Inter's tabular hyphens and spaces would tear words apart, "Re - entry"."""
    gsub = font["GSUB"].table
    tabular = {
        lookup
        for feature in gsub.FeatureList.FeatureRecord
        if feature.FeatureTag == "tnum"
        for lookup in feature.Feature.LookupListIndex
    }
    figures = {font.getBestCmap()[ord(figure)] for figure in "0123456789"}
    for lookup in tabular:
        for table in gsub.LookupList.Lookup[lookup].SubTable:
            table.mapping = {glyph: wide for glyph, wide in table.mapping.items() if glyph in figures}


if __name__ == "__main__":
    main()

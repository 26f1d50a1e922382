"""Comparing names: for finding a person at the desk, and for noticing that two records are one person."""

import re
import unicodedata
from datetime import date
from difflib import SequenceMatcher

# Letters that Unicode does not take apart into a plain letter and a mark.
_PLAIN = str.maketrans({"ł": "l", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ħ": "h", "ı": "i"})
# Latin, Greek and Cyrillic accents. Marks of other scripts are letters of their own and stay.
_ACCENTS = re.compile("[\u0300-\u036f]")
# Every way to type an apostrophe, an ʻokina or a glottal stop; soft hyphens and marks without width.
_UNSEEN = re.compile(
    "['`\u00b4\u02b9-\u02bf\u2018\u2019\u201b\u2032\ua78b\ua78c\u00ad\u200b-\u200f\u202a-\u202e\u2060\ufeff]"
)
LONGEST = 80  # characters, of a name and of its folded form
_CLOSE = 0.75  # how much of two words must agree, of 1


def fold(name: str) -> str:
    """A name as one types it in a hurry: small plain letters, one space between words, no punctuation.

    "  Zoë   Smith" and "zoe smith" fold alike, "Ngāti" to "ngati", "Łukasz" to "lukasz", "O’Brien" to
    "obrien", "Anne-Marie" to "anne marie". A name of punctuation alone keeps it. Folding twice changes
    nothing.
    """
    bare = _ACCENTS.sub("", unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", name).casefold()))
    text = _UNSEEN.sub("", unicodedata.normalize("NFC", bare.translate(_PLAIN)))
    words = "".join(character if _is_part_of_a_word(character) else " " for character in text).split()
    return " ".join(words or name.split())


def why_too_long(name: str) -> str:
    """What to say of a name longer than `LONGEST`, as it is or folded ("æ" to two letters); empty if it is not."""
    if len(name) > LONGEST:
        return f"This name is too long: {LONGEST} characters at most."
    if len(fold(name)) > LONGEST:
        return f"This name is too long: {LONGEST} characters at most, and letters such as æ or ß count as two."
    return ""


def duplicate_key(name: str, born: date) -> tuple[str, date]:
    """Two records with the same key are most likely one person: the same folded name and birth date."""
    return fold(name), born


def alike(one: str, other: str) -> bool:
    """Whether two folded names may be one person's, when the birth date is the same.

    True for the same words in another order ("parata hemi"), a name that is left out or shortened ("zoe smith" and
    "zoe anne smith", "m paraone" and "mia paraone", "hemi" and "hemi parata"), and a slip of the pen ("lukas novak" and
    "lukasz nowak"); false for two first names of one family ("mia parata" and "hemi parata").
    """
    if one == other:
        return True
    few, many = sorted((one.split(), other.split()), key=lambda words: (len(words), words))
    if len("".join(few)) > 1 and all(any(_shortens(word, whole) for whole in many) for word in few):
        return True
    if len(few) != len(many):
        return SequenceMatcher(None, one, other).ratio() >= _CLOSE
    return all(
        SequenceMatcher(None, word, whole).ratio() >= _CLOSE for word, whole in zip(few, many, strict=True)
    ) or all(SequenceMatcher(None, word, whole).ratio() >= _CLOSE for word, whole in zip(few, many[::-1], strict=True))


def _shortens(one: str, other: str) -> bool:
    short, whole = sorted((one, other), key=len)
    return short == whole or (len(short) != 2 and whole.startswith(short))


def initials_of(name: str) -> str:
    """A name as its initials, "Hēmi Te Ariki" as "H. T. A."."""
    return " ".join(f"{word[0].upper()}." for word in name.split())


def _is_part_of_a_word(character: str) -> bool:
    return unicodedata.category(character)[0] in "LMN"

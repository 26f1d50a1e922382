"""The name under which a player appears on public pages: their own, its initials, or a nickname."""

import re
import unicodedata

from series.domain.names import fold, initials_of, why_too_long

MOST = 30  # characters: what a seat card and a hall screen can hold
ERASED = "Erased player"
# words that make a reader take a player for somebody in office
_OFFICES = frozenset({"admin", "director", "floor", "dealer", "staff", "organiser", "organizer", "tournament director"})


class PublicNameError(ValueError):
    """What is wrong with a nickname, in words for the player."""


def nickname(written: str) -> str:
    """A nickname with single spaces.

    Letters of any script, digits, spaces and . ' ’ - are allowed, `MOST` characters, with a letter among them. What
    reads as an address, a phone number or an office is refused.

    Raises:
        PublicNameError
    """
    tidy = " ".join(unicodedata.normalize("NFC", written).split())
    if not tidy:
        raise PublicNameError("Write the name you want to be shown.")
    if len(tidy) > MOST:
        raise PublicNameError(f"This is too long: {MOST} characters at most.")
    if not all(sign in " .'’-" or unicodedata.category(sign)[0] in "LMN" for sign in tidy):
        raise PublicNameError("Use letters, digits, spaces, dots, hyphens and apostrophes.")
    if not any(unicodedata.category(sign)[0] == "L" for sign in tidy):
        raise PublicNameError("Use at least one letter.")
    if re.search(r"(\d[ .-]?){6}|www\.|\.(com|nz|net|org)\b", tidy, re.IGNORECASE):
        raise PublicNameError("This is read by everybody: no addresses or phone numbers.")
    if fold(tidy) in _OFFICES or fold(tidy) == fold(ERASED):
        raise PublicNameError("This would be taken for somebody else. Choose another name.")
    return tidy


def public_name(kind: str, name: str, written: str = "") -> str:
    """What pages show for a choice: `real` (the name), `initials` ("H. P.") or `nickname` (as written).

    Raises:
        PublicNameError: an unknown choice, a nickname that cannot be, or longer than a name can be.
    """
    if kind == "real":
        shown = name
    elif kind == "initials":
        shown = initials_of(name)
    elif kind == "nickname":
        shown = nickname(written)
    else:
        raise PublicNameError("Choose one of the three.")
    if problem := why_too_long(shown):
        raise PublicNameError(f"{problem} Choose another one.")
    return shown


def kind_of(name: str, shown: str) -> str:
    """Which of the three choices a public name is."""
    if shown == name:
        return "real"
    return "initials" if shown == initials_of(name) else "nickname"


def gives_away(name: str, shown: str) -> bool:
    """Whether a public name contains a word of the real one, of three letters or more."""
    return bool({word for word in fold(name).split() if len(word) > 2} & set(fold(shown).split()))

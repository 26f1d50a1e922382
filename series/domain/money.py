"""Reading and writing amounts of money (integer cents) and of chips (integers)."""

import re

MOST_CENTS = 100_000_000_000
MOST_CHIPS = 1_000_000_000

_THOUSANDS = r"[0-9]{1,3}(?:[,\u00a0\u202f ][0-9]{3})+"
_MONEY = re.compile(rf"(?:NZ)?\$?\s*({_THOUSANDS}|[0-9]+)(?:\.([0-9]{{1,2}}))?", re.IGNORECASE)
_CHIPS = re.compile(rf"{_THOUSANDS}|[0-9]+")


class AmountError(ValueError):
    """Text that is not an amount; the message says in plain words what to write."""


def parse_money(text: str) -> int:
    """The cents of an amount such as "250", "$1,234.50" or "12.5" (12 dollars 50). Never negative.

    Raises AmountError for anything else, more than two decimals, or more than a thousand million dollars.
    """
    match = _MONEY.fullmatch(text.strip())
    if not match:
        raise AmountError(_money_help(text.strip()))
    dollars, cents = match.groups()
    amount = _whole(dollars) * 100 + int((cents or "").ljust(2, "0"))
    if amount > MOST_CENTS:
        raise AmountError(f"The most that can be entered is {format_money(MOST_CENTS)}.")
    return amount


def parse_chips(text: str) -> int:
    """The number of chips written as "1500" or "1,500". Raises AmountError for anything else or over 1,000
    million.
    """
    match = _CHIPS.fullmatch(text.strip())
    if not match:
        raise AmountError("Write a whole number, for example 1500 or 1,500.")
    chips = _whole(match.group())
    if chips > MOST_CHIPS:
        raise AmountError(f"The most that can be entered is {format_chips(MOST_CHIPS)}.")
    return chips


def format_money(cents: int, *, always_cents: bool = False, symbol: str = "$") -> str:
    """Cents as "$1,234.50"; whole dollars as "$1,234" unless `always_cents`; what is owed as "-$5"."""
    dollars, rest = divmod(abs(cents), 100)
    decimals = f".{rest:02}" if rest or always_cents else ""
    return f"{'-' if cents < 0 else ''}{symbol}{dollars:,}{decimals}"


def format_percent(basis_points: int) -> str:
    """Basis points as "6.5 %"."""
    whole, rest = divmod(basis_points, 100)
    return f"{whole:,}{f'.{rest:02}'.rstrip('0') if rest else ''} %"


def format_chips(chips: int) -> str:
    """A number of chips with its thousands separated: "1,234,500"."""
    return f"{chips:,}"


def _whole(digits: str) -> int:
    significant = re.sub(r"[^0-9]", "", digits).lstrip("0")
    # 20 digits are over every limit already, and int() refuses thousands of them with an error of its own.
    return int(significant[:20] or "0")


def _money_help(text: str) -> str:
    if not text:
        return "Write an amount, for example 250 or 1,234.50."
    if text.startswith(("-", "\u2212")):
        return "An amount cannot be less than nothing."
    if re.search(r"\.[0-9]{3,}$", text):
        return "Write dollars and cents with two decimals at most, for example 1,234.50."
    return "This is not an amount of money. Write it like 250 or 1,234.50."

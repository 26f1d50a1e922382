"""Which class of gambling an event would be in New Zealand, and what stands in its way.

Guidance to warn an organiser, not legal advice. From the Gambling Act 2003: class 1 (section 22), class 2
(sections 24 to 26), class 3 (sections 27 and 28). The sums of the Act are looked at per event; a series
shows its total beside it.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

CLASS_1_LIMIT_CENTS = 500_00
CLASS_2_PRIZES_CENTS = 5_000_00
CLASS_2_TURNOVER_CENTS = 25_000_00

GamblingClass = Literal[1, 2, 3, "casino", "none", "no_class"]

CLASS_EXPLANATIONS: dict[GamblingClass, str] = {
    1: "Class 1: prizes and potential turnover are each $500 or less. Anybody may run it, without a licence.",
    2: "Class 2: prizes are $5,000 or less and potential turnover is $25,000 or less. Societies only, no licence.",
    3: "Class 3: prizes are over $5,000. Societies only, with a class 3 operator's licence.",
    "casino": "Held under a casino's licence.",
    "none": "Free to enter, without any charge: most likely not gambling under the Act.",
    "no_class": "It fits no class: the prizes are within class 2, the potential turnover is not.",
}
PROBLEMS = {
    "needs_society": "Above class 1 only a society may run this event. "
    "Lower the prizes or the potential turnover, or talk to the Department of Internal Affairs.",
    "fee_not_allowed": "Who is not a society must pay out all that is taken, less actual and necessary costs. "
    "Leave out the fee, or itemise the costs it covers and talk to the Department of Internal Affairs.",
    "free_event_takes_money": "The event is marked as free but charges something; any payment may make it gambling. "
    "Remove the charge, or choose the operator and talk to the Department of Internal Affairs.",
    "licence_required": "Prizes over $5,000 need a class 3 operator's licence, and none is recorded. "
    "Record its number, lower the prizes, or talk to the Department of Internal Affairs.",
    "turnover_over_class_2_limit": "The potential turnover is over $25,000 with prizes of $5,000 or less, and no "
    "licence covers that. Lower the capacity or the price, or talk to the Department of Internal Affairs.",
}

ACT = "Gambling Act 2003"
SOURCES = {
    "needs_society": f"{ACT}, sections 22, 24 and 28",
    "fee_not_allowed": f"{ACT}, section 22: turnover less actual, reasonable and necessary costs goes to the prizes",
    "free_event_takes_money": "Department of Internal Affairs, 14 April 2010: any payment may bring free poker back in",
    "licence_required": f"{ACT}, sections 27 and 28",
    "turnover_over_class_2_limit": f"{ACT}, section 24",
}


class Operator(StrEnum):
    """Who conducts the event."""

    INDIVIDUAL = "individual"
    SOCIETY = "society"
    CORPORATE_SOCIETY = "corporate_society"
    CASINO = "casino"
    FREE = "free"


@dataclass(frozen=True)
class Charges:
    """What one place can bring in, in cents. The fee is on top of the buy-in; a rebuy costs the buy-in, if nothing else
    is said; `addon_cents`: all add-ons of one place together."""

    buy_in_cents: int
    fee_cents: int = 0
    max_reentries: int = 0
    rebuys: int = 0
    addon_cents: int = 0
    rebuy_cents: int | None = None

    @property
    def rebuy_price_cents(self) -> int:
        return self.buy_in_cents if self.rebuy_cents is None else self.rebuy_cents

    @property
    def any(self) -> bool:
        """Whether anything at all is charged."""
        return bool(self.buy_in_cents or self.fee_cents or self.addon_cents or self.rebuys * self.rebuy_price_cents)


@dataclass(frozen=True)
class Classification:
    """The class an event falls in, its potential turnover in cents, and problems as keys of PROBLEMS."""

    gambling_class: GamblingClass
    potential_turnover_cents: int
    problems: tuple[str, ...]


def potential_turnover(charges: Charges, capacity: int) -> int:
    """The cents that could be taken if every place were sold with every re-entry, rebuy and add-on."""
    entries = (charges.buy_in_cents + charges.fee_cents) * (1 + charges.max_reentries)
    return capacity * (entries + charges.rebuy_price_cents * charges.rebuys + charges.addon_cents)


def classify(
    operator: Operator, charges: Charges, *, capacity: int, prizes_cents: int, licence_number: str = ""
) -> Classification:
    """The class of an event and what stands in its way.

    `prizes_cents`: all prizes, added ones and the retail value of goods included. `capacity`: the most
    places that can be sold.
    """
    turnover = potential_turnover(charges, capacity)
    gambling_class = _class(operator, charges, turnover, prizes_cents)
    if operator is Operator.CASINO:
        return Classification(gambling_class, turnover, ())
    not_a_society = operator in (Operator.INDIVIDUAL, Operator.FREE)
    found = {
        "needs_society": not_a_society and gambling_class not in (1, "none"),
        "fee_not_allowed": not_a_society and charges.fee_cents > 0,
        "free_event_takes_money": operator is Operator.FREE and charges.any,
        "licence_required": gambling_class == 3 and not licence_number.strip(),
        "turnover_over_class_2_limit": gambling_class == "no_class",
    }
    return Classification(gambling_class, turnover, tuple(code for code, applies in found.items() if applies))


def _class(operator: Operator, charges: Charges, turnover: int, prizes: int) -> GamblingClass:
    if operator is Operator.CASINO:
        return "casino"
    if operator is Operator.FREE and not charges.any:
        return "none"
    if prizes <= CLASS_1_LIMIT_CENTS and turnover <= CLASS_1_LIMIT_CENTS:
        return 1
    if prizes > CLASS_2_PRIZES_CENTS:
        return 3
    return 2 if turnover <= CLASS_2_TURNOVER_CENTS else "no_class"

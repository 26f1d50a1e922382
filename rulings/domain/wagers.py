"""What a wager is: the ruling on chips pushed and words said, facing a price.

House rules 3 and 6 to 9b. They size an amount that is clear; what silent chips mean is TDA 2024, rules 44
to 46 (supplement S7 and S8), and an under-call is rule 51 (S11). All amounts are chips.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from rulings.domain.words import chips

OVERCHIP = "S7"
MULTICHIP = "S8"
UNDERCALL = "S11"


class Declared(StrEnum):
    """What was said in turn, before or together with the chips."""

    RAISE = "raise"
    CALL = "call"
    ALL_IN = "all_in"


class Ruling(StrEnum):
    """What the action is. An action that takes the whole stack is all-in, a call or a short call."""

    CHECK = "check"
    BET = "bet"
    CALL = "call"
    RAISE = "raise"
    ALL_IN = "all_in"
    SHORT_CALL = "short_call"
    UNDERCALL = "undercall"


class OpenUnderbet(StrEnum):
    """A first bet below the big blind: by halves as 9a and 9b are written, or always made up to it."""

    HALF_OR_CHECK = "half_or_check"
    MIN_BET = "min_bet"


@dataclass(frozen=True)
class WagerPolicy:
    """The readings a series can choose.

    `overchip_is_call`: one silent chip is a call (TDA 2024, rule 44). `multichip_test`: silent chips that
    are all needed for the call are a call (rule 45). `open_underbet`: see OpenUnderbet (rule 52).
    `two_motion_raise`: after "raise" one more motion counts (house rule 7; off: rule 42).
    """

    overchip_is_call: bool = True
    multichip_test: bool = True
    open_underbet: OpenUnderbet = OpenUnderbet.HALF_OR_CHECK
    two_motion_raise: bool = True


@dataclass(frozen=True, kw_only=True)
class Wager:
    """What happened, in chips.

    `to_match` is the price on this street (0: no bet yet), `raise_size` the largest full bet or raise so
    far. `total` is what then lies in front of the player for this street, `already_in` (at most the price)
    included; an amount said in words counts as `total`. `pushed` lists the new chips, one number each, if
    they were seen. `stack` is all the player has, in front and behind, at the start of the action; `all_in`
    says that the chips pushed were the last ones, so that the stack is `total`. `motions` are the amounts
    of successive motions. Raises ValueError if the amounts contradict each other.
    """

    big_blind: int
    to_match: int
    raise_size: int
    total: int
    already_in: int = 0
    pushed: Sequence[int] = ()
    all_in: bool = False
    stack: int | None = None
    declared: Declared | None = None
    motions: Sequence[int] = ()
    policy: WagerPolicy = field(default_factory=WagerPolicy)

    def __post_init__(self) -> None:
        if not 0 <= self.already_in <= min(self.to_match, self.total):
            raise ValueError("what is already in is at most the price and at most the total")
        if min(self.big_blind, self.raise_size) <= 0:
            raise ValueError("the big blind and the raise size are at least 1")
        new = self.total - self.already_in
        if self.declared == Declared.ALL_IN and not (self.stack or self.total):
            raise ValueError("an all-in needs the stack or the chips pushed")
        if self.motions and sum(self.motions) != new:
            raise ValueError("the motions do not add up to the chips pushed")
        if self.pushed and sum(self.pushed) != new:
            raise ValueError("the chips do not add up to the amount pushed")


@dataclass(frozen=True)
class WagerRuling:
    """The ruling, in chips: `total` counts for the street, `returned` goes back, `to_add` is still owed."""

    ruling: Ruling
    total: int
    returned: int
    to_add: int
    rules: tuple[str, ...]
    why: str


def rule_wager(wager: Wager) -> WagerRuling:
    """Return the ruling on `wager`.

    Words in turn decide and reach as far as the stack (house rule 3); in silence only the first motion
    counts (6), after "raise" one more (7); then the size decides (8, 9, 9a, 9b), once the tests for silent
    chips have passed (TDA 2024, rules 44 and 45). Half of the raise size is enough for a raise, without
    rounding.
    """
    judged = _Judgement(wager)
    match wager.declared:
        case Declared.ALL_IN:
            return judged.all_in_said()
        case Declared.CALL:
            return judged.call_said()
        case Declared.RAISE:
            return judged.raise_said()
        case None:
            return judged.open_bet() if wager.to_match == 0 else judged.silent()


class _Judgement:
    """One wager on its way through the order of judgement; `total` is what counts of its motions."""

    def __init__(self, wager: Wager) -> None:
        self.wager = wager
        self.price = wager.to_match
        self.full_raise = wager.to_match + wager.raise_size
        last_chips = wager.all_in or wager.declared == Declared.ALL_IN
        self.stack = wager.total if last_chips and wager.stack is None else wager.stack
        self.in_front = self._limited(wager.total)
        self.total = self._limited(wager.already_in + sum(self._motions_that_count()))

    def all_in_said(self) -> WagerRuling:
        stack = self.stack or self.wager.total
        return self._ruled(Ruling.ALL_IN, stack, ("3",), f'"All-in" was said: all {chips(stack)} are in.')

    def call_said(self) -> WagerRuling:
        why = f'"Call" was said: {chips(self.price)}.' if self.price else "There is nothing to call."
        return self._ruled(Ruling.CALL, self.price, ("3",), why)

    def raise_said(self) -> WagerRuling:
        ruling, size_rule = (Ruling.RAISE, "9") if self.price else (Ruling.BET, "8")
        why = f'"Raise" was said: to {chips(max(self.total, self.full_raise))}'
        why += "." if self.total >= self.full_raise else f", the minimum, as {chips(self.total)} is less."
        return self._ruled(ruling, max(self.total, self.full_raise), ("3", size_rule), why)

    def open_bet(self) -> WagerRuling:
        total, big_blind = self.total, self.wager.big_blind
        if total == 0:
            return self._ruled(Ruling.CHECK, 0, ("5",), "Nothing was pushed and there is no bet: a check.")
        if total == self.stack:
            return self._ruled(Ruling.BET, total, ("8",), f"The last chips, {chips(total)}, stand as a bet.")
        if total >= big_blind:
            return self._ruled(Ruling.BET, total, ("8",), f"A bet of {chips(total)}.")
        small = f"{chips(total)} is less than the smallest bet, {chips(big_blind)},"
        if self.wager.policy.open_underbet == OpenUnderbet.MIN_BET:
            return self._ruled(Ruling.BET, big_blind, ("8",), f"{small} and is made up to it.")
        if 2 * total >= big_blind:
            why = f"{small} but at least half of it: made up to it."
            return self._ruled(Ruling.BET, big_blind, ("8", "9a"), why)
        why = f"{small} and less than half of it: a check, the chips go back."
        return self._ruled(Ruling.CHECK, 0, ("8", "9b"), why)

    def silent(self) -> WagerRuling:
        """Return the ruling on chips without words, facing a price."""
        total, price, already_in = self.total, self.price, self.wager.already_in
        if total == already_in == price:
            why = "The price is covered and nothing was pushed: a check."
            return self._ruled(Ruling.CHECK, price, ("5",), why)
        if total < price and total == self.stack:
            why = f"The last chips, {chips(total)}, call for less than {chips(price)}."
            return self._ruled(Ruling.SHORT_CALL, total, ("3", "13"), why)
        if total < price:
            why = f"{chips(total)} is less than the price, {chips(price)}: the call is completed."
            return self._ruled(Ruling.UNDERCALL, price, (UNDERCALL,), why)
        if total == price:
            return self._ruled(Ruling.CALL, price, ("2",), f"Exactly the price, {chips(price)}: a call.")
        if already_in < price and (tested := self._chip_tests()):
            return tested
        if total == self.stack:
            why = f"The last chips, {chips(total)}, stand as they are."
            return self._ruled(Ruling.ALL_IN, total, ("9",), why)
        return self._by_size()

    def _chip_tests(self) -> WagerRuling | None:
        pushed, policy = self._chips_that_count(), self.wager.policy
        if len(pushed) == 1 and policy.overchip_is_call:
            why = f"One chip without a word is a call of {chips(self.price)}."
            return self._ruled(Ruling.CALL, self.price, (OVERCHIP,), why)
        if len(pushed) > 1 and policy.multichip_test and self.total - min(pushed) < self.price:
            why = f"Without the smallest chip, {chips(min(pushed))}, the price would not be covered: a call."
            return self._ruled(Ruling.CALL, self.price, (MULTICHIP,), why)
        return None

    def _by_size(self) -> WagerRuling:
        step, raise_size = self.total - self.price, self.wager.raise_size
        sizes = f"{chips(step)} on top of {chips(self.price)}"
        if step >= raise_size:
            why = f"{sizes} is at least a full raise of {chips(raise_size)}."
            return self._ruled(Ruling.RAISE, self.total, ("9",), why)
        if 2 * step >= raise_size:
            why = f"{sizes} is at least half of a full raise of {chips(raise_size)}: made up to it."
            return self._ruled(Ruling.RAISE, self.full_raise, ("9", "9a"), why)
        why = f"{sizes} is less than half of a full raise of {chips(raise_size)}"
        if self.wager.already_in == self.price:
            return self._ruled(Ruling.CHECK, self.price, ("9b",), f"{why}: a check, the chips go back.")
        return self._ruled(Ruling.CALL, self.price, ("9b",), f"{why}: a call, the rest goes back.")

    def _ruled(self, ruling: Ruling, total: int, rules: tuple[str, ...], why: str) -> WagerRuling:
        if self.stack is not None and ruling != Ruling.CHECK and total >= self.stack:
            if total > self.stack:
                why += f" The stack reaches to {chips(self.stack)}."
            total = self.stack
            ruling = _whole_stack(total, self.price)
        if self.wager.declared == Declared.RAISE and len(self.wager.motions) > 1:
            rules += ("7",)
        elif self.total < self.in_front:
            rules += ("6",)
        if self.total < self.in_front:
            why += f" Of the motions only {chips(self.total - self.wager.already_in)} counts."
        returned = max(0, self.in_front - total)
        return WagerRuling(ruling, total, returned, max(0, total - self.in_front), rules, why)

    def _motions_that_count(self) -> Sequence[int]:
        wager = self.wager
        if not wager.motions or wager.declared in (Declared.CALL, Declared.ALL_IN):
            return [wager.total - wager.already_in]
        two = wager.declared == Declared.RAISE and wager.policy.two_motion_raise
        return wager.motions[: 2 if two else 1]

    def _chips_that_count(self) -> Sequence[int]:
        """Return the new chips of the motion that counts; none if they cannot be told from later ones."""
        new = self.total - self.wager.already_in
        seen: list[int] = []
        for chip in self.wager.pushed:
            if sum(seen) == new:
                break
            seen.append(chip)
        return seen if sum(seen) == new else ()

    def _limited(self, amount: int) -> int:
        return amount if self.stack is None else min(amount, self.stack)


def _whole_stack(stack: int, price: int) -> Ruling:
    if stack > price:
        return Ruling.ALL_IN
    return Ruling.CALL if stack == price else Ruling.SHORT_CALL

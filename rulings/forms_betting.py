"""Calculators of one street: what a wager is, what it takes to raise, and who still may."""

from typing import Any
from urllib.parse import urlencode

from django import forms
from django.core.exceptions import ValidationError
from django.http import QueryDict

from rulings.calculator_reads import is_number
from rulings.domain.betting import Action, Reopening, Street, min_raise, reopening
from rulings.domain.wagers import Declared, OpenUnderbet, Ruling, Wager, WagerPolicy, WagerRuling, rule_wager
from rulings.domain.words import chips
from rulings.forms_calculators import AmountField, Answer, Calculator, SeatField, StackField

LINES, MOST_LINES = 12, 40


class WagerForm(Calculator):
    """House rules 3 and 6 to 9b on chips pushed and words said."""

    kind = "wager"
    short = "Wager"
    title = "What is this wager?"
    about = "Call, raise, or chips that go back: words, one chip, several motions, half of a raise."

    to_match = AmountField(label="Price", help_text="0: no bet yet.")
    last_raise = AmountField(label="Last raise", required=False, least=1, help_text="If there was one.")
    big_blind = AmountField(label="Big blind", least=1)
    declared = forms.ChoiceField(
        label="Said in turn",
        required=False,
        widget=forms.RadioSelect,
        choices=[("", "nothing"), ("raise", "raise"), ("call", "call"), ("all_in", "all-in")],
        initial="",
    )
    chips = StackField(label="Chips pushed, one by one", help_text="Each chip with + between: 1,000 + 500.")
    total = AmountField(label="Or total in front", required=False, help_text="Also an amount in words.")
    already_in = AmountField(label="Already in", required=False, help_text="On this street before.")
    stack = AmountField(label="Whole stack", required=False, least=1, help_text="In front and behind.")
    all_in = forms.BooleanField(label="These were the last chips", required=False)
    motions = StackField(label="In several motions", help_text="The amount of each: 500 + 800.")

    def known(self) -> dict[str, Any]:
        return {"big_blind": self.spot.big, "to_match": self.spot.big}

    @property
    def has_more(self) -> bool:
        """Whether one of the fields that are seldom needed is filled in."""
        return any(self[name].value() for name in ("already_in", "stack", "all_in", "motions"))

    def solve(self, given: dict[str, Any]) -> Answer:
        already, pushed, motions = given["already_in"] or 0, given["chips"], given["motions"]
        total = given["total"]
        if total is None:
            total = already + sum(pushed or motions)
            if not (pushed or motions or given["declared"]):
                raise ValidationError({"chips": ValidationError("What was pushed, or said?", code="required")})
        self._check(given, already, total)
        options = self.spot.options
        ruled = rule_wager(
            Wager(
                big_blind=given["big_blind"],
                to_match=given["to_match"],
                raise_size=given["last_raise"] or given["big_blind"],
                total=total,
                already_in=already,
                pushed=pushed,
                all_in=given["all_in"],
                stack=given["stack"],
                declared=Declared(given["declared"]) if given["declared"] else None,
                motions=motions,
                policy=WagerPolicy(
                    overchip_is_call=options.overchip_is_call,
                    multichip_test=options.multichip_test,
                    open_underbet=OpenUnderbet(options.open_underbet),
                    two_motion_raise=options.two_motion_raise,
                ),
            )
        )
        back = [f"{chips(ruled.returned)} goes back."] if ruled.returned else []
        owed = [f"{chips(ruled.to_add)} is still to be put in."] if ruled.to_add else []
        headline = _named(ruled)
        return Answer(
            headline=headline,
            said=(f"{headline}.", *back, *owed),
            rules=ruled.rules,
            why=ruled.why,
            outcome={
                "ruling": str(ruled.ruling),
                "total": ruled.total,
                "returned": ruled.returned,
                "to_add": ruled.to_add,
            },
        )

    @staticmethod
    def _check(given: dict[str, Any], already: int, total: int) -> None:
        pushed, motions = sum(given["chips"]), sum(given["motions"])
        if already > given["to_match"]:
            raise ValidationError({"already_in": f"At most the price, {chips(given['to_match'])}."})
        if total < already:
            raise ValidationError({"total": f"{chips(already)} was already in: the total is at least that."})
        if given["chips"] and pushed != total - already:
            raise ValidationError({"chips": f"These chips make {chips(pushed)}, the amount {chips(total - already)}."})
        if given["motions"] and motions != total - already:
            raise ValidationError(
                {"motions": f"These motions make {chips(motions)}, the chips pushed {chips(total - already)}."}
            )
        if given["stack"] is not None and given["stack"] < already:
            raise ValidationError({"stack": f"{chips(already)} of it is already in."})
        if given["declared"] == Declared.ALL_IN and not (given["stack"] or total):
            raise ValidationError({"stack": "How many chips does the player have?"})


def _named(ruled: WagerRuling) -> str:
    amount = chips(ruled.total)
    return {
        Ruling.CHECK: "Check",
        Ruling.BET: f"Bet of {amount}",
        Ruling.CALL: f"Call of {amount}",
        Ruling.RAISE: f"Raise to {amount}",
        Ruling.ALL_IN: f"All-in for {amount}",
        Ruling.SHORT_CALL: f"Short call, all-in for {amount}",
        Ruling.UNDERCALL: f"Under-call: made up to {amount}",
    }[ruled.ruling]


class RaiseForm(Calculator):
    """House rules 5, 8 and 9: the price, the smallest raise, and whether the betting is open again."""

    kind = "raise"
    short = "Raise"
    title = "How much to raise, and who may?"
    about = "The smallest raise after any betting, and whether a short all-in opens it again."

    street = forms.ChoiceField(
        label="Street",
        widget=forms.RadioSelect,
        choices=[("preflop", "before the flop"), ("postflop", "flop or later")],
        initial="preflop",
    )
    big_blind = AmountField(label="Big blind", least=1)
    sb_seat = SeatField(label="Small blind from", nobody="–", widget=forms.Select)
    sb = AmountField(label="Small blind posted", required=False)
    bb_seat = SeatField(label="Big blind from", nobody="–", widget=forms.Select)
    bb = AmountField(label="Big blind posted", required=False)
    asks = SeatField(label="Who asks", nobody="nobody", widget=forms.Select, help_text="Empty: the smallest raise.")

    def lay_out(self, sent: QueryDict) -> None:
        filled = [int(name[3:]) for name in sent if name.startswith("to_") and is_number(name[3:]) and sent[name]]
        self.lines = min(max([LINES, *(last + 4 for last in filled)]), MOST_LINES)
        for number in range(1, self.lines + 1):
            seat = SeatField(label=f"Action {number}, seat", nobody="seat", widget=forms.Select)
            self.fields[f"seat_{number}"] = seat
            self.fields[f"to_{number}"] = AmountField(label=f"Action {number}, in front", required=False)

    def rows(self) -> list[dict[str, forms.BoundField]]:
        return [{"seat": self[f"seat_{number}"], "to": self[f"to_{number}"]} for number in range(1, self.lines + 1)]

    def known(self) -> dict[str, Any]:
        spot = self.spot
        return {
            "big_blind": spot.big,
            "sb": spot.small,
            "bb": spot.big,
            "sb_seat": spot.small_blind,
            "bb_seat": spot.big_blind,
        }

    def solve(self, given: dict[str, Any]) -> Answer:
        street, big_blind = Street(given["street"]), given["big_blind"]
        numbers = [number for number in range(1, self.lines + 1) if given[f"to_{number}"] is not None]
        wagers = [given[f"to_{number}"] for number in numbers]
        least = min_raise(big_blind=big_blind, street=street, wagers=wagers)
        query = {
            "to_match": least.to_match,
            "last_raise": least.min_raise_to - least.to_match,
            "big_blind": big_blind,
        }
        links = (("Rule on a wager now", WagerForm.kind, urlencode(query)),)
        outcome: dict[str, Any] = {"to_match": least.to_match, "min_raise_to": least.min_raise_to}
        if given["asks"] is None:
            headline = f"Smallest {'raise: to' if least.to_match else 'bet:'} {chips(least.min_raise_to)}"
            return Answer(headline, (f"{headline}.",), least.rules, least.why, outcome, links=links)
        nameless = next((number for number in numbers if given[f"seat_{number}"] is None), None)
        if nameless:
            raise ValidationError({f"seat_{nameless}": "Which seat? It matters for who may raise."})
        asks = self.spot.named(given["asks"])
        asked = reopening(
            big_blind=big_blind,
            street=street,
            actions=[Action(self.spot.named(given[f"seat_{number}"]), given[f"to_{number}"]) for number in numbers],
            asks=asks,
            blinds=self._posted(given) if street is Street.PREFLOP else None,
        )
        headline = _may(asks, asked)
        outcome |= {"to_call": asked.to_call, "may_raise": asked.may_raise, "min_raise_to": asked.min_raise_to}
        why = asked.why[0].upper() + asked.why[1:]
        return Answer(headline, (f"{headline}.",), asked.rules, why, outcome, links=links)

    def _posted(self, given: dict[str, Any]) -> dict[str, int]:
        return {
            self.spot.named(given[seat]): given[amount]
            for seat, amount in (("sb_seat", "sb"), ("bb_seat", "bb"))
            if given[seat] is not None and given[amount] is not None
        }


def _may(asks: str, asked: Reopening) -> str:
    who = asks[0].upper() + asks[1:]
    if asked.min_raise_to is not None:
        return f"{who} may raise, to {chips(asked.min_raise_to)} or more"
    if asked.to_call:
        return f"{who} may call {chips(asked.to_call)} or fold"
    return f"{who} has nothing left to do"

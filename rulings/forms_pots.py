"""Calculators of the money: main and side pots, split pots and odd chips."""

from typing import Any
from urllib.parse import urlencode

from django import forms
from django.core.exceptions import ValidationError
from django.http import QueryDict

from rulings.calculator_reads import is_number
from rulings.domain.pots import Pot, Pots, make_pots
from rulings.domain.split import Split, WonPot, split_pots
from rulings.domain.words import chips
from rulings.forms_calculators import (
    AmountField,
    Answer,
    Calculator,
    SeatField,
    SeatListField,
    SeatsField,
    StackField,
    mention,
)

POT_ROWS, MOST_POTS = 3, 12
STATES = [("", "in"), ("all_in", "all-in"), ("folded", "folded"), ("killed", "killed"), ("absent", "absent")]


def label(seat: int) -> str:
    return f"seat {seat}"


class PotsForm(Calculator):
    """House rules 12 to 15, 17, 30, 32 and 35b: what every seat put in over the whole hand."""

    kind = "pots"
    short = "Pots"
    title = "Pots"
    about = "Main and side pots from what each seat put in, with folded, dead, killed and forfeited chips."

    dead = StackField(label="Dead chips", help_text="A big blind ante, dodged blinds: they belong to nobody.")
    fold_order = SeatListField(
        label="Order of folding", help_text="Only where nobody is left to win a pot: who folded last takes it."
    )

    def lay_out(self, sent: QueryDict) -> None:
        for seat in range(1, self.spot.seats + 1):
            self.fields[f"in_{seat}"] = StackField(label=f"Seat {seat}")
            hand = f"Hand of seat {seat}"
            self.fields[f"state_{seat}"] = forms.ChoiceField(
                label=hand, required=False, choices=STATES, widget=forms.Select(attrs={"aria-label": hand})
            )

    def rows(self) -> list[dict[str, Any]]:
        return [
            {
                "seat": seat,
                "name": self.spot.names.get(seat, ""),
                "amount": self[f"in_{seat}"],
                "state": self[f"state_{seat}"],
            }
            for seat in range(1, self.spot.seats + 1)
        ]

    @property
    def has_more(self) -> bool:
        """Whether one of the fields that are seldom needed is filled in."""
        return any(self[name].value() for name in ("dead", "fold_order"))

    def solve(self, given: dict[str, Any]) -> Answer:
        put_in = {seat: sum(given[f"in_{seat}"]) for seat in self._seats() if given[f"in_{seat}"]}
        state = {seat: given[f"state_{seat}"] for seat in put_in}
        dead = sum(given["dead"])
        if not sum(put_in.values()) + dead:
            raise ValidationError({"in_1": ValidationError("What did the seats put in?", code="required")})
        folded = [seat for seat in put_in if state[seat] == "folded"]
        if stranger := next((seat for seat in given["fold_order"] if not self._folded(seat)), None):
            raise ValidationError({"fold_order": f"Seat {stranger} is not marked as folded."})
        order = [seat for seat in given["fold_order"] if seat in put_in]
        before = [seat for seat in folded if seat not in order]
        made, other = (
            make_pots(
                {label(seat): amount for seat, amount in put_in.items()},
                folded=[label(seat) for seat in (*way, *order)],
                killed=[label(seat) for seat in put_in if state[seat] == "killed"],
                dead=dead,
                forfeited=[label(seat) for seat in put_in if state[seat] == "absent"],
            )
            for way in (before, before[::-1])
        )
        pots = [
            self._pot(number, pot, clear=pot == also)
            for number, (pot, also) in enumerate(zip(made.pots, other.pots, strict=True), start=1)
        ]
        returned = {_seat(player): amount for player, amount in made.returned.items()}
        total = sum(put_in.values()) + dead
        back = [f"{chips(amount)} that nobody called goes back to seat {seat}." for seat, amount in returned.items()]
        outcome = {
            "pots": [{"amount": pot["amount"], "eligible": pot["seats"]} for pot in pots],
            "returned": returned,
        }
        return Answer(
            headline=_headline(pots, returned),
            said=(*(f"Pot {pot['number']}: {chips(pot['amount'])} for {pot['who']}." for pot in pots), *back),
            rules=made.rules,
            why=" ".join([*back, *(f"Pot {pot['number']}: {chips(pot['amount'])}. {pot['why']}" for pot in pots)]),
            outcome=outcome,
            warnings=_odd(put_in, state),
            detail={"pots": pots, "returned": returned, "total": total, "out": _out(made)},
            links=(("Split these pots", SplitForm.kind, _split_query(pots)),) if pots else (),
        )

    def _folded(self, seat: int) -> bool:
        return self.cleaned_data.get(f"state_{seat}") == "folded"

    def _seats(self) -> range:
        return range(1, self.spot.seats + 1)

    def _pot(self, number: int, pot: Pot[str], *, clear: bool) -> dict[str, Any]:
        seats = sorted(_seat(player) for player in pot.eligible)
        why, who = pot.why, mention(seats) if seats else "nobody"
        if not seats and pot.falls_to and clear:
            who = f"{pot.falls_to}, who folded last, once the floor confirms it"
        elif not seats and not clear:
            why = "No hand can win these chips; whoever folded last takes them: write the order of folding."
        names = [self.spot.names[seat] for seat in seats if seat in self.spot.names]
        return {"number": number, "amount": pot.amount, "seats": seats, "who": who, "names": names, "why": why}

    def facts(self) -> str:
        said = dict(STATES)
        rows = [
            f"seat {seat} {chips(sum(self.cleaned_data[f'in_{seat}']))}"
            + (f" ({said[self.cleaned_data[f'state_{seat}']]})" if self.cleaned_data[f"state_{seat}"] else "")
            for seat in self._seats()
            if self.cleaned_data[f"in_{seat}"]
        ]
        dead = sum(self.cleaned_data["dead"])
        return f"Put in: {', '.join(rows)}{f'; dead chips {chips(dead)}' if dead else ''}."


def _seat(player: str) -> int:
    return int(player.removeprefix("seat "))


def _headline(pots: list[dict[str, Any]], returned: dict[int, int]) -> str:
    parts = [f"Pot {pot['number']} {chips(pot['amount'])}" for pot in pots]
    parts += [f"{chips(amount)} back to {seat}" for seat, amount in returned.items()]
    return " · ".join(parts)


def _out(made: Pots[str]) -> int:
    return sum(pot.amount for pot in made.pots) + sum(made.returned.values())


def _odd(put_in: dict[int, int], state: dict[int, str]) -> tuple[str, ...]:
    """A seat still in for less than another, once somebody began to mark the all-ins."""
    if "all_in" not in state.values():
        return ()
    most = max(put_in.values())
    short = [seat for seat, amount in put_in.items() if not state[seat] and amount < most]
    if not short:
        return ()
    return (f"Less than the price from {mention(short)}: mark all-in or folded, or the call is still to come.",)


def _split_query(pots: list[dict[str, Any]]) -> str:
    query: dict[str, Any] = {}
    for pot in pots:
        query[f"pot_{pot['number']}"] = pot["amount"]
        query[f"for_{pot['number']}"] = ",".join(str(seat) for seat in pot["seats"])
    return urlencode(query)


class SplitForm(Calculator):
    """House rules 11 and 12: every pot on its own, odd chips from the first seat left of the button."""

    kind = "split"
    short = "Split"
    title = "Split pots and odd chips"
    about = "Who gets how much when hands tie, and where the odd chips go."

    button = SeatField(label="Button")
    unit = AmountField(label="Smallest chip in play", least=1)

    def lay_out(self, sent: QueryDict) -> None:
        filled = [int(name[4:]) for name in sent if name.startswith("pot_") and is_number(name[4:]) and sent[name]]
        shared = [last for last in filled if sent.get(f"for_{last}")]  # made by the other calculator: no more to come
        self.pot_rows = min(max(shared or [POT_ROWS, *(last + 1 for last in filled)]), MOST_POTS)
        for number in range(1, self.pot_rows + 1):
            share = SeatListField(widget=forms.HiddenInput, label=f"Players in pot {number}")
            self.fields[f"for_{number}"] = share
            self.fields[f"pot_{number}"] = AmountField(label=f"Pot {number}", required=False)
            winners = self.fields[f"win_{number}"] = SeatsField(label=f"Winners of pot {number}", required=False)
            winners.seat(self.spot, _shared(sent.get(f"for_{number}", ""), self.spot.seats))

    def rows(self) -> list[dict[str, forms.BoundField]]:
        return [
            {"share": self[f"for_{number}"], "amount": self[f"pot_{number}"], "winners": self[f"win_{number}"]}
            for number in range(1, self.pot_rows + 1)
        ]

    def known(self) -> dict[str, Any]:
        spot = self.spot
        return {"button": spot.button, "unit": min(spot.chips) if spot.event and spot.chips else None}

    def solve(self, given: dict[str, Any]) -> Answer:
        unit, won, numbers = given["unit"], [], []
        for number in range(1, self.pot_rows + 1):
            amount, winners = given[f"pot_{number}"], given[f"win_{number}"]
            if winners and amount is None:
                raise ValidationError({f"pot_{number}": "How much is in this pot?"})
            if amount is None:
                continue
            if amount % unit:
                raise ValidationError({f"pot_{number}": f"Not payable in chips of {chips(unit)}."})
            if not winners:
                raise ValidationError({f"win_{number}": ValidationError("Who won this pot?", code="required")})
            won.append(WonPot(amount, winners))
            numbers.append(number)
        if not won:
            raise ValidationError({"pot_1": ValidationError("How much is in the pot?", code="required")})
        split = split_pots(won, button=given["button"], seats=self.spot.seats, unit=unit)
        lines = [
            {"seat": seat, "name": self.spot.names.get(seat, ""), "amount": amount, "odd": _odd_chips(split, seat)}
            for seat, amount in sorted(split.awards.items())
        ]
        paid = [f"{chips(amount)} to seat {seat}" for seat, amount in sorted(split.awards.items())]
        return Answer(
            headline=" · ".join(paid),
            said=(f"{', '.join(paid)}.",),
            rules=split.rules,
            why=split.why[0].upper() + split.why[1:],
            outcome={"awards": {str(seat): amount for seat, amount in split.awards.items()}},
            detail={"lines": lines, "total": sum(pot.amount for pot in won), "unit": unit},
        )


def _odd_chips(split: Split, seat: int) -> int:
    return sum(share.odd_chips.count(seat) for share in split.shares)


def _shared(text: str, seats: int) -> list[int]:
    """The seats with a share in a pot that came from the other calculator; every seat if nothing is known."""
    named = {int(part) for part in text.split(",") if part.isdecimal() and len(part) < 4}
    return sorted(seat for seat in named if 1 <= seat <= seats) or list(range(1, seats + 1))

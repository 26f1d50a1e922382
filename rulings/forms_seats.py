"""Calculators of the order at the table: who shows first, who posts what."""

import re
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.http import QueryDict

from rulings.domain.showdown import ShowdownPolicy, show_order
from rulings.forms_calculators import Answer, Calculator, SeatField, SeatListField, SeatsField
from tables.domain.button import Change, DeadButton, Hand, hands, reasons
from tables.domain.table import LEAST_SEATS, MOST_SEATS, Positions

HANDS, MOST_HANDS = 5, 20


class ShowdownForm(Calculator):
    """House rules 10 and 41."""

    kind = "showdown"
    short = "Showdown"
    title = "Who shows first?"
    about = "The order at the showdown, with and without an all-in."

    live = SeatsField(label="Still in")
    last_aggressor = SeatField(label="Last bet or raise, last street", nobody="nobody bet")
    last_caller = SeatField(label="Last to call", nobody="nobody")
    button = SeatField(label="Button")
    all_in = forms.BooleanField(label="Somebody is all-in", required=False)

    def known(self) -> dict[str, Any]:
        return {"button": self.spot.button, "last_aggressor": "", "last_caller": ""}

    def solve(self, given: dict[str, Any]) -> Answer:
        shown = show_order(
            seats=self.spot.seats,
            button=given["button"],
            live=given["live"],
            last_aggressor=given["last_aggressor"],
            last_caller=given["last_caller"],
            all_in=given["all_in"],
            policy=ShowdownPolicy(all_in_face_up=self.spot.options.all_in_face_up),
        )
        outcome: dict[str, Any] = {"all_tabled": True} if shown.all_tabled else {"order": list(shown.order)}
        names = [self.spot.named(seat) for seat in shown.order]
        first, *others = names
        headline = "All hands are tabled together" if shown.all_tabled else f"{_capital(first)} shows first"
        then = () if shown.all_tabled or not others else (f"Then {'; '.join(others)}.",)
        named = {given["last_aggressor"], given["last_caller"]} - {None, *given["live"]}
        odd = tuple(f"Seat {seat} is not among those still in." for seat in sorted(named))
        return Answer(headline, (f"{headline}.", *then), shown.rules, shown.why, outcome, odd, detail=names)


class BlindsForm(Calculator):
    """House rules 16, 18 to 22 and 47: the dead button over the coming hands."""

    kind = "blinds"
    short = "Blinds"
    title = "Who posts what?"
    about = "Button and blinds of the coming hands, also where somebody left or sat down."

    seats = forms.IntegerField(label="Seats at the table", min_value=LEAST_SEATS, max_value=MOST_SEATS)
    occupied = SeatsField(label="Sat here in the last hand")
    button = SeatField(label="Last button")
    small_blind = SeatField(label="Last small blind")
    big_blind = SeatField(label="Last big blind")
    count = forms.IntegerField(label="Hands to come", min_value=1, max_value=MOST_HANDS, initial=3)

    def lay_out(self, sent: QueryDict) -> None:
        asked = sent.get("count", "")
        wanted = int(asked) if asked.isdecimal() and len(asked) < 4 else HANDS
        self.change_rows = min(max(HANDS, wanted), MOST_HANDS)
        for number in range(1, self.change_rows + 1):
            self.fields[f"left_{number}"] = SeatListField(label=f"Left before hand {number}")
            self.fields[f"came_{number}"] = SeatListField(label=f"Sat down before hand {number}")

    def rows(self) -> list[dict[str, Any]]:
        return [
            {"hand": number, "left": self[f"left_{number}"], "came": self[f"came_{number}"]}
            for number in range(1, self.change_rows + 1)
        ]

    @property
    def has_more(self) -> bool:
        """Whether somebody leaves or sits down."""
        return any(row["left"].value() or row["came"].value() for row in self.rows())

    @property
    def complete(self) -> bool:  # type: ignore[override]
        return None not in (self.spot.button, self.spot.small_blind, self.spot.big_blind)

    def known(self) -> dict[str, Any]:
        spot = self.spot
        return {
            "seats": spot.seats,
            "occupied": sorted(spot.names),
            "button": spot.button,
            "small_blind": spot.small_blind,
            "big_blind": spot.big_blind,
        }

    def solve(self, given: dict[str, Any]) -> Answer:
        seats, last = given["seats"], Positions(given["button"], given["small_blind"], given["big_blind"])
        for name in ("occupied", "button", "small_blind", "big_blind"):
            named = given[name] if isinstance(given[name], list) else [given[name]]
            if max(named) > seats:
                raise ValidationError({name: f"The table has only the seats 1 to {seats}."})
        changes = self._changes(given)
        played = hands(
            seats,
            given["occupied"],
            last,
            changes,
            dead_button=DeadButton(self.spot.options.dead_button),
        )
        befores = [last, *(hand.positions for hand in played)]
        whys = [reasons(hand, before) for hand, before in zip(played, befores, strict=False)]
        lines = [
            {"number": number, "hand": hand, "why": why}
            for number, (hand, why) in enumerate(zip(played, whys, strict=True), start=1)
        ]
        return Answer(
            headline=_positions(played[0]),
            said=tuple(f"Hand {number}: {_positions(hand)}." for number, hand in enumerate(played, start=1)),
            rules=tuple(dict.fromkeys(rule for why in whys for line in why for rule in _rules_named(line))),
            why=" ".join(whys[0]),
            outcome={"hands": [_outcome(hand) for hand in played]},
            detail=lines,
        )

    @staticmethod
    def _changes(given: dict[str, Any]) -> list[Change]:
        """Who left and came before each hand. Raises ValidationError where that cannot be."""
        sitting, changes = set(given["occupied"]), []
        for number in range(1, given["count"] + 1):
            left, came = set(given[f"left_{number}"]), set(given[f"came_{number}"])
            if absent := left - sitting:
                raise ValidationError({f"left_{number}": f"Nobody sits in seat {min(absent)} then."})
            if taken := came & (sitting - left):
                raise ValidationError({f"came_{number}": f"Seat {min(taken)} is taken then."})
            if came and max(came) > given["seats"]:
                raise ValidationError({f"came_{number}": f"The table has only the seats 1 to {given['seats']}."})
            sitting = (sitting - left) | came
            if len(sitting) < 2:
                raise ValidationError({f"left_{number}": "Fewer than two players are left."})
            changes.append(Change(frozenset(left), frozenset(came)))
        return changes


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]


def _positions(hand: Hand) -> str:
    dead = " (dead)" if hand.button_dead else ""
    small = "nobody" if hand.small_blind is None else hand.small_blind
    return f"Button {hand.positions.button}{dead}, small blind {small}, big blind {hand.big_blind}"


def _outcome(hand: Hand) -> dict[str, Any]:
    return {
        "button": hand.positions.button,
        "button_dead": hand.button_dead,
        "small_blind": hand.small_blind,
        "big_blind": hand.big_blind,
        "sits_out": list(hand.sits_out),
    }


def _rules_named(sentence: str) -> list[str]:
    """The house rules that a reason names in brackets: "(rules 19 and 20)", "(rule 18, T24-34B)"."""
    named = re.search(r"\(rules? ([^)]*)\)", sentence)
    return re.findall(r"\b\d+[a-z]?\b", named.group(1)) if named else []

"""Adapters of the seating and clock kinds."""

from datetime import timedelta
from typing import Any

from tables.domain import action_clock as action
from tables.domain import balance as balancing
from tables.domain import button as buttons
from tables.domain.draw import table_sizes
from tables.domain.hand_for_hand import TIME_PER_HAND, time_left
from tables.domain.placement import open_seats as placed_seats
from tables.domain.table import Positions, Table
from tests.vectors.adapters import adapter


@adapter("draw")
def draw(given: dict[str, Any]) -> dict[str, Any]:
    sizes = table_sizes(given["entries"], given["seats_per_table"], **given.get("policy", {}))
    return {"tables": len(sizes), "sizes": sizes}


@adapter("button")
def button(given: dict[str, Any]) -> dict[str, Any]:
    played = buttons.hands(
        given["seats"],
        given["occupied"],
        Positions(**given["last"]),
        [buttons.Change(frozenset(hand["busted"]), frozenset(hand["arrived"])) for hand in given["hands"]],
        dead_button=buttons.DeadButton(given.get("policy", {}).get("dead_button", "house")),
    )
    return {
        "hands": [
            {
                "button": hand.positions.button,
                "button_dead": hand.button_dead,
                "small_blind": hand.small_blind,
                "big_blind": hand.big_blind,
                "sits_out": hand.sits_out,
            }
            for hand in played
        ]
    }


@adapter("open_seats")
def open_seats(given: dict[str, Any]) -> dict[str, Any]:
    occupied = frozenset(given["occupied"]) - frozenset(given.get("busted", ()))
    last = Positions(**given["last"])
    seats = placed_seats(Table(1, given["seats"], occupied, last), last)
    return {
        "order": [open_seat.seat for open_seat in seats],
        "sits_out": [open_seat.seat for open_seat in seats if open_seat.sits_out],
    }


@adapter("balance")
def balance(given: dict[str, Any]) -> dict[str, Any]:
    policy = given.get("policy", {})
    tables = [
        Table(table["table"], table["seats"], frozenset(table["occupied"]), Positions(**table["last"]))
        for table in given["tables"]
    ]
    options = balancing.Options(
        max_gap=policy.get("max_gap"),
        allow_break=policy.get("break", True),
        break_order=tuple(policy.get("break_order", ())),
        fixed=frozenset(balancing.Spot(table, seat) for table, seat in policy.get("fixed", ())),
    )
    plan = balancing.plan(tables, options)
    first = plan.moves[0] if plan.moves else None
    return {
        "balanced": plan.balanced,
        "sizes_after": plan.sizes_after,
        "moves": plan.moves_needed,
        "first_move": first and {"from": [first.from_table, first.from_seat], "to": [first.to_table, first.to_seat]},
        "break": plan.breaking,
    }


@adapter("hand_clock")
def hand_clock(given: dict[str, Any]) -> dict[str, Any]:
    per_hand = given.get("policy", {}).get("seconds_per_hand")
    left = time_left(
        timedelta(seconds=given["remaining_seconds_at_announcement"]),
        given["hands"],
        TIME_PER_HAND if per_hand is None else timedelta(seconds=per_hand),
    )
    return {"remaining_seconds": left // timedelta(seconds=1)}


@adapter("action_clock")
def action_clock(given: dict[str, Any]) -> dict[str, Any]:
    policy = given.get("policy", {})
    acts_at = given["acts_at_seconds"]
    verdict = action.judge(
        None if acts_at is None else timedelta(seconds=acts_at),
        facing_bet=given["facing_bet"],
        left_seat=given.get("left_seat", False),
        can_act=given.get("can_act", True),
        options=action.Options(
            time=timedelta(seconds=policy.get("seconds", 60)),
            countdown=timedelta(seconds=policy.get("countdown", 10)),
            expire_unfaced=action.Verdict(policy.get("expire_unfaced", "dead")),
            left_after_acting=action.Verdict(policy.get("left_after_acting", "dead")),
        ),
    )
    return {"hand": verdict}

"""The chip ledger: what comes into play and leaves it, counts at the tables, the chip race, forfeits."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accounts.models import User
from accounts.permissions import Role
from journal import guard
from journal.errors import NotAllowed, Refused
from journal.models import JournalEntry
from journal.undo import undo
from series.models import Day, Entry, Event, Player
from tables.commands.chips import colour_up, correct_chips, count_chips, forfeit_chips
from tables.commands.entries import reenter
from tables.commands.floor import bust, order_move
from tables.models import ChipCount, ChipLine, Seat
from tables.reads.chips import chip_alarms, hall_chips, in_play, ledger_lines
from tables.reads.field import fields_of
from tests.factories import add_players, make_director, make_event, make_running_event, make_user
from tests.tables.hall import make_hall
from tests.tables.pages import entries_at

pytestmark = pytest.mark.django_db


@pytest.fixture
def hall() -> tuple[Event, Day, User]:
    """Tables of six and four, 10,000 chips each."""
    event = make_event()
    day = make_hall(event, (6, 4))
    return event, day, make_director(event.series)


def undo_last(actor: User, event: Event) -> None:
    undo(actor=actor, entry_id=JournalEntry.objects.filter(stream=event.stream_key).latest("seq").pk)


# --- the ledger -----------------------------------------------------------------------------------------------------
def test_entries_and_re_entries_issue_their_stack_and_taking_them_back_removes_it():
    event, director = make_running_event(3, max_reentries=1)
    day = event.days.get()
    assert in_play(day) == 30_000
    out = Entry.objects.filter(event=event).first()
    bust(actor=director, on=event.pk, entry_ids=[out.pk])
    assert in_play(day) == 30_000  # the chips are somebody else's now
    reenter(actor=director, on=event.pk, player_id=out.player_id, method="cash")
    assert in_play(day) == 40_000
    undo_last(director, event)
    assert in_play(day) == 30_000
    undo(actor=director, entry_id=JournalEntry.objects.get(verb="undo").pk)  # redo
    assert in_play(day) == 40_000
    assert ChipLine.objects.filter(reverses__isnull=False).count() == 2


def test_the_field_counts_chips_by_the_ledger(hall: tuple[Event, Day, User]):
    event, day, director = hall
    someone = entries_at(event, 1)[0]
    forfeit_chips(actor=director, on=event.pk, entry_id=someone.pk, chips=1_000, reason="In a pocket")
    field = fields_of([day], {})[day.pk]
    assert (field.chips, field.average) == (99_000, 9_900)


# --- forfeits -------------------------------------------------------------------------------------------------------
def test_forfeited_chips_leave_play_and_come_back_by_undo(hall: tuple[Event, Day, User]):
    event, day, director = hall
    someone = entries_at(event, 2)[1]
    done = forfeit_chips(
        actor=director, on=event.pk, entry_id=someone.pk, chips=2_500, whole_stack=True, reason="Took them to lunch"
    )
    assert done.result["empties"]
    assert in_play(day) == 97_500
    line = ledger_lines(day)[0]
    assert (line.kind, line.chips, line.table, line.reason) == ("forfeit", -2_500, 2, "Took them to lunch")
    entry = JournalEntry.objects.get(verb="chips.forfeit")
    assert entry.rule == "23"
    assert "lunch" not in entry.text + entry.reason + str(entry.facts)
    undo_last(director, event)
    assert in_play(day) == 100_000


@pytest.mark.parametrize(
    ("given", "field"),
    [({"chips": 0}, "chips"), ({"chips": -5}, "chips"), ({"chips": 100_001}, "chips"), ({"reason": " "}, "reason")],
)
def test_a_forfeit_needs_a_possible_number_and_a_reason(hall: tuple[Event, Day, User], given: Any, field: str):
    event, day, director = hall
    sent = {"entry_id": entries_at(event, 1)[0].pk, "chips": 500, "reason": "Hidden"} | given
    with pytest.raises(Refused) as refused:
        forfeit_chips(actor=director, on=event.pk, **sent)
    assert refused.value.field == field
    assert in_play(day) == 100_000


def test_nobody_rules_on_their_own_chips(hall: tuple[Event, Day, User]):
    event, _, director = hall
    mine = entries_at(event, 1)[0]
    with guard.writing():
        Player.objects.filter(pk=mine.player_id).update(user=director)
    with pytest.raises(Refused, match="own chips"):
        forfeit_chips(actor=director, on=event.pk, entry_id=mine.pk, chips=500, reason="Hidden")


@pytest.mark.parametrize(
    ("role", "forfeits", "counts", "corrects"),
    [
        (Role.DIRECTOR, True, True, True),
        (Role.FLOOR, True, True, False),
        (Role.DESK, False, False, False),
        (Role.DEALER, False, False, False),
        (Role.AUDITOR, False, False, False),
    ],
)
def test_who_may(hall: tuple[Event, Day, User], role: str, forfeits: bool, counts: bool, corrects: bool):
    event, _, _ = hall
    user = make_user("Staff", role=role, series=event.series)
    someone = entries_at(event, 1)[0].pk
    orders = [
        (forfeits, lambda: forfeit_chips(actor=user, on=event.pk, entry_id=someone, chips=500, reason="Hidden")),
        (counts, lambda: count_chips(actor=user, on=event.pk, table=1, chips=60_000)),
        (counts, lambda: colour_up(actor=user, on=event.pk, table=1, old=25, new=100, holdings={1: 3})),
        (corrects, lambda: correct_chips(actor=user, on=event.pk, table=1, chips=-500, reason="Lost")),
    ]
    for allowed, order in orders:
        if allowed:
            order()
        else:
            with pytest.raises(NotAllowed):
                order()


# --- counts ---------------------------------------------------------------------------------------------------------
def count(hall: tuple[Event, Day, User], table: int, chips: int) -> dict[str, Any]:
    event, _, director = hall
    return count_chips(actor=director, on=event.pk, table=table, chips=chips).result


def test_a_table_that_is_off_is_named_until_it_is_right(hall: tuple[Event, Day, User]):
    _, day, _ = hall
    assert count(hall, 1, 60_000) == {"table": 1, "expected": 60_000, "difference": 0}
    assert count(hall, 2, 39_500)["difference"] == -500
    assert [(alarm.table, alarm.words) for alarm in chip_alarms(day)] == [(2, "500 chips too few")]
    assert hall_chips(day, 0).difference == -500
    assert count(hall, 2, 39_500)["difference"] == -500  # counting wrong twice does not make it right
    count(hall, 2, 40_000)
    assert chip_alarms(day) == []
    assert hall_chips(day, 0).difference == 0


def test_the_director_settles_a_difference(hall: tuple[Event, Day, User]):
    event, day, director = hall
    count(hall, 2, 40_100)
    correct_chips(actor=director, on=event.pk, table=2, chips=100, reason="The desk gave one chip too many")
    assert in_play(day) == 100_100
    assert chip_alarms(day) == []
    assert count(hall, 2, 40_100)["difference"] == 0


def test_a_bust_leaves_the_chips_at_the_table_and_a_forfeit_takes_them_away(hall: tuple[Event, Day, User]):
    event, _, director = hall
    count(hall, 1, 60_000)
    bust(actor=director, on=event.pk, entry_ids=[entries_at(event, 1)[0].pk])
    forfeit_chips(actor=director, on=event.pk, entry_id=entries_at(event, 1)[0].pk, chips=700, reason="Hidden")
    assert count(hall, 1, 59_300)["difference"] == 0


def test_a_new_stack_counts_where_it_sits_down(hall: tuple[Event, Day, User]):
    event, _, director = hall
    count(hall, 2, 40_000)
    (added,) = add_players(event, 1, director)
    assert Seat.objects.get(entry=added["entry"]).table.number == 2
    assert count(hall, 2, 50_000)["difference"] == 0


def test_after_a_move_only_the_hall_can_be_compared_until_the_next_count(hall: tuple[Event, Day, User]):
    event, day, director = hall
    mover = entries_at(event, 1)[5]
    order_move(actor=director, on=event.pk, entry_id=mover.pk, table=2, seat=8, reason="Balance")
    assert count(hall, 1, 45_000)["expected"] is None
    assert hall_chips(day, 0).difference is None
    assert count(hall, 2, 54_000)["expected"] is None
    assert chip_alarms(day) == []
    assert hall_chips(day, 0).difference == -1_000
    assert count(hall, 1, 45_000)["difference"] == 0


def test_a_mistyped_count_can_be_taken_back(hall: tuple[Event, Day, User]):
    event, day, director = hall
    count(hall, 1, 6_000)
    undo_last(director, event)
    assert not ChipCount.objects.exists()
    assert chip_alarms(day) == []


# --- the chip race --------------------------------------------------------------------------------------------------
def test_a_colour_up_changes_the_chips_in_play_by_its_rounding(hall: tuple[Event, Day, User]):
    event, day, director = hall
    # 7 + 2 + 3 chips of 25: full set of 4 changed, 8 left over are two new ones, exactly
    assert colour_up(actor=director, on=event.pk, table=1, old=25, new=100, holdings={1: 7, 2: 2, 3: 3}).result == {
        "change": 0, "exchanged": 1, "raced": 2, "additional": 0,
    }  # fmt: skip
    done = colour_up(actor=director, on=event.pk, table=1, old=25, new=100, holdings={1: 2, 2: 1})
    assert done.result["change"] == 25
    assert in_play(day) == 100_025
    assert count(hall, 1, 60_025)["difference"] == 0
    undo(actor=director, entry_id=JournalEntry.objects.filter(verb="chips.colour_up").latest("seq").pk)
    assert in_play(day) == 100_000


def test_nobody_is_raced_out_and_the_extra_chip_comes_into_play(hall: tuple[Event, Day, User]):
    event, day, director = hall
    sent = {"table": 1, "old": 25, "new": 100, "holdings": {1: 1, 2: 3}, "only_chips": [1]}
    with pytest.raises(Refused, match="From 0 to 1"):
        colour_up(actor=director, on=event.pk, **sent, additional=2)
    assert colour_up(actor=director, on=event.pk, **sent, additional=1).result["change"] == 100
    assert in_play(day) == 100_100


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    steps=st.lists(st.tuples(st.sampled_from(["forfeit", "correct", "race", "undo"]), st.integers(1, 9)), max_size=6)
)
def test_the_lines_always_add_up(hall: tuple[Event, Day, User], steps: list[tuple[str, int]]):
    """Whatever is done and undone, chips in play are what was issued plus what each command said it changed."""
    event, day, director = hall
    someone = entries_at(event, 1)[0].pk
    expected, last = in_play(day), None
    for what, size in steps:
        if what == "undo":
            if last is None:
                continue
            undo_last(director, event)
            expected, last = expected - last, None
            continue
        if what == "forfeit":
            forfeit_chips(actor=director, on=event.pk, entry_id=someone, chips=size * 100, reason="Hidden")
            last = -size * 100
        elif what == "correct":
            correct_chips(actor=director, on=event.pk, table=1, chips=size * 25, reason="Counted")
            last = size * 25
        else:
            done = colour_up(actor=director, on=event.pk, table=1, old=25, new=100, holdings={1: size})
            last = done.result["change"] if done.seq else None
        expected += last or 0
    assert in_play(day) == expected


def test_undoing_the_buy_in_that_opened_the_tables_closes_them_again():
    event = make_event()
    director = make_director(event.series)
    add_players(event, 1, director)
    assert event.days.get().tables.exists()
    undo_last(director, event)
    assert not event.days.get().tables.exists()
    assert in_play(event.days.get()) == 0

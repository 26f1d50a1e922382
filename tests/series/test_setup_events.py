"""Events and days: what is refused, and what stays once somebody paid for it."""

import datetime as dt
import uuid
from typing import Any

import pytest

from accounts.permissions import Role
from journal import guard
from journal.chain import verify
from journal.errors import NotAllowed, Refused, Stale
from journal.models import JournalEntry
from journal.undo import undo
from series.commands.altering import alter_event, cancel_event
from series.commands.events import add_day, change_day, change_event, create_event
from series.commands.opening import close_event, open_event
from series.models import Day, Event, Level, Series
from tests.factories import add_players, make_director, make_event, make_running_event, make_series, make_user

pytestmark = pytest.mark.django_db
START = dt.datetime(2027, 6, 5, 6, 30, tzinfo=dt.UTC)  # 18:30 in Auckland
GOOD: dict[str, Any] = {
    "name": "Main",
    "starts_at": START,
    "buy_in_cents": 22_000,
    "fee_cents": 3_000,
    "starting_stack": 20_000,
    "chips": (100, 25, 500, 25),
    "seats_per_table": 9,
    "capacity": 90,
}


def make_draft(series: Series | None = None, **fields: Any) -> Event:
    return make_event(series, status=Event.Status.DRAFT, starts_at=START, **fields)


def create(series: Series, **values: Any) -> Event:
    done = create_event(actor=make_director(series), on=series.pk, **GOOD | values)
    return Event.objects.get(pk=done.result["event"])


# --- creating --------------------------------------------------------------------------------------------


def test_a_new_event_is_a_draft_with_its_day_one():
    series = make_series()
    event = create(series)
    day = event.days.get()
    assert (event.status, event.number, event.chips, event.price_cents) == ("draft", 1, [25, 100, 500], 25_000)
    assert (day.label, day.kind, day.starts_at) == ("Day 1", Day.Kind.FLIGHT, START)
    assert create(series).number == 2
    assert {entry.stream for entry in JournalEntry.objects.all()} == {series.stream_key}
    assert not list(verify())


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", ""),
        ("buy_in_cents", -1),
        ("chips", ()),
        ("chips", (0, 25)),
        ("starting_stack", 0),
        ("starting_stack", 20_010),
        ("seats_per_table", 1),
        ("seats_per_table", 11),
        ("capacity", 1),
        ("late_reg_level", 0),
        ("max_reentries", -1),
        ("minimum_age", 17),
    ],
)
def test_a_wrong_term_is_refused_at_its_field(field, value):
    with pytest.raises(Refused) as refused:
        create(make_series(), **{field: value})
    assert refused.value.field == field
    assert not Event.objects.exists()


def test_an_undo_takes_the_event_and_its_day_away_unless_something_came_after():
    series = make_series()
    director = make_director(series)
    create_event(actor=director, on=series.pk, **GOOD)
    created = JournalEntry.objects.get(verb="event.create")
    undo(actor=director, entry_id=created.pk)
    assert not Event.objects.exists()
    assert not Day.objects.exists()
    event = create(series)
    change_event(actor=director, on=event.pk, name="Main Event")
    with pytest.raises(Refused, match="Event Main Event changed"):
        undo(actor=director, entry_id=JournalEntry.objects.filter(verb="event.create").latest("pk").pk)


SET_UP = [
    (change_event, {"name": "Other"}),
    (add_day, {"label": "Day 1B", "starts_at": START}),
    (open_event, {}),
    (close_event, {}),
    (cancel_event, {"reason": "Flood"}),
]


@pytest.mark.parametrize("role", [role for role in Role if role != Role.DIRECTOR])
@pytest.mark.parametrize(("command", "values"), SET_UP)
def test_nobody_but_a_director_sets_up_an_event(role, command, values):
    event = make_draft()
    with pytest.raises(NotAllowed):
        command(actor=make_user(role=role, series=event.series), on=event.pk, **values)
    assert not JournalEntry.objects.exists()


@pytest.mark.parametrize("role", [role for role in Role if role != Role.DIRECTOR])
def test_nobody_but_a_director_creates_an_event(role):
    series = make_series()
    with pytest.raises(NotAllowed):
        create_event(actor=make_user(role=role, series=series), on=series.pk, **GOOD)


# --- changing --------------------------------------------------------------------------------------------

OTHER_TERMS = [
    ("buy_in_cents", 20_000),
    ("fee_cents", 0),
    ("starting_stack", 20_000),
    ("chips", (25, 100)),
    ("seats_per_table", 8),
    ("max_reentries", 2),
    ("minimum_age", 20),
]


@pytest.mark.parametrize(("field", "value"), OTHER_TERMS)
def test_before_the_first_entry_every_term_can_change_and_after_it_none_that_was_paid_for(field, value):
    event = make_event()
    director = make_director(event.series)
    alter_event(actor=director, on=event.pk, reason="Asked for.", **{field: value})
    after = getattr(Event.objects.get(pk=event.pk), field)
    assert after == (list(value) if isinstance(value, tuple) else value)
    paid = make_event()
    director = make_director(paid.series)
    add_players(paid, 1, director)
    with pytest.raises(Refused, match="One player has bought in") as refused:
        change_event(actor=director, on=paid.pk, **{field: value})
    assert (refused.value.field, refused.value.code) == (field, "fixed")
    assert getattr(Event.objects.get(pk=paid.pk), field) == getattr(paid, field)


def test_after_entries_name_places_and_hour_still_change():
    event = make_event(starts_at=START)
    director = make_director(event.series)
    add_players(event, 3, director)
    later = START + dt.timedelta(minutes=45)
    alter_event(actor=director, on=event.pk, reason="Asked for.", name="Main Event", capacity=3, starts_at=later)
    after = Event.objects.get(pk=event.pk)
    assert (after.name, after.capacity, after.starts_at, after.days.get().starts_at) == ("Main Event", 3, later, later)


@pytest.mark.parametrize("hours", [24, -24, 6])  # 18:30 + 6 h is the next date in Auckland, the same in UTC
def test_after_entries_the_local_date_stays(hours):
    event = make_event(starts_at=START)
    director = make_director(event.series)
    add_players(event, 1, director)
    with pytest.raises(Refused) as refused:
        change_event(actor=director, on=event.pk, starts_at=START + dt.timedelta(hours=hours))
    assert (refused.value.field, refused.value.code) == ("starts_at", "fixed")


def test_places_never_fall_below_those_taken_or_held():
    event = make_event()
    director = make_director(event.series)
    add_players(event, 1, director)
    add_players(event, 2, director, paid=False)
    with pytest.raises(Refused, match="3 places are taken or held") as refused:
        change_event(actor=director, on=event.pk, capacity=2)
    assert refused.value.field == "capacity"
    alter_event(actor=director, on=event.pk, reason="Fire door.", capacity=3)


def test_late_registration_moves_until_the_event_runs_and_never_past_the_last_level():
    event = make_event(levels=4)
    director = make_director(event.series)
    alter_event(actor=director, on=event.pk, reason="Traffic.", late_reg_level=4)
    with pytest.raises(Refused) as refused:
        change_event(actor=director, on=event.pk, late_reg_level=5)
    assert refused.value.field == "late_reg_level"
    running, director = make_running_event(4)
    with pytest.raises(Refused, match="is running") as refused:
        change_event(actor=director, on=running.pk, late_reg_level=None)
    assert refused.value.field == "late_reg_level"


def test_an_open_event_keeps_chips_that_its_structure_can_be_played_with():
    event = make_event()
    director = make_director(event.series)
    with pytest.raises(Refused, match="smallest chip") as refused:
        change_event(actor=director, on=event.pk, chips=(1_000,), starting_stack=10_000)
    assert refused.value.field == "chips"
    draft = make_draft()
    change_event(actor=make_director(draft.series), on=draft.pk, chips=(1_000,), starting_stack=10_000)


@pytest.mark.parametrize("status", [Event.Status.FINISHED, Event.Status.CANCELLED])
def test_nothing_of_an_event_that_is_over_changes(status):
    event = make_event(status=status)
    director = make_director(event.series)
    for command, values in ((change_event, {"name": "X"}), (add_day, {"label": "B", "starts_at": START})):
        with pytest.raises(Refused) as refused:
            command(actor=director, on=event.pk, **values)
        assert refused.value.code == "over"


def test_a_change_based_on_an_older_version_is_stale():
    event = make_draft()
    director = make_director(event.series)
    change_event(actor=director, on=event.pk, expected_version=0, name="Second")
    with pytest.raises(Stale):
        change_event(actor=director, on=event.pk, expected_version=0, name="Third")
    change_event(actor=director, on=event.pk, expected_version=1, name="Third")


def test_the_same_form_sent_twice_changes_once():
    event = make_draft()
    director, command_id = make_director(event.series), uuid.uuid4()
    change_event(actor=director, on=event.pk, command_id=command_id, name="Second")
    change_event(actor=director, on=event.pk, name="Third")
    assert change_event(actor=director, on=event.pk, command_id=command_id, name="Second").repeated
    assert Event.objects.get(pk=event.pk).name == "Third"


# --- days ------------------------------------------------------------------------------------------------


def test_a_second_flight_makes_day_1_day_1a():
    event = make_draft()
    add_day(actor=make_director(event.series), on=event.pk, label="Day 1B", starts_at=START + dt.timedelta(days=1))
    assert list(event.days.values_list("number", "label")) == [(1, "Day 1A"), (2, "Day 1B")]


def test_an_earlier_flight_moves_the_start_of_the_event_but_not_to_an_earlier_date_once_people_paid():
    event = make_draft()
    director = make_director(event.series)
    earlier = START - dt.timedelta(days=1)
    add_day(actor=director, on=event.pk, label="Friday", starts_at=earlier)
    assert Event.objects.get(pk=event.pk).starts_at == earlier
    paid = make_event(starts_at=START)
    director = make_director(paid.series)
    add_players(paid, 1, director)
    with pytest.raises(Refused, match="their age was checked") as refused:
        add_day(actor=director, on=paid.pk, label="Friday", starts_at=earlier)
    assert refused.value.field == "starts_at"
    assert paid.days.count() == 1


@pytest.mark.django_db(transaction=True)
def test_a_refusal_after_the_first_write_leaves_nothing_behind():
    event = make_event(starts_at=START)
    director = make_director(event.series)
    add_players(event, 1, director)
    entries = JournalEntry.objects.count()
    with pytest.raises(Refused):
        add_day(actor=director, on=event.pk, label="Friday", starts_at=START - dt.timedelta(days=1))
    assert list(event.days.values_list("label", flat=True)) == ["Day 1"]
    assert JournalEntry.objects.count() == entries
    add_day(actor=director, on=event.pk, label="Sunday", starts_at=START + dt.timedelta(days=1))
    assert not list(verify())


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("label", {"label": " "}),
        ("label", {"label": "day 1"}),
        ("label", {"label": "x" * 21}),
        ("kind", {"kind": "evening"}),
        ("starts_at", {"kind": Day.Kind.LATER, "starts_at": START - dt.timedelta(days=1)}),
    ],
)
def test_a_wrong_day_is_refused_at_its_field(field, values):
    event = make_draft()
    wanted = {"label": "Day 2", "starts_at": START + dt.timedelta(days=1)} | values
    with pytest.raises(Refused) as refused:
        add_day(actor=make_director(event.series), on=event.pk, **wanted)
    assert refused.value.field == field


def test_a_day_with_entries_keeps_its_date_and_one_of_another_event_is_not_found():
    event = make_event(starts_at=START)
    director = make_director(event.series)
    add_players(event, 1, director)
    day = event.days.get()
    given: dict[str, Any] = {"actor": director, "day_id": day.pk, "reason": "The hall is not ready."}
    change_day(**given, on=event.pk, label="Saturday", starts_at=START + dt.timedelta(hours=1))
    assert Event.objects.get(pk=event.pk).starts_at == START + dt.timedelta(hours=1)
    with pytest.raises(Refused, match="Only the hour"):
        change_day(**given, on=event.pk, label="Sunday", starts_at=START + dt.timedelta(days=1))
    other = make_event(event.series)
    with pytest.raises(Refused, match="no such day"):
        change_day(**given, on=other.pk, label="Mine", starts_at=START)


# --- opening, closing, cancelling ------------------------------------------------------------------------


def test_an_event_opens_when_nothing_is_missing_and_each_missing_thing_is_named():
    series = make_series(published=False)
    event = make_draft(series, levels=0)
    director = make_director(series)

    def refusal() -> str:
        with pytest.raises(Refused) as refused:
            open_event(actor=director, on=event.pk)
        return refused.value.code

    assert refusal() == "no_structure"
    with_levels = make_draft(series, levels=2, late_reg_level=3)
    with pytest.raises(Refused, match="Late registration ends after the last level"):
        open_event(actor=director, on=with_levels.pk)
    event = make_draft(series)
    assert refusal() == "no_publish"
    with guard.writing():
        series.rulebook_versions.update(status="superseded")
    assert refusal() == "no_rulebook"
    with guard.writing():
        series.rulebook_versions.update(status="in_force")
        Series.objects.update(published=True)
    open_event(actor=director, on=event.pk)
    event.refresh_from_db()
    assert event.status == Event.Status.OPEN
    assert event.is_public
    with pytest.raises(Refused):
        open_event(actor=director, on=event.pk)


def test_levels_are_judged_in_their_order_not_in_that_of_their_rows():
    event = make_draft(levels=0)
    with guard.writing():
        for position in (1, 0):
            Level.objects.create(
                event=event, position=position, number=position + 1, minutes=20,
                small_blind=25 * 2**position, big_blind=50 * 2**position,
            )  # fmt: skip
    open_event(actor=make_director(event.series), on=event.pk)


def test_an_open_event_closes_again_only_while_nobody_holds_a_place():
    event = make_event()
    director = make_director(event.series)
    close_event(actor=director, on=event.pk)
    assert Event.objects.get(pk=event.pk).status == Event.Status.DRAFT
    open_event(actor=director, on=event.pk)
    add_players(event, 1, director, paid=False)
    with pytest.raises(Refused) as refused:
        close_event(actor=director, on=event.pk)
    assert refused.value.code == "registered"


def test_cancelling_needs_a_reason_cites_rule_54_and_can_be_undone():
    event = make_event()
    director = make_director(event.series)
    with pytest.raises(Refused) as refused:
        cancel_event(actor=director, on=event.pk, reason="  ")
    assert refused.value.field == "reason"
    cancel_event(actor=director, on=event.pk, reason="The hall is flooded.")
    assert Event.objects.get(pk=event.pk).status == Event.Status.CANCELLED
    entry = JournalEntry.objects.get()
    assert (entry.reason, entry.rule) == ("The hall is flooded.", "54")
    with pytest.raises(Refused):
        cancel_event(actor=director, on=event.pk, reason="Again")
    undo(actor=director, entry_id=entry.pk)
    assert Event.objects.get(pk=event.pk).status == Event.Status.OPEN

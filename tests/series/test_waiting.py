"""Places held until an instant, caps, the waiting list, calls in order, check-in."""

import datetime as dt
from collections.abc import Iterator
from typing import Any

import pytest
import time_machine
from django.test import override_settings

from accounts.models import User
from accounts.permissions import Role
from journal import guard
from journal.actors import Visitor
from journal.chain import verify
from journal.errors import NotAllowed, Refused
from journal.models import JournalEntry
from journal.undo import undo
from series.commands import waiting
from series.commands.events import change_day
from series.commands.exclusions import exclude, exclude_self
from series.commands.people import register, sight_id, withdraw, withdraw_own
from series.commands.place_rules import change_place_rules
from series.letters import compose
from series.models import Day, Entry, Event, Exclusion, Letter, Organiser, Registration
from series.reads.places import places_left
from tables.commands.calls import call_waiting
from tables.commands.entries import buy_in, reenter
from tables.commands.floor import bust
from tables.reads.waiting import position_of, waiting_list
from tables.tasks import give_out_places
from tests.factories import add_players, make_director, make_event, make_running_event, make_user
from tests.tables.full_hall import FullHall, join

pytestmark = pytest.mark.django_db

NOW = dt.datetime(2026, 7, 1, 0, 0, tzinfo=dt.UTC)
START = NOW + dt.timedelta(hours=10)
Status = Registration.Status


@pytest.fixture
def clock() -> Iterator[Any]:
    with time_machine.travel(NOW, tick=False) as travelling:
        yield travelling


def event_of(capacity: int, **fields: Any) -> tuple[Event, User]:
    event = make_event(capacity=capacity, starts_at=START, **{"hold_minutes": 30} | fields)
    return event, make_director(event.series)


def statuses(event: Event) -> list[str]:
    return list(event.registrations.order_by("pk").values_list("status", flat=True))


def letters(event: Event) -> list[str]:
    return list(Letter.objects.filter(registration__event=event).order_by("pk").values_list("kind", flat=True))


# --- holds ------------------------------------------------------------------------------------------------------------


def test_a_no_show_is_released_at_the_instant_and_may_register_again(clock: Any) -> None:
    event, director = event_of(2)
    row = join(event, director, "Ana")
    assert row.held_until == START - dt.timedelta(minutes=30)
    clock.move_to(row.held_until - dt.timedelta(seconds=1))
    give_out_places()
    assert statuses(event) == [Status.REGISTERED]
    clock.move_to(row.held_until)
    give_out_places()
    give_out_places()
    row.refresh_from_db()
    assert (row.status, row.released_at) == (Status.RELEASED, row.held_until)
    assert JournalEntry.objects.filter(verb="registration.release").count() == 1
    assert places_left(event, row.held_until) == 2
    assert letters(event) == ["registered", "released"]
    again = register(actor=director, on=event.pk, player_id=row.player_id).result["registration"]
    fresh = Registration.objects.get(pk=again)
    assert fresh.held_until == row.held_until + dt.timedelta(minutes=15)


def test_who_is_here_keeps_the_place(clock: Any) -> None:
    event, director = event_of(5)
    here, sighted, absent = (join(event, director, name) for name in ("Ana", "Ben", "Cy"))
    waiting.check_in(actor=director, on=event.pk, registration_id=here.pk)
    sight_id(actor=director, on=event.pk, player_id=sighted.player_id, kind="passport")
    clock.move_to(START)
    give_out_places()
    assert statuses(event) == [Status.REGISTERED, Status.REGISTERED, Status.RELEASED]
    with pytest.raises(Refused, match="no place held"):
        waiting.check_in(actor=director, on=event.pk, registration_id=absent.pk)


def test_without_the_option_places_are_held_until_registration_closes(clock: Any) -> None:
    event, director = event_of(5, hold_minutes=None)
    assert join(event, director, "Ana").held_until is None
    clock.move_to(START + dt.timedelta(minutes=5))
    give_out_places()
    assert statuses(event) == [Status.REGISTERED]


def test_a_moved_start_and_a_changed_rule_move_the_holds(clock: Any) -> None:
    event, director = event_of(5)
    row = join(event, director, "Ana")
    day = event.days.get()
    later = START + dt.timedelta(hours=1)
    change_day(actor=director, on=event.pk, day_id=day.pk, label=day.label, starts_at=later, reason="A late flight.")
    row.refresh_from_db()
    assert row.held_until == later - dt.timedelta(minutes=30)
    rules = {"hall_seats": None, "call_minutes": 10, "early_call_minutes": 60, "caps": {}}
    change_place_rules(actor=director, on=event.pk, hold_minutes=60, **rules, reason="A late flight.")
    row.refresh_from_db()
    assert row.held_until == later - dt.timedelta(minutes=60)


def test_an_undone_release_holds_the_place_unless_it_is_gone(clock: Any) -> None:
    event, director = event_of(2)
    first = join(event, director, "Ana")
    clock.move_to(START)
    give_out_places()
    released = JournalEntry.objects.get(verb="registration.release")
    undo(actor=director, entry_id=released.pk)
    give_out_places()
    first.refresh_from_db()
    assert (first.status, first.held_until) == (Status.REGISTERED, None)
    given_back = withdraw(actor=director, on=event.pk, registration_id=first.pk)
    add_players(event, 2, director)
    entry = JournalEntry.objects.get(stream=event.stream_key, seq=given_back.seq)
    with pytest.raises(Refused, match="went to somebody else"):
        undo(actor=director, entry_id=entry.pk)


def test_an_undone_buy_in_after_the_instant_is_not_released_at_once(clock: Any) -> None:
    event, director = event_of(2)
    row = join(event, director, "Ana")
    clock.move_to(START - dt.timedelta(minutes=40))
    buy_in(actor=director, on=event.pk, registration_id=row.pk, method="cash", id_kind="passport")
    clock.move_to(START)
    undo(actor=director, entry_id=JournalEntry.objects.get(verb="entry.buy_in").pk)
    give_out_places()
    row.refresh_from_db()
    assert (row.status, row.held_until) == (Status.REGISTERED, None)


# --- the waiting list -------------------------------------------------------------------------------------------------


def test_a_full_event_refuses_and_has_a_waiting_list(clock: Any) -> None:
    event, director = event_of(2)
    add_players(event, 2, director, paid=False)
    with pytest.raises(Refused, match="There is a waiting list") as refused:
        register(actor=director, on=event.pk, name="Ana", birth_date=dt.date(1990, 1, 1))
    assert refused.value.code == "full"
    row = join(event, director, "Ana")
    assert (row.status, row.held_until) == (Status.WAITING, None)
    with pytest.raises(Refused, match="registered here already"):
        register(actor=director, on=event.pk, player_id=row.player_id, waiting=True)


def test_places_go_to_those_who_wait_in_order_and_to_nobody_new(clock: Any) -> None:
    event, director = event_of(2)
    held = add_players(event, 2, director, paid=False)
    first, second = join(event, director, "Ana"), join(event, director, "Ben")
    for row in held:
        withdraw(actor=director, on=event.pk, registration_id=row["registration"])
    assert places_left(event, NOW) == 0
    with pytest.raises(Refused, match="full"):
        register(actor=director, on=event.pk, name="Cy", birth_date=dt.date(1990, 1, 1))
    third = join(event, director, "Dee")
    give_out_places()
    give_out_places()
    for row, status in ((first, Status.CALLED), (second, Status.CALLED), (third, Status.WAITING)):
        row.refresh_from_db()
        assert row.status == status
    assert first.called_at == NOW
    assert first.held_until == START - dt.timedelta(minutes=30)
    assert JournalEntry.objects.filter(verb="waiting.call").count() == 1


def test_a_call_is_accepted_or_passes_on(clock: Any) -> None:
    event, director = event_of(2, early_call_minutes=60)
    held = add_players(event, 2, director, paid=False)
    first, second = join(event, director, "Ana"), join(event, director, "Ben")
    withdraw(actor=director, on=event.pk, registration_id=held[0]["registration"])
    give_out_places()
    with pytest.raises(Refused, match="not called"):
        waiting.accept_call(actor=Visitor(), on=event.pk, token=second.player.token)
    clock.move_to(NOW + dt.timedelta(minutes=60))
    with pytest.raises(Refused, match="call has ended"):
        waiting.accept_call(actor=Visitor(), on=event.pk, token=first.player.token)
    clock.move_to(NOW + dt.timedelta(minutes=60, seconds=1))
    with pytest.raises(Refused, match="call has ended") as ended:
        buy_in(actor=director, on=event.pk, registration_id=first.pk, method="cash", id_kind="passport")
    assert ended.value.code == "call_ended"
    give_out_places()
    first.refresh_from_db()
    second.refresh_from_db()
    assert (first.status, second.status) == (Status.RELEASED, Status.CALLED)
    waiting.accept_call(actor=Visitor(), on=event.pk, token=second.player.token)
    second.refresh_from_db()
    assert (second.status, second.held_until) == (Status.REGISTERED, START - dt.timedelta(minutes=30))
    assert letters(event) == ["registered", "registered", "waiting", "waiting", "called", "released", "called"]


def test_alternates_are_called_when_a_seat_is_free_and_pay_at_the_desk() -> None:
    event, director = make_running_event(4, hall_seats=4, capacity=20, hold_minutes=90, max_reentries=1)
    assert places_left(event, dt.datetime.now(dt.UTC)) == 0
    with pytest.raises(Refused, match="All seats are taken"):
        register(actor=director, on=event.pk, name="Cy", birth_date=dt.date(1990, 1, 1))
    row = join(event, director, "Ana")
    give_out_places()
    assert row.status == Status.WAITING
    out = event.entries.order_by("pk")[0]
    bust(actor=director, on=event.pk, entry_ids=[out.pk])
    with pytest.raises(Refused, match="All seats are taken"):
        reenter(actor=director, on=event.pk, player_id=out.player_id, method="cash")
    give_out_places()
    row.refresh_from_db()
    assert row.status == Status.CALLED
    assert row.held_until is not None
    assert row.called_at is not None
    assert row.held_until - row.called_at == dt.timedelta(minutes=15)
    with pytest.raises(Refused, match="pay there"):
        waiting.accept_call(actor=Visitor(), on=event.pk, token=row.player.token)
    buy_in(actor=director, on=event.pk, registration_id=row.pk, method="cash", id_kind="passport")
    assert Entry.objects.filter(event=event, status="playing").count() == 4


def test_a_flight_has_its_own_cap(clock: Any) -> None:
    event, director = event_of(10)
    with guard.writing():
        second = Day.objects.create(event=event, number=2, label="Day 1B", starts_at=START + dt.timedelta(days=1))
        Day.objects.filter(event=event, number=1).update(capacity=1)
    first = event.days.get(number=1)
    join(event, director, "Ana", day_id=first.pk)
    with pytest.raises(Refused, match="Day 1 is full"):
        register(actor=director, on=event.pk, day_id=first.pk, name="Ben", birth_date=dt.date(1990, 1, 1))
    for number in range(3):
        assert join(event, director, f"W{number}", day_id=first.pk).status == Status.WAITING
    assert places_left(event, NOW) == 9
    assert join(event, director, "Cy", day_id=second.pk).status == Status.REGISTERED


def test_the_desk_calls_and_skips_with_a_reason(clock: Any) -> None:
    event, director = event_of(2)
    held = add_players(event, 2, director, paid=False)
    first, second = join(event, director, "Ana"), join(event, director, "Ben")
    with pytest.raises(Refused, match="no place for them"):
        call_waiting(actor=director, on=event.pk, registration_id=second.pk)
    withdraw(actor=director, on=event.pk, registration_id=held[0]["registration"])
    call_waiting(actor=director, on=event.pk, registration_id=second.pk)
    with pytest.raises(Refused) as refused:
        waiting.skip_waiting(actor=director, on=event.pk, registration_id=second.pk)
    assert refused.value.field == "reason"
    waiting.skip_waiting(actor=director, on=event.pk, registration_id=second.pk, reason="went home")
    with pytest.raises(Refused, match="not on the waiting list"):
        waiting.skip_waiting(actor=director, on=event.pk, registration_id=second.pk, reason="again")
    give_out_places()
    first.refresh_from_db()
    assert first.status == Status.CALLED


@pytest.mark.parametrize("role", [Role.DEALER, Role.EDITOR, Role.AUDITOR])
def test_who_may(clock: Any, role: str) -> None:
    event, director = event_of(2)
    row = join(event, director, "Ana")
    user = make_user(role=role, series=event.series)
    for command, given in (
        (call_waiting, {}),
        (waiting.skip_waiting, {"registration_id": row.pk}),
        (waiting.check_in, {"registration_id": row.pk}),
        (waiting.release_lapsed, {}),
        (waiting.release_excluded, {}),
    ):
        with pytest.raises(NotAllowed):
            command(actor=user, on=event.pk, **given)


def test_places_of_the_excluded_go_to_others_without_a_name(clock: Any) -> None:
    event, director = event_of(2)
    row = join(event, director, "Ana")
    given = {"name": "Ana", "birth_date": dt.date(1990, 1, 1), "until": None, "why": "x"}
    exclude(actor=director, on=event.series_id, **given)
    assert Exclusion.objects.get().player_id == row.player_id
    give_out_places()
    assert statuses(event) == [Status.WITHDRAWN]
    assert JournalEntry.objects.latest("pk").text == "A place was given back"


def test_caps_are_checked(clock: Any) -> None:
    event, director = event_of(5)
    add_players(event, 3, director, paid=False)
    day = event.days.get()
    rules: dict[str, Any] = {"hall_seats": 18, "hold_minutes": 30, "call_minutes": 15, "early_call_minutes": 60}
    for wrong, field in (
        ({"caps": {day.pk: 2}}, f"cap_{day.pk}"),
        ({"caps": {day.pk: 0}}, f"cap_{day.pk}"),
        ({"hall_seats": 1}, "hall_seats"),
        ({"hold_minutes": -1}, "hold_minutes"),
        ({"call_minutes": 0}, "call_minutes"),
        ({"early_call_minutes": 10**9}, "early_call_minutes"),
    ):
        with pytest.raises(Refused) as refused:
            change_place_rules(actor=director, on=event.pk, **rules | {"caps": {}} | wrong)
        assert refused.value.field == field
    change_place_rules(actor=director, on=event.pk, **rules, caps={day.pk: 3}, reason="A smaller hall.")
    assert places_left(event, NOW) == 0


@override_settings(BASE_URL="https://example.nz")
def test_the_mails_say_until_when(clock: Any) -> None:
    event, director = event_of(2)
    row = join(event, director, "Ana")
    _, text = compose(Letter.objects.get(registration=row))
    assert "held until Wed 1 Jul, 21:30" in text
    for kind, words in (
        ("waiting", "waiting list"),
        ("called", "Answer by Wed 1 Jul, 21:30"),
        ("released", "released"),
    ):
        subject, text = compose(Letter(registration=row, kind=kind, at=NOW))
        assert subject
        assert words in text


def test_undo_gives_no_place_back_that_the_flight_has_given_on(clock: Any):
    event, director = event_of(10)
    with guard.writing():
        Day.objects.filter(event=event).update(capacity=1)
    first = join(event, director, "a")
    withdraw(actor=director, on=event.pk, registration_id=first.pk)
    given_back = JournalEntry.objects.latest("pk")
    join(event, director, "b")
    with pytest.raises(Refused, match="Day 1 is full"):
        undo(actor=director, entry_id=given_back.pk)
    assert statuses(event) == [Status.WITHDRAWN, Status.REGISTERED]


def test_undo_gives_no_place_back_where_the_hall_has_no_seat(clock: Any):
    event, director = event_of(10, hall_seats=2)
    first = join(event, director, "a")
    add_players(event, 1, director)
    withdraw(actor=director, on=event.pk, registration_id=first.pk)
    given_back = JournalEntry.objects.latest("pk")
    add_players(event, 1, director)
    with pytest.raises(Refused, match="all seats are taken"):
        undo(actor=director, entry_id=given_back.pk)
    with guard.writing():
        Event.objects.filter(pk=event.pk).update(hall_seats=3)
    undo(actor=director, entry_id=given_back.pk)
    first.refresh_from_db()
    assert first.status == Status.REGISTERED


# --- re-entries in a hall whose seats are all taken -------------------------------------------------------------------
def test_a_re_entry_waits_for_a_seat_in_one_line_with_the_alternates():
    hall = FullHall()
    first = join(hall.event, hall.director, "Ana")
    with pytest.raises(Refused, match="Put them on the waiting list"):
        hall.reenter()
    place = hall.wait()
    assert (place.status, place.again_on) == (Status.WAITING, hall.event.days.get())
    last = join(hall.event, hall.director, "Ben")
    assert [row.player_id for row in waiting_list(hall.event, place.waits_since).waiting] == [
        first.player_id, hall.out.player_id, last.player_id,
    ]  # fmt: skip
    assert position_of(place) == 2
    hall.bust(0)
    give_out_places()
    assert hall.place.status == Status.WAITING
    hall.bust(0)
    give_out_places()
    assert hall.place.status == Status.CALLED
    with pytest.raises(Refused, match="no place here that waits"):
        buy_in(actor=hall.director, on=hall.event.pk, registration_id=place.pk, method="cash")
    with pytest.raises(Refused, match="pay there"):
        waiting.accept_call(actor=Visitor(), on=hall.event.pk, token=place.player.token)
    assert hall.reenter()["entry"]
    place = hall.place
    assert (place.status, place.again_at, place.held_until) == (Status.ENTERED, None, None)
    last.refresh_from_db()
    assert last.status == Status.WAITING


def test_a_re_entry_waits_also_where_every_place_of_the_event_is_taken():
    hall = FullHall(capacity=5)
    hall.wait()
    hall.bust(0)
    give_out_places()
    assert hall.place.status == Status.CALLED
    with pytest.raises(Refused, match="full"):
        register(actor=hall.director, on=hall.event.pk, name="Cy", birth_date=dt.date(1990, 1, 1))


def test_a_call_for_a_re_entry_that_is_not_answered_goes_on_and_the_player_has_still_played():
    hall = FullHall()
    hall.wait()
    with pytest.raises(Refused, match="on the waiting list already"):
        hall.wait()
    hall.bust(0)
    give_out_places()
    row = join(hall.event, hall.director, "Ana")
    assert hall.place.held_until is not None
    with time_machine.travel(hall.place.held_until + dt.timedelta(seconds=1)):
        give_out_places()
        row.refresh_from_db()
        assert (hall.place.status, hall.place.again_at, row.status) == (Status.ENTERED, None, Status.CALLED)
        with pytest.raises(Refused, match="All seats are taken"):
            hall.reenter()
        released = JournalEntry.objects.get(verb="registration.release")
        with pytest.raises(Refused, match="seats are taken"):
            undo(actor=hall.director, entry_id=released.pk)
    assert "released" in letters(hall.event)


def test_a_player_leaves_the_line_or_is_taken_off_it_and_stays_entered():
    hall = FullHall()
    place = hall.wait()
    withdraw_own(actor=Visitor(), on=hall.event.pk, token=place.player.token)
    assert hall.place.status == Status.ENTERED
    place = hall.wait()
    waiting.skip_waiting(actor=hall.director, on=hall.event.pk, registration_id=place.pk, reason="Went home.")
    assert hall.place.status == Status.ENTERED
    hall.wait()
    given: dict[str, Any] = {"token": place.player.token, "months": 1, "sure": True}
    exclude_self(actor=Visitor(), on=Organiser.objects.get().pk, **given)
    give_out_places()
    assert hall.place.status == Status.ENTERED


def test_nobody_waits_while_a_seat_is_free_and_a_taken_re_entry_can_be_undone():
    hall = FullHall()
    hall.bust(0)
    with pytest.raises(Refused, match="A seat is free"):
        hall.wait()
    add_players(hall.event, 1, hall.director)
    hall.wait()
    hall.bust(0)
    give_out_places()
    hall.reenter()
    undo(actor=hall.director, entry_id=JournalEntry.objects.get(verb="entry.reenter").pk)
    assert (hall.place.status, hall.place.again_on) == (Status.CALLED, hall.event.days.get())
    hall.reenter()
    assert not list(verify())

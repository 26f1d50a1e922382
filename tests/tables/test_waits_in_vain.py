"""Waits for a re-entry end when the player is in play again, or can have no re-entry any more."""

import datetime as dt
from typing import Any

import pytest
import time_machine

from journal import guard
from journal.chain import verify
from journal.errors import Refused
from rulings.penalty_commands import give_penalty
from series.commands.people import withdraw
from series.letters import compose
from series.models import Day, Entry, Event, Letter, Registration
from tables.commands.calls import call_waiting, release_in_vain
from tables.commands.purchases import rebuy
from tables.commands.refunds import refund_entry
from tables.tasks import give_out_places
from tests.factories import add_players
from tests.tables.buying import TERMS, go_to
from tests.tables.full_hall import FullHall, join

pytestmark = pytest.mark.django_db

Status = Registration.Status


def stands(hall: FullHall) -> tuple[str, bool, str]:
    """The player's registration, whether it waits for a re-entry, and their last entry."""
    entry = hall.event.entries.filter(player=hall.out.player_id).latest("number")
    return hall.place.status, hall.place.again_at is not None, entry.status


# --- in play again ----------------------------------------------------------------------------------------------------
def test_an_undone_bust_ends_the_wait_and_its_redo_brings_it_back():
    hall = FullHall(in_line=True)
    hall.wait()
    hall.undo("entry.bust")
    assert stands(hall) == (Status.ENTERED, False, Entry.Status.PLAYING)
    hall.undo("undo")
    assert stands(hall) == (Status.WAITING, True, Entry.Status.OUT)
    assert not list(verify())


def test_the_redo_of_a_bust_brings_a_call_back_while_there_is_a_seat():
    hall = FullHall(in_line=True)
    hall.wait()
    call_waiting(actor=hall.director, on=hall.event.pk, registration_id=hall.place.pk)
    hall.undo("entry.bust")
    assert stands(hall) == (Status.ENTERED, False, Entry.Status.PLAYING)
    assert hall.place.held_until is None
    hall.undo("undo")
    assert stands(hall) == (Status.CALLED, True, Entry.Status.OUT)


def test_a_rebuy_at_once_ends_the_wait_and_its_undo_brings_it_back():
    hall = FullHall(in_line=True, entry_rules=TERMS)
    hall.wait()
    rebuy(actor=hall.director, on=hall.event.pk, entry_id=hall.out.pk, method="cash")
    assert stands(hall) == (Status.ENTERED, False, Entry.Status.PLAYING)
    hall.undo("entry.rebuy")
    assert stands(hall) == (Status.WAITING, True, Entry.Status.OUT)
    hall.undo("undo")
    assert stands(hall) == (Status.ENTERED, False, Entry.Status.PLAYING)


@pytest.mark.parametrize("left", ["registration.withdraw", "entry.wait"])
def test_nobody_who_plays_is_put_back_on_the_list(left: str):
    hall = FullHall()
    place = hall.wait()
    if left == "entry.wait":
        hall.undo("entry.wait")
    else:
        withdraw(actor=hall.director, on=hall.event.pk, registration_id=place.pk)
    hall.bust(0)
    hall.reenter()
    with pytest.raises(Refused, match="nobody who plays waits"):
        hall.undo("undo" if left == "entry.wait" else left)
    assert stands(hall) == (Status.ENTERED, False, Entry.Status.PLAYING)


def test_an_entry_given_back_waits_for_nothing():
    hall = FullHall()
    someone = hall.event.entries.filter(status="playing")[0]
    rows = Registration.objects.filter(event=hall.event, player=someone.player_id)
    with guard.writing():  # as an undone bust left it before waits ended by themselves
        rows.update(status=Status.WAITING, again_on=someone.day, again_at=someone.at)
    refund_entry(actor=hall.director, on=hall.event.pk, entry_id=someone.pk, reason="Fell ill.")
    assert rows.values_list("status", "again_on", "again_at").get() == (Status.WITHDRAWN, None, None)


# --- no re-entry any more ---------------------------------------------------------------------------------------------
def disqualify(hall: FullHall) -> str:
    given: dict[str, Any] = {"offence": "abuse", "facts": "Shouted.", "sanction": "disqualification", "chips": 0}
    give_penalty(actor=hall.director, on=hall.event.pk, entry_id=hall.out.pk, **given)
    return "was disqualified"


def go_past_the_window(hall: FullHall) -> str:
    go_to(hall.event, hall.director, 1)
    return "Re-entries ended with level 1"


@pytest.mark.parametrize("end", [disqualify, go_past_the_window])
def test_who_can_have_no_re_entry_any_more_is_not_called(end: Any):
    hall = FullHall(entry_rules={"reentry_until": 1}, late_reg_level=3)
    place = hall.wait()
    alternate = join(hall.event, hall.director, "Ana")
    give_out_places()
    assert hall.place.status == Status.WAITING
    words = end(hall)
    hall.bust(0)
    with pytest.raises(Refused, match=words):
        call_waiting(actor=hall.director, on=hall.event.pk, registration_id=place.pk)
    assert call_waiting(actor=hall.director, on=hall.event.pk).result["called"] == [alternate.pk]
    assert hall.place.status == Status.WAITING
    give_out_places()
    assert stands(hall) == (Status.ENTERED, False, Entry.Status.OUT)
    assert [letter.kind for letter in hall.place.letters.order_by("pk")][-1] == "released"
    with pytest.raises(Refused, match=words):
        hall.undo("waiting.release")
    assert stands(hall)[0] == Status.ENTERED


def test_a_call_blocks_no_seat_once_the_window_is_over_and_comes_back_with_it():
    hall = FullHall(entry_rules={"reentry_until": 1}, late_reg_level=3)
    hall.wait()
    hall.bust(0)
    give_out_places()
    alternate = join(hall.event, hall.director, "Ana")
    assert (hall.place.status, alternate.status) == (Status.CALLED, Status.WAITING)
    go_to(hall.event, hall.director, 1)
    assert release_in_vain(actor=hall.director, on=hall.event.pk).result["released"] == 1
    go_to(hall.event, hall.director, 0)
    hall.undo("waiting.release")
    assert hall.place.status == Status.CALLED
    go_to(hall.event, hall.director, 1)
    give_out_places()
    alternate.refresh_from_db()
    assert (hall.place.status, alternate.status) == (Status.ENTERED, Status.CALLED)


def test_who_is_in_play_again_is_taken_off_the_list():
    hall = FullHall()
    someone = hall.event.entries.filter(status="playing")[0]
    rows = Registration.objects.filter(event=hall.event, player=someone.player_id)
    with guard.writing():  # as an undone bust left it before waits ended by themselves
        rows.update(status=Status.WAITING, again_on=someone.day, again_at=someone.at)
    give_out_places()
    assert rows.get().status == Status.ENTERED


# --- words ------------------------------------------------------------------------------------------------------------
def second_day(event: Event) -> Day:
    with guard.writing():
        starts_at = dt.datetime(2031, 3, 4, 5, 0, tzinfo=dt.UTC)
        return Day.objects.create(event=event, number=2, label="Day 1B", starts_at=starts_at)


def test_a_call_names_the_flight_they_wait_for():
    hall = FullHall()
    later = second_day(hall.event)
    place = hall.wait()
    _, text = compose(Letter(registration=place, kind="called", at=place.waits_since))
    assert "4 Mar" not in text
    place.again_on = later
    _, text = compose(Letter(registration=place, kind="called", at=place.waits_since))
    assert "4 Mar" in text


def test_the_end_of_a_wait_is_told_as_that_and_not_as_a_place_released():
    hall = FullHall()
    hall.wait()
    hall.bust(0)
    give_out_places()
    held_until = hall.place.held_until
    assert held_until is not None
    with time_machine.travel(held_until + dt.timedelta(seconds=1)):
        with pytest.raises(Refused, match="The call has ended"):
            hall.reenter()
        give_out_places()
        subject, text = compose(Letter.objects.get(registration=hall.place, kind="released"))
    assert subject.startswith("Your wait for a re-entry")
    assert "The call ended" in text
    assert "sign up again" not in text
    assert "was released" not in text


def test_who_waits_already_is_told_that():
    hall = FullHall()
    hall.wait()
    with pytest.raises(Refused, match="is on the waiting list already"):
        hall.reenter()


def test_a_first_place_that_lapsed_is_told_as_before():
    hall = FullHall(hall_seats=10)
    held = add_players(hall.event, 1, hall.director, paid=False)[0]
    place = Registration.objects.get(pk=held["registration"])
    subject, text = compose(Letter(registration=place, kind="released", at=place.at))
    assert "was released" in subject
    assert "sign up again" in text

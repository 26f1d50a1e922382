"""The tournament clock by commands: instants, catching up, late registration closing by itself, roles."""

import datetime as dt
import time
from unittest import mock

import pytest
import time_machine
from django.utils import timezone

from accounts.permissions import Role
from journal import guard
from journal.errors import NotAllowed, Refused, Stale
from journal.models import JournalEntry
from series.commands.people import register
from series.models import Day, Event
from tables.commands.clock import (
    CLOCK,
    adjust_clock,
    advance_clock,
    jump_clock,
    pause_after_level,
    pause_clock,
    resume_clock,
    start_clock,
)
from tables.models import Clock
from tables.tasks import carry_out_due, sweep
from tests.factories import add_players, make_director, make_event, make_running_event, make_user

pytestmark = pytest.mark.django_db
MINUTE = dt.timedelta(minutes=1)


def set_clock(**values: object) -> None:
    """Time passes for the test."""
    with guard.writing():
        Clock.objects.update(**values)


def test_starting_pins_the_rulebook_and_says_when_late_registration_ends():
    event, _ = make_running_event(3, minutes=20, late_reg_level=2)
    clock, day = Clock.objects.get(), Day.objects.get()
    assert event.status == Event.Status.RUNNING
    assert event.rulebook_version == event.series.rulebook_versions.get()
    started = JournalEntry.objects.get(verb="clock.start").at
    assert clock.ends_at == started + 20 * MINUTE
    assert (day.entries_close_at, day.entries_closed) == (started + 40 * MINUTE, False)


def test_a_day_starts_with_two_seated_players_and_everybody_seated():
    event = make_event(seat_at_buy_in=False)
    director = make_director(event.series)
    with pytest.raises(Refused, match="two players"):
        start_clock(actor=director, on=event.pk)
    add_players(event, 3, director)
    with pytest.raises(Refused, match="3 entered players have no seat"):
        start_clock(actor=director, on=event.pk)


def test_pause_and_resume_keep_what_is_left_to_the_microsecond():
    event, director = make_running_event(3)
    ends_at = Clock.objects.get().ends_at
    pause_clock(actor=director, on=event.pk)
    paused = JournalEntry.objects.latest("id").at
    clock = Clock.objects.get()
    assert (clock.ends_at, clock.remaining) == (None, ends_at - paused)
    assert Day.objects.get().entries_close_at is None
    resume_clock(actor=director, on=event.pk)
    resumed = JournalEntry.objects.latest("id").at
    assert Clock.objects.get().ends_at == resumed + (ends_at - paused)


def test_an_outage_is_caught_up_level_by_level_from_the_instants_that_were_due():
    make_running_event(3, levels=8, minutes=1, late_reg_level=2)
    due = timezone.now() - 3 * MINUTE - dt.timedelta(seconds=10)
    set_clock(ends_at=due)
    carry_out_due()
    carry_out_due()
    clock = Clock.objects.get()
    changes = JournalEntry.objects.filter(verb="clock.level").order_by("seq")
    assert [entry.result["due"] for entry in changes] == [(due + step * MINUTE).isoformat() for step in range(4)]
    assert (clock.position, clock.ends_at) == (4, due + 4 * MINUTE)
    assert Day.objects.get().entries_closed


def test_a_machine_clock_set_forward_and_back_loses_and_doubles_no_level():
    make_running_event(3, levels=8, minutes=1)
    first = timezone.now() + MINUTE
    set_clock(ends_at=first)
    with time_machine.travel(first - MINUTE, tick=False) as machine:
        seen = []
        for seconds in (61, -60, -3600, 61, 121, 0, 179, 181):
            machine.move_to(first - MINUTE + dt.timedelta(seconds=seconds))
            carry_out_due()
            seen.append(Clock.objects.get().position)
    assert seen == [1, 1, 1, 1, 2, 2, 2, 3]
    changes = JournalEntry.objects.filter(verb="clock.level").order_by("seq")
    assert [entry.result["due"] for entry in changes] == [(first + step * MINUTE).isoformat() for step in range(3)]


def test_a_sweep_ends_after_its_second_though_the_machine_clock_is_set_back():
    make_running_event(3, levels=8, minutes=1)
    set_clock(ends_at=timezone.now() + MINUTE)
    started = time.monotonic()
    now = timezone.now()
    with time_machine.travel(now, tick=True) as machine, mock.patch("tables.tasks.nudge") as nudge:
        nudge.side_effect = lambda: machine.move_to(now - dt.timedelta(hours=1))
        sweep()
    assert timezone.now() > now
    assert time.monotonic() - started < 30


def test_a_sweep_with_an_old_version_or_nothing_due_changes_nothing():
    event, _ = make_running_event(3)
    clock = Clock.objects.get()
    assert advance_clock(actor=CLOCK, on=event.pk, day_id=clock.day_id, version=clock.version).seq is None
    set_clock(ends_at=timezone.now())
    assert advance_clock(actor=CLOCK, on=event.pk, day_id=clock.day_id, version=clock.version - 1).seq is None
    assert advance_clock(actor=CLOCK, on=event.pk, day_id=clock.day_id, version=clock.version).seq
    assert advance_clock(actor=CLOCK, on=event.pk, day_id=clock.day_id, version=clock.version).seq is None


def test_a_pause_just_before_the_end_wins_over_a_late_sweep():
    event, director = make_running_event(3)
    seen = Clock.objects.get()
    pause_clock(actor=director, on=event.pk)
    set_clock(remaining=dt.timedelta(milliseconds=20))
    assert advance_clock(actor=CLOCK, on=event.pk, day_id=seen.day_id, version=seen.version).seq is None
    assert Clock.objects.get().position == 0


def test_the_door_closes_at_its_instant_even_if_no_worker_lives():
    event, director = make_running_event(3)
    with guard.writing():
        Day.objects.update(entries_close_at=timezone.now() - dt.timedelta(seconds=1))
    with pytest.raises(Refused, match="closed"):
        register(actor=director, on=event.pk, name="Mia", birth_date=dt.date(1990, 1, 1))


def test_the_last_level_goes_on_with_its_blinds_held():
    make_running_event(3, levels=2, minutes=1, late_reg_level=None)
    set_clock(ends_at=timezone.now() - 5 * MINUTE)
    carry_out_due()
    clock = Clock.objects.get()
    assert (clock.status, clock.position, clock.ends_at) == ("overtime", 1, None)


def test_the_clock_waits_after_a_level_if_told_so():
    event, director = make_running_event(3, minutes=20)
    pause_after_level(actor=director, on=event.pk, wanted=True)
    set_clock(ends_at=timezone.now())
    carry_out_due()
    clock = Clock.objects.get()
    assert (clock.status, clock.position, clock.remaining) == ("paused", 1, 20 * MINUTE)


def test_adjust_moves_the_instants_and_refuses_to_take_more_than_there_is():
    event, director = make_running_event(3, minutes=20, late_reg_level=1)
    before = Clock.objects.get().ends_at
    adjust_clock(actor=director, on=event.pk, seconds=90)
    assert Clock.objects.get().ends_at == before + dt.timedelta(seconds=90)
    assert Day.objects.get().entries_close_at == before + dt.timedelta(seconds=90)
    with pytest.raises(Refused, match="is left"):
        adjust_clock(actor=director, on=event.pk, seconds=-6 * 3600)


def test_jumping_past_late_registration_closes_it_for_good():
    event, director = make_running_event(3, late_reg_level=2)
    jump_clock(actor=director, on=event.pk, position=2)
    assert Day.objects.get().entries_closed
    jump_clock(actor=director, on=event.pk, position=0)
    assert Day.objects.get().entries_closed


def test_two_people_at_the_clock_the_second_is_told_what_changed():
    event, director = make_running_event(3)
    seen = event.seq
    pause_clock(actor=director, on=event.pk, expected_version=seen)
    with pytest.raises(Stale, match=r"Clock paused.*Mere"):
        jump_clock(actor=make_director(event.series), on=event.pk, expected_version=seen, position=1)


@pytest.mark.parametrize("role", [Role.DESK, Role.DEALER, Role.EDITOR, Role.AUDITOR])
def test_only_those_who_run_the_clock_touch_it(role):
    event, _ = make_running_event(3)
    actor = make_user("Ana", role=role, series=event.series)
    for command, values in ((pause_clock, {}), (adjust_clock, {"seconds": 60}), (jump_clock, {"position": 1})):
        with pytest.raises(NotAllowed):
            command(actor=actor, on=event.pk, **values)
    clock = Clock.objects.get()
    with pytest.raises(NotAllowed):
        advance_clock(actor=actor, on=event.pk, day_id=clock.day_id, version=clock.version)

"""The two programs that play whole events: the demo a newcomer sees, and the simulation that checks every promise."""

import io
import re

import pytest
from django.core.management import CommandError, call_command

from config import demo, simulation
from journal.chain import verify
from series.models import Entry, Event
from tables.models import Table

pytestmark = pytest.mark.django_db


def told(command: str, **options: object) -> str:
    out = io.StringIO()
    call_command(command, stdout=out, **options)
    return out.getvalue()


def test_the_demo_has_an_event_finished_one_running_and_one_open():
    said = told("demo")
    events = {event.status: event for event in Event.objects.all()}
    assert set(events) == {Event.Status.FINISHED, Event.Status.RUNNING, Event.Status.OPEN}
    running = events[Event.Status.RUNNING]
    assert running.entries.filter(status=Entry.Status.PLAYING).count() == 39
    assert Table.objects.filter(day__event=running, status=Table.Status.OPEN).count() == 5
    assert any("ā" in entry.player.name or "ē" in entry.player.name for entry in running.entries.all())
    assert all(log_in.email in said for log_in in demo.LOG_INS)
    assert demo.PASSWORD in told("demo", show=True)
    assert list(verify()) == []


def test_the_demo_goes_into_an_empty_database_only():
    told("demo")
    with pytest.raises(CommandError, match="empty one"):
        call_command("demo")


def test_a_simulated_event_keeps_every_promise_and_ends_with_one_line():
    last = told("simulate", entries=45, seed=7).splitlines()[-1]
    assert re.match(r"OK 45 entries, \d+ commands, \d+ undone: \d+ commands per second, slowest \d+ ms", last)
    assert re.search(
        r"[1-9]\d* rebuys, \d+ add-ons, 1 stacks given up, 1 given back; a deal among [3-6]; "
        r"two flights of 6, [1-9]\d* bags carried on, a deal among 3; a satellite of 6 for 1 seats",
        last,
    )


def test_the_simulation_sees_that_a_deal_is_not_what_was_paid(monkeypatch):
    honest = simulation.Deals.check_paid

    def off(self: simulation.Deals, paid: dict[int, int]) -> None:
        entry = next(iter(self.shares))
        honest(self, paid | {entry: paid[entry] - 1})

    monkeypatch.setattr(simulation.Deals, "check_paid", off)
    with pytest.raises(CommandError, match="VIOLATION 1 were not paid what the deal says"):
        call_command("simulate", entries=12, seed=7, stdout=io.StringIO())


def test_the_simulation_sees_chips_that_no_stack_has(monkeypatch):
    honest = simulation.Simulation.check_chips

    def off(self: simulation.Simulation, after: str) -> None:
        self.in_play += after == "rebuy"
        honest(self, after)

    monkeypatch.setattr(simulation.Simulation, "check_chips", off)
    with pytest.raises(CommandError, match="VIOLATION after rebuy: chips are not conserved"):
        call_command("simulate", entries=45, seed=7, stdout=io.StringIO())


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        ("_ledger", "the prizes are not the pool"),
        ("_sizes", "apart after balancing"),
    ],
)
def test_the_simulation_fails_at_the_first_violation(monkeypatch, broken, words):
    honest = getattr(simulation.Simulation, broken)

    def off(self: simulation.Simulation, *arguments: object) -> object:
        found = honest(self, *arguments)
        return found + 1 if isinstance(found, int) else {**found, 99: (0, 9)}

    monkeypatch.setattr(simulation.Simulation, broken, off)
    with pytest.raises(CommandError, match=f"VIOLATION .*{words}"):
        call_command("simulate", entries=12, seed=7, stdout=io.StringIO())

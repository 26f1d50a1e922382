"""Two processes at once: one seat is sold once, one level changes once, one form counts once."""

import json
import time
import uuid

import pytest

from tests.world import World, finished

pytestmark = pytest.mark.real_db

SET_UP = """
import json, sys
from tests.factories import *
event = make_event(**json.loads(sys.argv[1]))
director = make_director(event.series)
people = add_players(event, int(sys.argv[2]), director, paid=False)
print(json.dumps([event.pk, director.pk, [p["registration"] for p in people], [p["player"] for p in people]]))
"""

SELL = """
import json, sys, time, uuid
from accounts.models import User
from journal.errors import Refused
from tables.commands.entries import buy_in
event, director, registration, at, command_id = sys.argv[1:]
actor = User.objects.get(pk=director)
time.sleep(max(0, float(at) - time.time()))
try:
    done = buy_in(actor=actor, on=int(event), registration_id=int(registration), method="cash", id_kind="passport",
                  command_id=uuid.UUID(command_id))
    print(json.dumps({"sold": done.result, "repeated": done.repeated}))
except Refused as refusal:
    print(json.dumps({"refused": refusal.message}))
"""

REGISTER = """
import json, sys, time, datetime as dt
from accounts.models import User
from journal.errors import Refused
from series.commands.people import register
event, director, name, at = sys.argv[1:]
actor = User.objects.get(pk=director)
time.sleep(max(0, float(at) - time.time()))
try:
    register(actor=actor, on=int(event), name=name, birth_date=dt.date(1990, 1, 1))
    print("held")
except Refused as refusal:
    print(refusal.message)
"""

STATE = """
import json
from django.db.models import Sum
from journal.chain import verify
from series.models import *
from tables.models import Seat
print(json.dumps({
    "entries": Entry.objects.count(),
    "seats": Seat.objects.filter(entry__isnull=False).count(),
    "till": LedgerLine.objects.filter(account="till").aggregate(sum=Sum("amount_cents"))["sum"],
    "registrations": Registration.objects.count(),
    "journal": list(verify()),
}))
"""


def soon() -> float:
    """An instant at which both processes are ready to go."""
    return time.time() + 4


def test_two_desks_selling_to_the_same_player_at_once_record_the_money_once(world: World):
    event, director, (registration,), _ = json.loads(world.run(SET_UP, "{}", 1))
    at = soon()
    racers = [world.start(SELL, event, director, registration, at, uuid.uuid4()) for _ in range(2)]
    results = [json.loads(finished(racer)) for racer in racers]
    assert sorted(key for result in results for key in result if key != "repeated") == ["refused", "sold"]
    refused = next(result["refused"] for result in results if "refused" in result)
    assert refused == "This player has no place here that waits for a buy-in."
    assert json.loads(world.run(STATE)) == {
        "entries": 1, "seats": 1, "till": 25000, "registrations": 1, "journal": [],
    }  # fmt: skip


def test_the_same_form_sent_twice_at_once_counts_once_and_both_get_the_same_answer(world: World):
    event, director, (registration,), _ = json.loads(world.run(SET_UP, "{}", 1))
    at, form = soon(), uuid.uuid4()
    racers = [world.start(SELL, event, director, registration, at, form) for _ in range(2)]
    first, second = (json.loads(finished(racer)) for racer in racers)
    assert first["sold"] == second["sold"]
    assert sorted([first["repeated"], second["repeated"]]) == [False, True]
    assert json.loads(world.run(STATE))["till"] == 25000


def test_the_last_place_is_sold_to_exactly_one_of_two(world: World):
    event, director, _, _ = json.loads(world.run(SET_UP, json.dumps({"capacity": 2}), 1))
    at = soon()
    racers = [world.start(REGISTER, event, director, name, at) for name in ("Mia Paraone", "Jack Wirihana")]
    assert sorted(finished(racer) for racer in racers) == ["This event is full. There is a waiting list.", "held"]
    assert json.loads(world.run(STATE))["registrations"] == 2


def test_the_last_chair_goes_to_one_and_the_other_gets_another_chair(world: World):
    """Two buy-ins at once with one chair left at the open tables: nobody shares it, nobody's money is lost."""
    event, director, registrations, _ = json.loads(
        world.run(SET_UP, json.dumps({"seats_per_table": 2, "capacity": 9}), 3)
    )
    json.loads(world.run(SELL, event, director, registrations[0], 0, uuid.uuid4()))
    at = soon()
    racers = [world.start(SELL, event, director, one, at, uuid.uuid4()) for one in registrations[1:]]
    places = [(sold["table"], sold["seat"]) for sold in (json.loads(finished(racer))["sold"] for racer in racers)]
    assert len(set(places)) == 2
    assert json.loads(world.run(STATE)) == {
        "entries": 3, "seats": 3, "till": 75000, "registrations": 3, "journal": [],
    }  # fmt: skip


RUN = """
import sys, datetime as dt
from accounts.models import User
from django.utils import timezone
from journal import guard
from tables.commands.clock import start_clock
from tables.models import Clock
from tables.commands.entries import buy_in
event, director, *registrations = map(int, sys.argv[1:])
actor = User.objects.get(pk=director)
for registration in registrations:
    buy_in(actor=actor, on=event, registration_id=registration, method="cash", id_kind="passport")
start_clock(actor=actor, on=event)
with guard.writing():  # the test cannot wait twenty minutes
    Clock.objects.update(ends_at=timezone.now() + dt.timedelta(seconds=5))
"""

SWEEP = """
import sys, time
from tables.tasks import sweep
time.sleep(max(0, float(sys.argv[1]) - time.time()))
for _ in range(6):
    sweep()
"""

LEVELS = """
import json
from journal.models import JournalEntry
from tables.models import Clock
clock = Clock.objects.get()
changes = JournalEntry.objects.filter(verb="clock.level")
print(json.dumps([clock.position, changes.count(), [(e.at.isoformat(), e.result["due"]) for e in changes]]))
"""


def test_two_workers_racing_make_one_transition(world: World):
    event, director, registrations, _ = json.loads(world.run(SET_UP, "{}", 2))
    world.run(RUN, event, director, *registrations)
    at = time.time() + 2.5
    for racer in [world.start(SWEEP, at) for _ in range(2)]:
        finished(racer)
    position, changes, [[done, due]] = json.loads(world.run(LEVELS))
    assert (position, changes) == (1, 1)
    assert done >= due


CALL = """
import json, sys, time
from series.commands.waiting import DOOR
from tables.commands.calls import call_waiting
event, at = sys.argv[1:]
time.sleep(max(0, float(at) - time.time()))
print(len(call_waiting(actor=DOOR, on=int(event)).result["called"]))
"""

WAITING = """
import json, sys, datetime as dt
from accounts.models import User
from series.commands.people import register, withdraw
from series.models import Registration
event, director, names, given_back = int(sys.argv[1]), User.objects.get(pk=sys.argv[2]), sys.argv[3], sys.argv[4]
for name in json.loads(names):
    register(actor=director, on=event, name=name, birth_date=dt.date(1990, 1, 1), waiting=True)
for registration in json.loads(given_back):
    withdraw(actor=director, on=event, registration_id=registration)
"""

PLACES = """
import json
from series.models import Registration
print(json.dumps(list(Registration.objects.order_by("pk").values_list("status", flat=True))))
"""


def test_two_sweeps_and_a_newcomer_cannot_sell_a_place_of_the_waiting_list_twice(world: World):
    event, director, held, _ = json.loads(world.run(SET_UP, json.dumps({"capacity": 2}), 2))
    world.run(WAITING, event, director, json.dumps(["Ana Ngata", "Ben Tau", "Cy Rua"]), json.dumps(held[:1]))
    at = soon()
    sweeps = [world.start(CALL, event, at) for _ in range(2)]
    newcomer = world.start(REGISTER, event, director, "Dee Toru", at)
    assert sorted(int(finished(sweep)) for sweep in sweeps) == [0, 1]
    assert finished(newcomer) == "This event is full. There is a waiting list."
    assert json.loads(world.run(PLACES)) == ["withdrawn", "registered", "called", "waiting", "waiting"]

"""Two events sell into one till while it is counted: receipts have no gaps, and what was counted stays so."""

import json

import pytest

from tests.concurrency.test_races import soon
from tests.world import World, finished

pytestmark = pytest.mark.real_db

SET_UP = """
import json
from series.commands.tills import open_till
from tests.factories import *
first = make_event()
events = [first, make_event(first.series)]
director = make_director(first.series)
held = [[person["registration"] for person in add_players(event, 6, director, paid=False)] for event in events]
till = open_till(actor=director, on=first.series_id, total_cents=5000).result["till"]
print(json.dumps([director.pk, first.series_id, till, [event.pk for event in events], held]))
"""

SELL = """
import json, sys, time
from accounts.models import User
from tables.commands.entries import buy_in
director, event, at, registrations = (json.loads(word) for word in sys.argv[1:])
actor = User.objects.get(pk=director)
time.sleep(max(0, at - time.time()))
for registration in registrations:
    buy_in(actor=actor, on=event, registration_id=registration, method="cash", id_kind="passport")
"""

CLOSE = """
import json, sys, time
from accounts.models import User
from series.commands.tills import close_till
director, series, till, at = (json.loads(word) for word in sys.argv[1:])
actor = User.objects.get(pk=director)
time.sleep(max(0, at + 0.1 - time.time()))
close_till(actor=actor, on=series, till_id=till, total_cents=5000, reason="Counted while others sold.")
"""

STATE = """
import json
from django.db.models import Sum
from series.models import *
from series.reads.ledger import problems_of_series
till = Till.objects.get()
cash = LedgerLine.objects.filter(account="till").values_list("till").annotate(sum=Sum("amount_cents")).order_by()
numbers = LedgerLine.objects.filter(receipt__isnull=False).order_by("event", "receipt").values_list("event", "receipt")
print(json.dumps({
    "problems": problems_of_series(till.series), "till": till.status, "cash": dict(cash)[till.pk],
    "receipts": list(numbers), "fees": LedgerLine.objects.filter(account="fee").count(),
}))
"""


def test_two_events_sell_into_one_till_while_it_is_counted(world: World):
    director, series, till, events, held = json.loads(world.run(SET_UP))
    at = soon()
    racers = [
        world.start(SELL, director, event, at, json.dumps(registrations))
        for event, registrations in zip(events, held, strict=True)
    ]
    racers.append(world.start(CLOSE, director, series, till, at))
    for racer in racers:
        finished(racer)
    state = json.loads(world.run(STATE))
    assert (state["problems"], state["till"], state["cash"], state["fees"]) == ([], "closed", 0, 12)
    assert state["receipts"] == [[event, number] for event in sorted(events) for number in range(1, 7)]

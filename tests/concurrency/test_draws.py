"""Two floors at once: one list is frozen, one draw is made, and who buys in meanwhile gets a seat of their own."""

import json
import time

import pytest

from tests.world import World, finished

pytestmark = pytest.mark.real_db

SET_UP = """
import json
from tests.factories import *
event = make_event(seat_at_buy_in=False, seats_per_table=4)
director = make_director(event.series)
add_players(event, 9, director)
late = add_players(event, 1, director, paid=False)[0]
print(json.dumps([event.pk, director.pk, late["registration"]]))
"""

DO = """
import sys, time
from accounts.models import User
from journal.errors import Refused
from tables.commands.draws import draw_seats, freeze_draw
from tables.commands.entries import buy_in
event, director, at, what, registration = sys.argv[1:]
actor = User.objects.get(pk=director)
time.sleep(max(0, float(at) - time.time()))
try:
    if what == "freeze":
        freeze_draw(actor=actor, on=int(event))
    elif what == "draw":
        draw_seats(actor=actor, on=int(event))
    else:
        buy_in(actor=actor, on=int(event), registration_id=int(registration), method="cash", id_kind="passport")
    print("done")
except Refused as refusal:
    print(refusal.message)
"""

STATE = """
import json
from journal.chain import verify
from series.models import Entry
from tables.models import Draw, Seat
seats = list(Seat.objects.filter(entry__isnull=False).values_list("entry", flat=True))
print(json.dumps({
    "entries": Entry.objects.count(), "seats": len(seats), "people": len(set(seats)),
    "draws": sorted(f"{draw.kind} {draw.status}" for draw in Draw.objects.all()), "journal": list(verify()),
}))
"""


def test_two_floors_freeze_one_list_and_make_one_draw_while_somebody_buys_in(world: World):
    event, director, registration = json.loads(world.run(SET_UP))

    def at_once(*what: str) -> list[str]:
        at = time.time() + 1.5
        return [finished(one) for one in [world.start(DO, event, director, at, do, registration) for do in what]]

    assert sorted(at_once("freeze", "freeze")) == ["A list is frozen already: draw it, or take it back.", "done"]
    said = at_once("draw", "draw", "buy in")
    assert said[2] == "done"
    assert sorted(said[:2]) == ["Everybody who entered has a seat, and the tables are open.", "done"]
    assert json.loads(world.run(STATE)) == {
        "entries": 10, "seats": 10, "people": 10, "draws": ["initial drawn", "late drawn"], "journal": [],
    }  # fmt: skip

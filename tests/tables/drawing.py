"""Events about to be drawn, and the script that anybody can check a draw with."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from django.test import Client
from django.urls import reverse

from accounts.models import User
from series.models import Event
from tables.models import Draw, Seat
from tests.factories import add_players, make_director, make_event

SCRIPT = Path(__file__).parents[2] / "static" / "verify_draw.py"


def event_to_draw(players: int, **fields: Any) -> tuple[Event, User]:
    """An event in which everybody is seated by one draw, with so many players who have paid and wait."""
    event = make_event(**{"seat_at_buy_in": False} | fields)
    director = make_director(event.series)
    add_players(event, players, director)
    return event, director


def places(event: Event) -> dict[int, tuple[int, int]]:
    """Table and seat by the entry's key."""
    seats = Seat.objects.filter(table__day__event=event, entry__isnull=False)
    return {seat.entry_id: (seat.table.number, seat.number) for seat in seats.select_related("table")}


def download(row: Draw, folder: Path, name: str = "draw.json") -> Path:
    """The document of a draw as a visitor gets it from the page."""
    response = Client().get(reverse("draw_document", args=[row.day.event_id, row.pk]))
    assert response.status_code == 200
    file = folder / name
    file.write_bytes(response.content)
    return file


def check(*files: Path) -> tuple[int, str]:
    """What the stand-alone script says, run as anybody runs it."""
    ran = subprocess.run([sys.executable, "-I", SCRIPT, *files], capture_output=True, text=True)
    return ran.returncode, ran.stdout + ran.stderr


def drawn_places(row: Draw) -> dict[int, tuple[int, int]]:
    """Table and seat by the entry's key, as a document says."""
    return {int(key): (table, seat) for key, table, seat in row.result}


def document(file: Path) -> dict[str, Any]:
    return json.loads(file.read_text())

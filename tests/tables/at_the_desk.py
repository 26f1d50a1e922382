"""What the tests of the desk have in common: looking at a card, and sending its forms."""

import uuid
from typing import Any

from django.test import Client
from django.urls import reverse

from series.models import Event, Player, Registration

HTMX = {"HX-Request": "true", "HX-Target": "card"}


def address(event: Event) -> str:
    return reverse("desk", args=[event.pk])


def card(client: Client, event: Event, player: Player, **query: object) -> str:
    response = client.get(address(event), {"player": player.pk} | query)
    assert response.status_code == 200
    return response.content.decode()


def form(**given: Any) -> dict[str, Any]:
    return {"command_id": str(uuid.uuid4())} | given


def send(client: Client, page: str, event: Event, player: Player, /, *, htmx: bool = False, **given: Any) -> Any:
    headers = HTMX if htmx else {}
    return client.post(reverse(page, args=[event.pk, player.pk]), form(**given), headers=headers)


def pay(client: Client, held: Registration, **given: Any) -> Any:
    given = {"registration": held.pk, "method": "cash", "id_kind": "passport"} | given
    return send(client, "desk_buy_in", held.event, held.player, **given)

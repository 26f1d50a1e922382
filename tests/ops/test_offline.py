"""What a phone gets for its home screen, and for when it has no network."""

import json

import pytest
from django.test import Client
from django.urls import reverse

from series.models import Player
from tests.factories import add_players, make_director, make_event


@pytest.mark.django_db
def test_the_worker_stands_at_the_root_and_is_never_old(client: Client) -> None:
    answer = client.get("/service-worker.js")
    assert answer["Content-Type"].startswith("text/javascript")
    assert "no-store" in answer["Cache-Control"]
    assert "worker-src 'self'" in answer["Content-Security-Policy"]
    assert reverse("offline") in answer.content.decode()


@pytest.mark.django_db
def test_the_page_for_no_network(client: Client) -> None:
    assert "No connection to the site" in client.get(reverse("offline")).content.decode()


@pytest.mark.django_db
def test_a_players_home_screen_opens_their_own_page() -> None:
    event = make_event()
    add_players(event, 1, make_director(event.series))
    token = Player.objects.get().token
    assert reverse("my_manifest", args=[token]) in Client().get(reverse("my_page", args=[token])).content.decode()
    answer = Client().get(reverse("my_manifest", args=[token]))
    manifest = json.loads(answer.content)
    assert manifest["start_url"] == reverse("my_page", args=[token])
    assert all(icon["src"].startswith("/static/") for icon in manifest["icons"])
    assert answer["X-Robots-Tag"] == "noindex, nofollow"
    assert Client().get(reverse("my_manifest", args=["nobody"])).status_code == 404

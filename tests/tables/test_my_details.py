"""What a player decides about themselves: public name, account, and their own seasons."""

import datetime as dt
import uuid
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from journal.actors import Visitor
from journal.errors import Refused
from journal.models import JournalEntry, RowChange
from journal.undo import undo
from series.commands.people import register
from series.commands.players import choose_public_name, claim_player
from series.domain.public_name import MOST, PublicNameError, gives_away, kind_of, nickname, public_name
from series.models import Event, Player
from tests.factories import make_director, make_event, make_user


@pytest.fixture
def event(db: None) -> Event:
    return make_event(name="Main")


@pytest.fixture
def player(event: Event) -> Player:
    director = make_director(event.series)
    held = register(actor=director, on=event.pk, name="Hēmi Te Ariki", birth_date=dt.date(2000, 6, 5)).result
    return Player.objects.get(pk=held["player"])


def send(client: Client, player: Player, **given: Any) -> Any:
    return client.post(reverse("my_details", args=[player.token]), {"command_id": str(uuid.uuid4())} | given)


# --- the name everybody sees ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "written", "shown"),
    [
        ("real", "", "Hēmi Te Ariki"),
        ("initials", "", "H. T. A."),
        ("nickname", "  The   Shark ", "The Shark"),
        ("nickname", "Whetū 7", "Whetū 7"),
        ("nickname", "O'Ace", "O'Ace"),
    ],
)
def test_the_name_on_public_pages_is_chosen(
    client: Client, player: Player, kind: str, written: str, shown: str
) -> None:
    assert send(client, player, do="name", kind=kind, nickname=written).status_code == 303
    player.refresh_from_db()
    assert (player.public_name, player.name) == (shown, "Hēmi Te Ariki")
    page = client.get(reverse("my_details", args=[player.token])).content.decode()
    assert f'value="{kind}" required' in page or f'value="{kind}"' in page
    entry = JournalEntry.objects.get(verb="player.show_as") if shown != "Hēmi Te Ariki" else None
    if entry:
        change = RowChange.objects.get(entry=entry)
        assert "sealed" in change.after["public_name"]


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("", "Write the name you want to be shown."),
        ("x" * (MOST + 1), "This is too long"),
        ("<b>x</b>", "Use letters, digits"),
        ("call 021 555 0101", "no addresses or phone numbers"),
        ("www.example", "no addresses or phone numbers"),
        ("my-site.co.nz", "no addresses or phone numbers"),
        ("123", "Use at least one letter."),
        ("a\u202eb", "Use letters, digits"),
        ("Tournament  Director", "taken for somebody else"),
        ("erased PLAYER", "taken for somebody else"),
        ("😀", "Use letters, digits"),
    ],
)
def test_what_cannot_be_a_name_is_refused_beside_the_field(
    client: Client, player: Player, written: str, said: str
) -> None:
    response = send(client, player, do="name", kind="nickname", nickname=written)
    assert response.status_code == 422
    assert said in response.content.decode()
    player.refresh_from_db()
    assert player.public_name == "Hēmi Te Ariki"


@pytest.mark.parametrize(("name", "kind", "written"), [("a " * 28, "initials", ""), ("Hēmi", "nickname", "ﷺ" * 10)])
def test_a_name_that_no_row_can_hold_is_refused_beside_the_field(
    client: Client, event: Event, name: str, kind: str, written: str
) -> None:
    director = make_director(event.series)
    held = register(actor=director, on=event.pk, name=name, birth_date=dt.date(2000, 6, 5)).result
    response = send(client, Player.objects.get(pk=held["player"]), do="name", kind=kind, nickname=written)
    assert response.status_code == 422
    field = "nickname" if kind == "nickname" else "kind"
    assert "This name is too long" in response.context["name_form"].errors[field][0]


def test_no_choice_is_an_error_and_no_crash(client: Client, player: Player) -> None:
    for odd in ({}, {"do": "name"}, {"kind": "other"}, {"kind": "nickname", "nickname": "\x00"}):
        assert send(client, player, **odd).status_code == 422


def test_the_desk_can_undo_a_name_and_strangers_cannot_choose_it(event: Event, player: Player) -> None:
    choose_public_name(actor=Visitor(), on=event.series_id, token=player.token, kind="nickname", nickname="Rude Word")
    with pytest.raises(Refused, match="does not work any more"):
        choose_public_name(actor=Visitor(), on=event.series_id, token="x" * 22, kind="initials")
    with pytest.raises(Refused, match="does not work any more"):
        choose_public_name(actor=Visitor(), on=make_event().series_id, token=player.token, kind="initials")
    undo(actor=make_director(event.series), entry_id=JournalEntry.objects.get(verb="player.show_as").pk)
    player.refresh_from_db()
    assert player.public_name == "Hēmi Te Ariki"


@given(st.text(max_size=40))
def test_a_nickname_is_short_plain_and_stays_as_it_is(written: str) -> None:
    try:
        shown = nickname(written)
    except PublicNameError:
        return
    assert 0 < len(shown) <= MOST
    assert nickname(shown) == shown
    assert not set(shown) & set("<>&=@/\n\t")


def test_kinds_of_names_are_told_apart() -> None:
    for kind in ("real", "initials"):
        assert kind_of("Hēmi Parata", public_name(kind, "Hēmi Parata")) == kind
    assert kind_of("Hēmi Parata", "Shark") == "nickname"
    assert gives_away("Hēmi Parata", "hemi the shark")
    assert not gives_away("Hēmi Parata", "H. P.")


# --- the account ------------------------------------------------------------------------------------------------------


def test_a_desk_made_player_is_claimed_by_their_own_link(client: Client, player: Player) -> None:
    user = make_user("Hemi")
    client.force_login(user)
    assert "Is this you?" in client.get(reverse("my_page", args=[player.token])).content.decode()
    assert "No player is linked" in client.get(reverse("my_history")).content.decode()
    page = client.get(reverse("my_details", args=[player.token])).content.decode()
    assert "Yes, link this player to my account" in page
    assert send(client, player, do="claim").status_code == 303
    player.refresh_from_db()
    assert player.user == user
    history = client.get(reverse("my_history")).content.decode()
    assert "Main" in history
    assert reverse("my_page", args=[player.token]) in history
    assert "Is this you?" not in client.get(reverse("my_page", args=[player.token])).content.decode()


@pytest.mark.parametrize("who", ["visitor", "unconfirmed", "other player", "taken"])
def test_who_cannot_claim(client: Client, event: Event, player: Player, who: str) -> None:
    said = {
        "visitor": "Sign in first.",
        "unconfirmed": "Confirm the e-mail address",
        "other player": "has another player record already",
        "taken": "Another account has this player.",
    }
    if who == "unconfirmed":
        client.force_login(make_user(confirmed=False))
    elif who == "other player":
        user = make_user("Hemi")
        held = register(
            actor=make_director(event.series), on=event.pk, name="Mia Paraone", birth_date=dt.date(1990, 1, 1)
        ).result
        claim_player(actor=user, on=event.series_id, token=Player.objects.get(pk=held["player"]).token)
        client.force_login(user)
    elif who == "taken":
        claim_player(actor=make_user("First"), on=event.series_id, token=player.token)
        client.force_login(make_user("Second"))
    response = send(client, player, do="claim")
    assert response.status_code == 422
    assert said[who] in response.content.decode()


def test_the_page_is_kept_secret(client: Client, player: Player) -> None:
    response = client.get(reverse("my_details", args=[player.token]))
    assert "no-store" in response["Cache-Control"]
    assert "noindex" in response["X-Robots-Tag"]
    assert client.get(reverse("my_details", args=["x" * 22])).status_code == 404
    assert client.get(reverse("my_history")).status_code == 302

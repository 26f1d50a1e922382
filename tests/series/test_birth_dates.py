"""Birth dates that a series discards once an ID was seen: what stays, what asks again, how people are told apart."""

import datetime as dt
from typing import Any

import pytest
import time_machine
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from accounts.models import User
from journal import guard
from journal.actors import Visitor
from journal.errors import Refused
from journal.models import JournalEntry, Sealed
from journal.undo import undo
from series.commands.birth_dates import PRIVACY, discard_birth_dates
from series.commands.exclusions import exclude, exclude_self
from series.commands.merging import merge_players
from series.commands.options import change_options
from series.commands.people import correct_player, register, sight_id, sign_up
from series.commands.players import list_player
from series.domain.options import Options
from series.models import Event, Exclusion, Organiser, Player, Registration
from series.reads.exclusions import is_excluded, own_exclusion
from series.reads.players import duplicates
from tables.commands.entries import buy_in
from tables.tasks import discard_old_birth_dates
from tests.factories import add_players, make_director, make_event, make_series, make_user
from tests.tables.at_the_desk import card, pay, send

pytestmark = pytest.mark.django_db
BORN = dt.date(1990, 1, 1)
LATER = dt.timedelta(hours=1, minutes=1)


@pytest.fixture
def event() -> Event:
    return make_event(make_series(options={"birth_dates": "discard"}))


@pytest.fixture
def director(event: Event) -> User:
    return make_director(event.series)


def discard(event: Event, after: dt.timedelta = LATER) -> int:
    with time_machine.travel(dt.datetime.now(dt.UTC) + after, tick=False):
        done = discard_birth_dates(actor=PRIVACY, on=event.series_id)
    return int(done.result["discarded"])


def known(event: Event, director: User, name: str = "Jo Smith") -> Player:
    """A player whose ID was seen and whose birth date is gone."""
    player = Player.objects.get(
        pk=list_player(actor=director, on=event.series_id, name=name, birth_date=BORN).result["player"]
    )
    sight_id(actor=director, on=event.pk, player_id=player.pk, kind="passport")
    discard(event)
    player.refresh_from_db()
    assert player.birth_date is None
    return player


def casino_event(event: Event) -> Event:
    return make_event(event.series, minimum_age=20)


def test_after_an_hour_only_the_sighting_is_left_also_in_the_journal(event: Event, director: User) -> None:
    (paid,) = add_players(event, 1, director)
    register(actor=director, on=event.pk, name="Not Seen", birth_date=BORN)
    assert discard(event, dt.timedelta(minutes=59)) == 0
    assert discard(event) == 1
    assert discard(event) == 0  # who showed no ID keeps theirs
    player = Player.objects.get(pk=paid["player"])
    check = player.id_checks.get()
    assert (player.birth_date, check.age, check.checked_by) == (None, 18, director)
    assert Player.objects.get(name="Not Seen").birth_date == BORN
    sealed = Sealed.objects.filter(table="series.player", row=player.pk)
    assert player.name in sealed.values_list("value", flat=True)
    assert str(BORN) not in sealed.values_list("value", flat=True)


def test_a_series_that_keeps_them_keeps_them(event: Event, director: User) -> None:
    add_players(event, 1, director)
    change_options(actor=director, on=event.series_id, options=Options())
    assert discard(event) == 0


def test_the_sweep_discards_them(event: Event, director: User) -> None:
    add_players(event, 1, director)
    other = make_event()
    add_players(other, 1, make_director(other.series))
    cache.clear()
    with time_machine.travel(dt.datetime.now(dt.UTC) + LATER, tick=False):
        discard_old_birth_dates()
    assert [entry.verb for entry in JournalEntry.objects.order_by("-pk")[:1]] == ["player.discard_birth_dates"]
    assert Player.objects.filter(birth_date=None).count() == 1


def test_the_same_age_is_not_asked_for_again_a_higher_one_is(event: Event, director: User) -> None:
    player = known(event, director)
    held = register(actor=director, on=event.pk, player_id=player.pk).result["registration"]
    buy_in(actor=director, on=event.pk, registration_id=held, method="cash")
    casino = casino_event(event)
    with pytest.raises(Refused, match="asks for 20") as refused:
        register(actor=director, on=casino.pk, player_id=player.pk)
    assert refused.value.field == "birth_date"
    young = dt.datetime.now(dt.UTC).date() - dt.timedelta(days=365 * 19)
    with pytest.raises(Refused):
        register(actor=director, on=casino.pk, player_id=player.pk, birth_date=young)
    held = register(actor=director, on=casino.pk, player_id=player.pk, birth_date=BORN).result["registration"]
    given: dict[str, Any] = {"actor": director, "on": casino.pk, "registration_id": held, "method": "cash"}
    with pytest.raises(Refused, match="birth date that the ID shows"):
        buy_in(**given, id_kind="passport")
    with pytest.raises(Refused, match="20"):
        buy_in(**given, id_kind="passport", birth_date=young)
    buy_in(**given, id_kind="passport", birth_date=BORN)
    player.refresh_from_db()
    assert player.birth_date is None
    assert set(player.id_checks.values_list("age", flat=True)) == {18, 20}


def test_the_desk_asks_for_it_beside_the_id(event: Event, director: User, client: Client) -> None:
    player, casino = known(event, director), casino_event(event)
    client.force_login(director)
    assert "the birth date is not kept" in card(client, event, player)
    shown = card(client, casino, player)
    assert 'name="birth_date"' in shown
    assert send(client, "desk_register", casino, player).status_code == 422
    assert send(client, "desk_register", casino, player, birth_date="1/1/1990").status_code == 303
    held = Registration.objects.get(event=casino)
    assert 'name="birth_date"' in card(client, casino, player)
    assert pay(client, held).status_code == 422
    assert pay(client, held, birth_date="1/1/1990").status_code == 303
    assert player.has_proven(20)
    sights = send(client, "desk_sight_id", casino_event(event), player, id_kind="passport", registration=held.pk)
    assert sights.status_code == 303  # proven by now


def test_details_are_put_right_without_it(event: Event, director: User, client: Client) -> None:
    player = known(event, director)
    client.force_login(director)
    assert send(client, "desk_details", event, player, name="Joanna Smith", birth_date="").status_code == 303
    player.refresh_from_db()
    assert (player.name, player.birth_date) == ("Joanna Smith", None)
    other = register(actor=director, on=event.pk, name="Mia", birth_date=BORN).result["player"]
    with pytest.raises(Refused, match="Write the birth date"):
        correct_player(actor=director, on=event.pk, player_id=other, name="Mia", birth_date=None)


def test_a_signed_in_player_says_it_again_for_a_higher_age_alone(event: Event, director: User, client: Client) -> None:
    player, account = known(event, director), make_user("Jo")
    with guard.writing():
        Player.objects.filter(pk=player.pk).update(user=account)
    casino = casino_event(event)
    client.force_login(account)
    assert "birth_date" not in client.get(reverse("sign_up", args=[event.pk])).content.decode()
    assert "birth_date" in client.get(reverse("sign_up", args=[casino.pk])).content.decode()
    version = event.series.rulebook_versions.get().pk
    given = {"day_id": None, "name": "", "email": "", "phone": "", "rulebook_version_id": version}
    with pytest.raises(Refused, match="asks for 20"):
        sign_up(actor=account, on=casino.pk, **given, birth_date=None)
    sign_up(actor=account, on=casino.pk, **given, birth_date=BORN)
    player.refresh_from_db()
    assert player.birth_date is None


def test_a_namesake_of_somebody_excluded_is_referred_until_told_apart(event: Event, director: User) -> None:
    player, other = known(event, director), dt.date(1971, 2, 3)
    exclude(actor=director, on=event.series_id, name="Jo Smith", birth_date=other, until=None, why="theft")
    with pytest.raises(Refused, match="Refer to"):
        register(actor=director, on=event.pk, player_id=player.pk)
    now = dt.datetime.now(dt.UTC)
    assert not is_excluded(player, now, BORN)
    assert is_excluded(player, now, other)
    correct_player(actor=director, on=event.pk, player_id=player.pk, name="Jo Smith", birth_date=BORN)
    register(actor=director, on=event.pk, player_id=player.pk)
    assert discard(event) == 0  # it still tells the two apart


def test_a_break_of_ones_own_keeps_a_new_record_out(event: Event, director: User) -> None:
    player = known(event, director)
    given: dict[str, Any] = {"actor": Visitor(), "on": Organiser.objects.get().pk, "token": player.token, "months": 1}
    with pytest.raises(Refused, match="birth date"):
        exclude_self(**given, sure=True)
    exclude_self(**given, sure=True, birth_date=BORN)
    assert Exclusion.objects.get().birth_date == BORN
    with pytest.raises(Refused, match="Refer to"):
        register(actor=director, on=event.pk, name="Jo Smith", birth_date=BORN)


def test_a_namesake_does_not_read_the_break_of_another(event: Event, director: User) -> None:
    player, now = known(event, director), dt.datetime.now(dt.UTC)
    other = Player.objects.get(
        pk=register(actor=director, on=event.pk, name="Jo Smith", birth_date=dt.date(1971, 2, 3)).result["player"]
    )
    exclude_self(actor=Visitor(), on=Organiser.objects.get().pk, token=other.token, months=1, sure=True)
    assert own_exclusion(other, now + dt.timedelta(minutes=1)) is not None
    assert own_exclusion(player, now + dt.timedelta(minutes=1)) is None


def test_duplicates_are_noticed_by_name(event: Event, director: User) -> None:
    one, other = known(event, director), known(event, director, "Mia Paraone")
    register(actor=director, on=event.pk, name="Jo Smith", birth_date=BORN)
    found = duplicates(event.series_id)
    assert [(pair.first, pair.same_name, pair.same_birth_date) for pair in found] == [(one, True, False)]
    assert other.birth_date is None  # two without a birth date are no pair for it


def test_a_merge_can_still_be_undone_and_a_correction_without_the_date(event: Event, director: User) -> None:
    (one, other) = add_players(event, 2, director, paid=False)
    put = {"actor": director, "on": event.pk, "player_id": one["player"]}
    done = correct_player(**put, name="Jo Smith", birth_date=dt.date(1991, 1, 1))
    corrected = JournalEntry.objects.get(stream=event.stream_key, seq=done.seq)
    sight_id(actor=director, on=event.pk, player_id=one["player"], kind="passport")
    merging = make_event(event.series)
    apart = register(actor=director, on=merging.pk, name="J Smith", birth_date=BORN).result["player"]
    done = merge_players(actor=director, on=event.series_id, kept_id=one["player"], gone_id=apart)
    merged = JournalEntry.objects.get(stream=event.series.stream_key, seq=done.seq)
    assert discard(event) == 1
    undo(actor=director, entry_id=merged.pk)
    assert Player.objects.get(pk=apart).status == Player.Status.ACTIVE
    undo(actor=director, entry_id=corrected.pk)
    player = Player.objects.get(pk=one["player"])
    assert player.name != "Jo Smith"
    assert player.birth_date is None
    assert other["player"] != player.pk


def test_records_merged_into_a_player_keep_no_birth_date_either(event: Event, director: User) -> None:
    kept, gone, older = (
        register(actor=director, on=make_event(event.series).pk, name="Jo Smith", birth_date=BORN).result["player"]
        for _ in range(3)
    )
    merge_players(actor=director, on=event.series_id, kept_id=gone, gone_id=older)
    merge_players(actor=director, on=event.series_id, kept_id=kept, gone_id=gone)
    sight_id(actor=director, on=event.pk, player_id=kept, kind="passport")
    assert discard(event) == 1
    assert set(Player.objects.values_list("birth_date", flat=True)) == {None}
    for pk in (kept, gone, older):
        assert not [value for value in Sealed.objects.filter(row=pk).values_list("value", flat=True) if "1990" in value]


@pytest.mark.parametrize("page", ["series_players", "player_duplicates", "players_csv"])
def test_lists_do_without_it(page: str, event: Event, director: User, client: Client) -> None:
    known(event, director)
    register(actor=director, on=event.pk, name="Jo Smith", birth_date=BORN)
    client.force_login(director)
    response = client.get(reverse(page, args=[event.series.slug]))
    assert response.status_code == 200
    assert "None" not in response.content.decode()


def test_the_pages_about_one_player_do_without_it(event: Event, director: User, client: Client) -> None:
    player = known(event, director)
    other = register(actor=director, on=event.pk, name="Jo Smith", birth_date=BORN).result["player"]
    held = register(actor=director, on=event.pk, player_id=player.pk).result["registration"]
    client.force_login(director)
    merge = reverse("player_merge", args=[event.series.slug, other])
    pages = [
        reverse("series_player", args=[event.series.slug, player.pk]),
        f"{merge}?with={player.pk}",
        f"{merge}?q=Jo",
        reverse("player_data", args=[event.series.slug, player.pk]),
        reverse("my_page", args=[player.token]),
        reverse("take_a_break", args=[player.token]),
        reverse("privacy", args=[event.series.slug]),
    ]
    for page in pages:
        assert client.get(page).status_code == 200, page
    buy_in(actor=director, on=event.pk, registration_id=held, method="cash")
    assert client.get(reverse("desk", args=[event.pk]), {"player": player.pk}).status_code == 200

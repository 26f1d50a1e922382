"""A person's data: given out whole, erased to the last trace, results kept."""

import datetime as dt
import json
import uuid
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.core.cache import cache
from django.core.mail import send_mail
from django.db import connection
from django.test import Client
from django.urls import reverse

from accounts.models import User
from accounts.permissions import Role
from journal import guard
from journal.actors import Visitor
from journal.chain import verify
from journal.errors import NotAllowed, Refused
from journal.models import JournalEntry
from journal.undo import undo
from rulings.mail_commands import subscribe
from rulings.penalty_commands import give_penalty
from rulings.ruling_commands import record_ruling
from series.commands.exclusions import exclude, exclude_self
from series.commands.merging import merge_players
from series.commands.people import correct_player, register, withdraw
from series.commands.players import choose_public_name, claim_player
from series.models import (
    Entry,
    ErasureRequest,
    Event,
    EventStatement,
    Exclusion,
    Letter,
    Organiser,
    Payout,
    Player,
    PrizeHold,
    Registration,
)
from series.views.privacy import PRIVACY_VERSION
from tables.commands.chairs import keep_seat
from tables.commands.clock import start_clock
from tables.commands.displays import say_message
from tables.commands.draws import draw_seats
from tables.commands.entries import buy_in
from tables.commands.erasing import ask_erasure, erase_player, take_back_erasure
from tables.commands.floor import bust, close_entries, order_move
from tables.commands.payouts import hold_prize, pay_out, release_prize
from tables.commands.statement import freeze_statement
from tables.models import Draw, Seat
from tests.factories import add_players, make_director, make_event, make_series, make_user

pytestmark = pytest.mark.django_db
NAME, EMAIL, PHONE = "Wikitōria Ōhautahi", "wikitoria.o@example.nz", "021 555 09876"
OLD_NAME, OLD_EMAIL = "Wikitoria Ohautahi-Smyth", "old.wiki@example.nz"
BORN = dt.date(1987, 3, 14)
TRACES = (
    NAME,
    OLD_NAME,
    EMAIL,
    OLD_EMAIL,
    PHONE,
    "1987-03-14",
    "Wikitōria",
    "wikitoria",
    "Ōhautahi",
    "ohautahi",
    "wheelchair",
)


@pytest.fixture
def event() -> Event:
    return make_event(name="Main", seat_at_buy_in=False)


@pytest.fixture
def director(event: Event) -> User:
    return make_director(event.series)


def add(event: Event, director: User, **given: Any) -> Player:
    person = {"name": NAME, "birth_date": BORN, "email": EMAIL, "phone": PHONE}
    held = register(actor=director, on=event.pk, **person | given).result
    return Player.objects.get(pk=held["player"])


def pay(event: Event, director: User, player: Player) -> None:
    held = Registration.objects.get(event=event, player=player)
    buy_in(actor=director, on=event.pk, registration_id=held.pk, method="cash", id_kind="passport")


def everything_written() -> Iterator[tuple[str, str]]:
    """Every column of every row of every table of the database, as text; JSON with its escapes resolved."""
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)}")
            for row in cursor.fetchall():
                for value in row:
                    text = json.dumps(value, ensure_ascii=False, default=str)
                    yield table, text
                    if "\\\\u" in text:
                        yield table, text.replace("\\\\", "\\").encode().decode("unicode_escape", "replace")


def traces() -> set[tuple[str, str]]:
    return {
        (table, trace)
        for table, text in everything_written()
        for trace in TRACES
        if trace.casefold() in text.casefold()
    }


def erase(event: Event, director: User, player: Player, *, keep_name: bool = False) -> dict[str, Any]:
    return erase_player(actor=director, on=event.series_id, player_id=player.pk, keep_name=keep_name).result


def a_life(event: Event, director: User) -> Player:
    """A player with traces everywhere: corrected, merged, seated, penalised, ruled on, called out, paid."""
    player = add(event, director, name=OLD_NAME, email=OLD_EMAIL)
    user = User.objects.create_user(EMAIL, "correct horse battery")
    EmailAddress.objects.create(user=user, email=EMAIL, verified=True, primary=True)
    claim_player(actor=user, on=event.series_id, token=player.token)
    correct_player(
        actor=director, on=event.pk, player_id=player.pk, name=NAME, birth_date=BORN, email=EMAIL, phone=PHONE
    )
    twin_event = make_event(event.series, name="Side")
    twin = add(twin_event, director)
    withdraw(actor=director, on=twin_event.pk, registration_id=twin.registrations.get().pk)
    merge_players(actor=director, on=event.series_id, kept_id=player.pk, gone_id=twin.pk)
    add_players(event, 2, director)
    pay(event, director, player)
    draw_seats(actor=director, on=event.pk, day_id=event.days.get().pk)
    entry = Entry.objects.get(player=player)
    free = Seat.objects.filter(entry__isnull=True).order_by("-number")[0]
    order_move(actor=director, on=event.pk, entry_id=entry.pk, table=1, seat=free.number, reason=f"{NAME} asked for it")
    seat = free
    keep_seat(actor=director, on=event.pk, entry_id=entry.pk, why=f"{NAME} uses a wheelchair")
    start_clock(actor=director, on=event.pk)
    give_penalty(actor=director, on=event.pk, entry_id=entry.pk, offence="abuse", sanction="warning",
                 facts=f"{NAME} swore at seat {seat.number}.", severe=False)  # fmt: skip
    record_ruling(actor=director, on=event.pk, facts=f"{NAME.upper()} folded.", decision="Wikitōria may stay.",
                  entry_ids=[entry.pk], basis="discretion", reason=f"Fair to {NAME}")  # fmt: skip
    say_message(actor=director, on=event.pk, text=f"{NAME} to the desk, please")
    subscribe(actor=Visitor(), on=event.series_id, email=EMAIL)
    close_entries(actor=director, on=event.pk)
    for other in event.entries.exclude(pk=entry.pk).order_by("pk"):
        bust(actor=director, on=event.pk, entry_ids=[other.pk])
    hold_prize(actor=director, on=event.pk, entry_id=entry.pk, why="Wikitōria has no ID here")
    release_prize(actor=director, on=event.pk, entry_id=entry.pk)
    pay_out(actor=director, on=event.pk, entry_id=entry.pk, method="cash")
    return Player.objects.get(pk=player.pk)


@pytest.mark.parametrize("keep_name", [False, True])
def test_no_trace_of_the_person_is_left_anywhere(
    event: Event, director: User, keep_name: bool, tmp_path: Path, settings: Any
) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.filebased.EmailBackend"
    settings.EMAIL_FILE_PATH = str(tmp_path)
    player = a_life(event, director)
    send_mail("Your place", f"Kia ora {NAME},\n\nyour place is held.", None, [EMAIL])
    send_mail("Your place", "Kia ora Mia,\n\nyour place is held.", None, ["mia@example.nz"])
    choose_public_name(actor=Visitor(), on=event.series_id, token=player.token, kind="nickname", nickname="The Shark")
    assert {trace for _, trace in traces()} == set(TRACES)  # the search finds what is there
    assert len({table for table, _ in traces()}) > 5
    old_token = Player.objects.get(pk=player.pk).token
    erase(event, director, player, keep_name=keep_name)
    assert traces() == set()
    assert not any(old_token in text for _, text in everything_written())
    letters = "".join(path.read_text() for path in tmp_path.iterdir())
    assert "mia@example.nz" in letters
    assert not [trace for trace in TRACES if trace.casefold() in letters.casefold()]
    player.refresh_from_db()
    shown = "The Shark" if keep_name else "Erased player"
    assert (player.status, player.public_name, player.birth_date, player.user) == ("erased", shown, None, None)
    assert not list(verify())


def test_the_results_stay(client: Client, event: Event, director: User) -> None:
    player = a_life(event, director)
    token = player.token
    erase(event, director, player)
    assert "Erased player" in client.get(reverse("results", args=[event.pk])).content.decode()
    assert Payout.objects.get(entry__player=player).amount_cents
    assert client.get(reverse("my_page", args=[token])).status_code == 404
    for draw in Draw.objects.filter(day__event=event):
        page = client.get(reverse("draw", args=[event.pk, draw.pk])).content.decode()
        assert "Erased player" in page or not draw.people
    client.force_login(director)
    for page in ("desk", "payouts", "penalties", "rulings", "event_journal", "staff_draws", "floor"):
        response = client.get(reverse(page, args=[event.pk]))
        assert response.status_code == 200
        assert NAME not in response.content.decode()
    for page in ("series_journal", "series_players"):
        response = client.get(reverse(page, args=[event.series.slug]))
        assert response.status_code == 200
        assert NAME not in response.content.decode()
    assert client.get(reverse("series_player", args=[event.series.slug, player.pk])).status_code == 404


def test_a_frozen_statement_stays_as_it_was_handed_on(event: Event, director: User) -> None:
    player = a_life(event, director)
    freeze_statement(actor=director, on=event.pk)
    before = EventStatement.objects.get().content
    erase(event, director, player)
    assert EventStatement.objects.get().content == before
    assert {table for table, _ in traces()} == {"series_eventstatement"}
    assert not list(verify())


def test_a_name_with_signs_of_a_pattern_can_be_erased(event: Event, director: User) -> None:
    player = add(event, director, name=r"Ana \1 \g<x>")
    note = f"{EMAIL} is a shared address"
    other = Entry.objects.get(pk=add_players(event, 1, director)[0]["entry"])
    hold_prize(actor=director, on=event.pk, entry_id=other.pk, why=note)
    withdraw(actor=director, on=event.pk, registration_id=player.registrations.get().pk)
    erase(event, director, player, keep_name=True)
    assert PrizeHold.objects.get().reason == r"Ana \1 \g<x> is a shared address"


def test_what_was_erased_is_not_brought_back(event: Event, director: User) -> None:
    player = add(event, director)
    withdraw(actor=director, on=event.pk, registration_id=player.registrations.get().pk)
    correct_player(actor=director, on=event.pk, player_id=player.pk, name="Other", birth_date=BORN)
    correction = JournalEntry.objects.get(verb="player.correct")
    erase(event, director, player)
    with pytest.raises(Refused, match="cannot be undone"):
        undo(actor=director, entry_id=JournalEntry.objects.get(verb="player.erase").pk)
    with pytest.raises(Refused, match="came after it"):
        undo(actor=director, entry_id=correction.pk)
    with pytest.raises(Refused, match="There is no such player"):
        erase(event, director, player)


def test_a_namesake_keeps_their_name(event: Event, director: User) -> None:
    player = add(event, director)
    namesake = add(event, director, birth_date=dt.date(1999, 9, 9), email="namesake@example.nz", phone="")
    for one in (player, namesake):
        pay(event, director, one)
    draw_seats(actor=director, on=event.pk, day_id=event.days.get().pk)
    start_clock(actor=director, on=event.pk)
    close_entries(actor=director, on=event.pk)
    bust(actor=director, on=event.pk, entry_ids=[Entry.objects.get(player=player).pk])
    draw = Draw.objects.get(kind="initial")
    _pay_all(event, director)
    erase(event, director, player)
    namesake.refresh_from_db()
    draw.refresh_from_db()
    assert namesake.name == NAME
    assert sorted(draw.people.values()) == sorted([NAME, "Erased player"])


def _pay_all(event: Event, director: User) -> None:
    for entry in event.entries.exclude(payouts__taken_back=False):
        with suppress(Refused):  # no prize for this place
            pay_out(actor=director, on=event.pk, entry_id=entry.pk, method="cash")


# --- not yet ----------------------------------------------------------------------------------------------------------


def test_not_while_a_place_is_held(event: Event, director: User) -> None:
    with pytest.raises(Refused, match="hold a place in Main"):
        erase(event, director, add(event, director))


def test_not_while_they_play_nor_while_a_prize_is_owed(event: Event, director: User) -> None:
    player = add(event, director)
    pay(event, director, player)
    with pytest.raises(Refused, match="still playing Main"):
        erase(event, director, player)
    add_players(event, 1, director)
    draw_seats(actor=director, on=event.pk, day_id=event.days.get().pk)
    start_clock(actor=director, on=event.pk)
    close_entries(actor=director, on=event.pk)
    mine = Entry.objects.get(player=player)
    bust(actor=director, on=event.pk, entry_ids=[event.entries.exclude(pk=mine.pk).get().pk])
    with pytest.raises(Refused, match="A prize of Main is not paid out yet"):
        erase(event, director, player)
    pay_out(actor=director, on=event.pk, entry_id=mine.pk, method="cash")
    erase(event, director, player)


def test_a_merged_record_counts_too(event: Event, director: User) -> None:
    kept = add(make_event(event.series, name="Side"), director)
    withdraw(actor=director, on=kept.registrations.get().event_id, registration_id=kept.registrations.get().pk)
    gone = add(event, director)
    merge_players(actor=director, on=event.series_id, kept_id=kept.pk, gone_id=gone.pk)
    with pytest.raises(Refused, match="hold a place in Main"):
        erase(event, director, kept)


def test_another_series_needs_its_director(event: Event, director: User) -> None:
    player = add(event, director)
    elsewhere = make_event(make_series(name="Elsewhere"))
    for at in (event, elsewhere):
        owner = make_user(owner=True)
        if at is elsewhere:
            register(actor=owner, on=at.pk, player_id=player.pk)
        withdraw(actor=owner, on=at.pk, registration_id=Registration.objects.get(event=at).pk)
    with pytest.raises(Refused, match="Elsewhere knows this player too"):
        erase(event, director, player)
    erase(event, make_user(owner=True), player)


@pytest.mark.parametrize("role", [Role.FLOOR, Role.DESK, Role.DEALER, Role.EDITOR, Role.AUDITOR])
def test_only_a_director_erases(client: Client, event: Event, director: User, role: str) -> None:
    player = add(event, director)
    actor = make_user(role=role, series=event.series)
    with pytest.raises(NotAllowed):
        erase(event, actor, player)
    client.force_login(actor)
    address = [event.series.slug, player.pk]
    sent = client.post(reverse("player_erase", args=address), {"sure": "on", "command_id": str(uuid.uuid4())})
    assert sent.status_code == 403
    assert client.get(reverse("player_data", args=address)).status_code == 403


def test_a_staff_members_account_stays(event: Event, director: User) -> None:
    player = add(event, director)
    withdraw(actor=director, on=event.pk, registration_id=player.registrations.get().pk)
    staff = make_user("Hana", role=Role.DESK, series=event.series)
    with guard.writing():
        Player.objects.filter(pk=player.pk).update(user=staff)
    assert erase(event, director, player)["account_kept"]
    staff.refresh_from_db()
    assert staff.is_active
    assert not staff.players.exists()


# --- asked by the player ----------------------------------------------------------------------------------------------


def test_a_request_reaches_the_director_who_carries_it_out(client: Client, event: Event, director: User) -> None:
    player = add(event, director)
    withdraw(actor=director, on=event.pk, registration_id=player.registrations.get().pk)
    own = reverse("my_erasure", args=[player.token])
    assert client.post(own, {"keep_name": "on", "command_id": str(uuid.uuid4())}).status_code == 303
    again = client.post(own, {"command_id": str(uuid.uuid4())})
    assert again.status_code == 422
    assert "You have asked for this already." in again.content.decode()
    assert "You asked on" in client.get(reverse("my_details", args=[player.token])).content.decode()
    client.force_login(make_user(role=Role.DESK, series=event.series))
    assert "be erased" not in client.get(reverse("series_players", args=[event.series.slug])).content.decode()
    client.force_login(director)
    assert (
        "1 player asks for their data"
        in client.get(reverse("series_players", args=[event.series.slug])).content.decode()
    )
    page = reverse("series_player", args=[event.series.slug, player.pk])
    assert "results may keep the public name" in client.get(page).content.decode()
    address = reverse("player_erase", args=[event.series.slug, player.pk])
    unsure = client.post(address, {"command_id": str(uuid.uuid4())})
    assert unsure.status_code == 422
    assert "Tick this: it cannot be undone." in unsure.content.decode()
    done = client.post(address, {"sure": "on", "keep_name": "", "command_id": str(uuid.uuid4())}, follow=True)
    assert "The data is erased." in done.content.decode()
    assert ErasureRequest.objects.get().status == ErasureRequest.Status.DONE


def test_a_request_is_taken_back(event: Event, director: User) -> None:
    player = add(event, director)
    ask_erasure(actor=Visitor(), on=event.series_id, token=player.token)
    take_back_erasure(actor=Visitor(), on=event.series_id, token=player.token)
    with pytest.raises(Refused, match="You have not asked"):
        take_back_erasure(actor=Visitor(), on=event.series_id, token=player.token)
    ask_erasure(actor=Visitor(), on=event.series_id, token=player.token)
    with pytest.raises(Refused, match="does not work any more"):
        ask_erasure(actor=Visitor(), on=event.series_id, token="x" * 22)


# --- given out --------------------------------------------------------------------------------------------------------


def test_a_person_gets_all_of_their_data(client: Client, event: Event, director: User) -> None:
    player = a_life(event, director)
    response = client.get(reverse("my_data", args=[player.token]))
    assert response["Content-Disposition"].startswith("attachment")
    assert "no-store" in response["Cache-Control"]
    found = response.json()
    assert {row["name"] for row in found["details"]} == {NAME}
    assert found["account"]["email"] == EMAIL
    assert [row["places"] for row in found["results"]] == [[1, 1]]
    assert len(found["registrations"]) == 2
    assert found["payments"][0]["cents"] == 25000
    assert found["sighted_id"][0]["shows_age"] == 18
    assert found["penalties"][0]["sanction"] == "warning"
    assert "wheelchair" in found["kept_seats"][0]["why"]
    assert found["letters"]
    assert player.token not in response.content.decode()
    assert "swore" not in response.content.decode()
    client.force_login(director)
    by_staff = client.get(reverse("player_data", args=[event.series.slug, player.pk]))
    assert by_staff.json() == found
    assert client.get(reverse("my_data", args=["x" * 22])).status_code == 404


def test_of_exclusions_a_person_gets_the_breaks_they_took(client: Client, event: Event, director: User) -> None:
    player = add(event, director)
    exclude_self(actor=Visitor(), on=Organiser.objects.get().pk, token=player.token, months=1, sure=True)
    given: dict[str, Any] = {"name": player.name, "birth_date": player.birth_date, "until": None, "why": "He swore."}
    exclude(actor=director, on=event.series_id, player_id=player.pk, **given)
    response = client.get(reverse("my_data", args=[player.token]))
    (own,) = response.json()["breaks_taken"]
    assert own["until"] == Exclusion.objects.get(by_player=True).until.isoformat()
    assert own["ended_early_at"] is None
    assert "swore" not in response.content.decode()


# --- agreed to --------------------------------------------------------------------------------------------------------


def test_signing_up_keeps_what_was_agreed_to(client: Client, event: Event) -> None:
    cache.clear()
    page = client.get(reverse("sign_up", args=[event.pk])).content.decode()
    assert reverse("privacy", args=[event.series.slug]) in page
    rules = event.series.rulebook_versions.get()
    given = {
        "command_id": str(uuid.uuid4()), "name": NAME, "birth_date": "14/3/1987", "contact": EMAIL, "rules": "on",
        "rules_version": str(rules.pk), "privacy_version": str(PRIVACY_VERSION), "website": "",
    }  # fmt: skip
    refused = client.post(reverse("sign_up", args=[event.pk]), given)
    assert refused.status_code == 422
    assert "Please read how your details are kept" in refused.content.decode()
    assert not Player.objects.exists()
    old = client.post(reverse("sign_up", args=[event.pk]), given | {"privacy": "on", "privacy_version": "99"})
    assert "The privacy page was changed a moment ago." in old.content.decode()
    assert client.post(reverse("sign_up", args=[event.pk]), given | {"privacy": "on"}).status_code == 303
    assert Registration.objects.get().privacy_version == PRIVACY_VERSION
    assert Letter.objects.exists()


def test_the_privacy_page_is_there_for_everybody(client: Client, event: Event) -> None:
    page = client.get(reverse("privacy", args=[event.series.slug])).content.decode()
    assert "Privacy Act 2020" in page
    hidden = make_series(published=False)
    assert client.get(reverse("privacy", args=[hidden.slug])).status_code == 404


def test_not_while_an_exclusion_needs_the_name(event: Event, director: User) -> None:
    player = add(event, director)
    withdraw(actor=director, on=event.pk, registration_id=player.registrations.get().pk)
    with guard.writing():
        rows = [
            Exclusion.objects.create(
                player=holder, name=NAME, name_folded=player.name_folded, birth_date=BORN, reason=f"{NAME} asked",
                from_at=dt.datetime(2026, 1, 1, tzinfo=dt.UTC),
            )
            for holder in (player, None)
        ]  # fmt: skip
    with pytest.raises(Refused, match="They are excluded: name and birth date are needed"):
        erase(event, director, player)
    with guard.writing():
        Exclusion.objects.update(until=dt.datetime(2026, 2, 1, tzinfo=dt.UTC))
    erase(event, director, player)
    for row in rows:
        row.refresh_from_db()
        assert (row.name, row.birth_date, row.reason) == ("Erased player", None, "Erased player asked")
    assert traces() == set()

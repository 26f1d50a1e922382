"""Two records of one person made one, and two again."""

import datetime as dt
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from accounts.permissions import Role
from journal import guard
from journal.chain import verify
from journal.commands import Done
from journal.errors import NotAllowed, Refused, Stale
from journal.models import JournalEntry
from journal.undo import undo
from rulings.penalty_commands import give_penalty
from series.commands.merging import merge_players, tell_apart
from series.commands.people import correct_player, register, sight_id, withdraw
from series.commands.players import claim_player, list_player
from series.models import Entry, Event, Merge, Player, Registration
from series.reads.players import duplicates, told_apart_from
from tables.commands.clock import start_clock
from tables.commands.entries import buy_in, reenter
from tables.commands.floor import bust
from tables.models import Penalty
from tests.factories import make_director, make_event, make_series, make_user
from tests.tables.at_the_desk import form

pytestmark = pytest.mark.django_db
BORN = dt.date(2000, 6, 5)


@pytest.fixture
def event() -> Event:
    return make_event(name="Main", max_reentries=2)


@pytest.fixture
def director(event: Event) -> User:
    return make_director(event.series)


def add(event: Event, director: User, name: str, *, paid: bool = False, **given: Any) -> Player:
    held = register(actor=director, on=event.pk, name=name, birth_date=BORN, **given).result
    if paid:
        pay(event, director, held["registration"])
    return Player.objects.get(pk=held["player"])


def pay(event: Event, director: User, registration: int) -> None:
    buy_in(actor=director, on=event.pk, registration_id=registration, method="cash", id_kind="passport")


def merge(event: Event, actor: User, kept: Player, gone: Player, **given: Any) -> Done:
    return merge_players(actor=actor, on=event.series_id, kept_id=kept.pk, gone_id=gone.pk, **given)


def merge_entry() -> int:
    return JournalEntry.objects.get(verb="player.merge").pk


def refresh(*rows: Any) -> None:
    for row in rows:
        row.refresh_from_db()


def test_everything_goes_to_the_one_kept_and_comes_back(event: Event, director: User) -> None:
    other = make_event(event.series, name="Side")
    kept = add(event, director, "Zoë Smith", paid=True)
    gone = add(other, director, "Zoe Smith", paid=True, email="zoe@example.nz", phone="021 555 0101")
    entry = Entry.objects.get(player=gone)
    give_penalty(
        actor=director,
        on=other.pk,
        entry_id=entry.pk,
        offence="abuse",
        sanction="warning",
        facts="Swore.",
        severe=False,
    )
    rows = [*gone.registrations.all(), entry, *gone.id_checks.all(), *Penalty.objects.all()]
    assert len(rows) == 4
    merge(event, director, kept, gone)
    refresh(kept, gone, *rows)
    assert (gone.status, gone.merged_into) == (Player.Status.MERGED, kept)
    assert {row.player_id for row in rows} == {kept.pk}
    assert (kept.email, kept.phone, kept.name) == ("zoe@example.nz", "021 555 0101", "Zoë Smith")
    undo(actor=director, entry_id=merge_entry())
    refresh(kept, gone, *rows)
    assert (gone.status, gone.merged_into) == (Player.Status.ACTIVE, None)
    assert {row.player_id for row in rows} == {gone.pk}
    assert (kept.email, gone.email) == ("", "zoe@example.nz")
    assert Merge.objects.get().taken_back
    assert not list(verify())


def test_what_somebody_did_with_the_rows_since_keeps_it(event: Event, director: User) -> None:
    other = make_event(event.series)
    kept, gone = add(event, director, "Zoë Smith"), add(other, director, "Zoe Smith")
    merge(event, director, kept, gone)
    withdraw(actor=director, on=other.pk, registration_id=other.registrations.get().pk)
    with pytest.raises(Refused, match=r"gave the place back.* came after it"):
        undo(actor=director, entry_id=merge_entry())


def test_a_new_entry_in_a_moved_event_keeps_it(event: Event, director: User) -> None:
    quiet = make_event(event.series)
    kept, gone = add(quiet, director, "Zoë Smith"), add(event, director, "Zoe Smith", paid=True)
    add(event, director, "Mia Paraone", paid=True)
    start_clock(actor=director, on=event.pk)
    bust(actor=director, on=event.pk, entry_ids=[Entry.objects.get(player=gone).pk])
    merge(event, director, kept, gone)
    reenter(actor=director, on=event.pk, player_id=kept.pk, method="cash")
    with pytest.raises(Refused, match=r"re-entered.* came after it"):
        undo(actor=director, entry_id=merge_entry())
    assert Player.objects.get(pk=gone.pk).status == Player.Status.MERGED


def test_an_event_of_their_own_afterwards_does_not_keep_it(event: Event, director: User) -> None:
    other = make_event(event.series)
    kept, gone = add(event, director, "Zoë Smith"), add(other, director, "Zoe Smith")
    merge(event, director, kept, gone)
    third = make_event(event.series)
    register(actor=director, on=third.pk, player_id=kept.pk)
    undo(actor=director, entry_id=merge_entry())
    assert third.registrations.get().player == kept
    assert other.registrations.get().player == gone


def test_a_merge_undone_is_not_redone_but_made_anew(event: Event, director: User) -> None:
    kept, gone = add(event, director, "Zoë Smith"), add(make_event(event.series), director, "Zoe Smith")
    merge(event, director, kept, gone)
    undo(actor=director, entry_id=merge_entry())
    with pytest.raises(Refused, match="Merge the two records again"):
        undo(actor=director, entry_id=JournalEntry.objects.get(verb="undo").pk)
    merge(event, director, kept, gone)
    assert Merge.objects.filter(taken_back=False).count() == 1


@pytest.mark.parametrize(("one", "two"), [(False, False), (True, False), (True, True)])
def test_both_live_in_one_event_are_two_people(event: Event, director: User, one: bool, two: bool) -> None:
    kept, gone = add(event, director, "Zoë Smith", paid=one), add(event, director, "Zoe Anne Smith", paid=two)
    with pytest.raises(Refused, match="both hold a place in Main"):
        merge(event, director, kept, gone)
    assert not Merge.objects.exists()


def test_a_place_given_back_is_no_hindrance(event: Event, director: User) -> None:
    kept, gone = add(event, director, "Zoë Smith"), add(event, director, "Zoe Anne Smith")
    withdraw(actor=director, on=event.pk, registration_id=gone.registrations.get().pk)
    merge(event, director, kept, gone)
    assert kept.registrations.count() == 2


def test_a_reentry_under_a_second_record_becomes_the_next_entry(event: Event, director: User) -> None:
    kept, gone = (add(event, director, name, paid=True) for name in ("Zoë Smith", "Zoe Anne Smith"))
    add(event, director, "Mia Paraone", paid=True)
    start_clock(actor=director, on=event.pk)
    for player in (kept, gone):
        bust(actor=director, on=event.pk, entry_ids=[Entry.objects.get(player=player).pk])
    merge(event, director, kept, gone)
    assert list(kept.entries.order_by("number").values_list("number", flat=True)) == [1, 2]
    assert Registration.objects.get(player=gone).event == event
    undo(actor=director, entry_id=merge_entry())
    assert list(Entry.objects.filter(player=gone).values_list("number", flat=True)) == [1]


def test_two_who_were_left_at_the_end_are_two_people(event: Event, director: User) -> None:
    kept, gone = (add(event, director, name, paid=True) for name in ("Zoë Smith", "Zoe Anne Smith"))
    with guard.writing():
        Event.objects.filter(pk=event.pk).update(status=Event.Status.FINISHED)
    with pytest.raises(Refused, match="both in Main at its end"):
        merge(event, director, kept, gone)


def test_rows_of_another_series_need_a_role_there(event: Event, director: User) -> None:
    elsewhere = make_event(make_series(name="Elsewhere"))
    there = make_director(elsewhere.series)
    kept, gone = add(event, director, "Zoë Smith"), add(elsewhere, there, "Zoe Smith")
    register(actor=director, on=make_event(event.series).pk, player_id=gone.pk, name="zoe smith", birth_date=BORN)
    with pytest.raises(Refused, match="known in Elsewhere too"):
        merge(event, director, kept, gone)
    merge(event, make_user(owner=True), kept, gone)
    assert elsewhere.registrations.get().player == kept


def test_a_record_that_the_series_does_not_know_is_none(event: Event, director: User) -> None:
    elsewhere = make_event()
    stranger = add(elsewhere, make_director(elsewhere.series), "Zoe Smith")
    kept = add(event, director, "Zoë Smith")
    for one, two in ((kept, stranger), (stranger, kept)):
        with pytest.raises(Refused, match="There is no such player"):
            merge(event, director, one, two)
    with pytest.raises(Refused, match="This is one record"):
        merge(event, director, kept, kept)


@pytest.mark.parametrize(
    ("role", "may"),
    [(Role.DESK, True), (Role.FLOOR, True), (Role.AUDITOR, False), (Role.DEALER, False), (Role.EDITOR, False)],
)
def test_who_may(event: Event, director: User, role: str, may: bool) -> None:
    kept, gone = add(event, director, "Zoë Smith"), add(make_event(event.series), director, "Zoe Smith")
    actor = make_user(role=role, series=event.series)
    if may:
        merge(event, actor, kept, gone)
        return
    with pytest.raises(NotAllowed):
        merge(event, actor, kept, gone)


def test_a_form_that_is_behind_says_why(event: Event, director: User) -> None:
    kept, gone = add(event, director, "Zoë Smith"), add(make_event(event.series), director, "Zoe Smith")
    seen = event.series.seq
    merge(event, director, kept, gone)
    with pytest.raises(Refused):
        merge(event, director, kept, gone, expected_version=seen)
    undo(actor=director, entry_id=merge_entry())
    with pytest.raises(Stale, match="two records are one now"):
        merge(event, director, kept, gone, expected_version=seen)


def test_the_account_goes_with_the_record(event: Event, director: User) -> None:
    kept, gone = add(event, director, "Zoë Smith"), add(make_event(event.series), director, "Zoe Smith")
    user = make_user("Zoe")
    claim_player(actor=user, on=event.series_id, token=gone.token)
    merge(event, director, kept, gone)
    refresh(kept, gone)
    assert (kept.user, gone.user) == (user, None)
    undo(actor=director, entry_id=merge_entry())
    refresh(kept, gone)
    assert (kept.user, gone.user) == (None, user)
    claim_player(actor=make_user("Other"), on=event.series_id, token=kept.token)
    with pytest.raises(Refused, match="Both have an account"):
        merge(event, director, kept, gone)


def test_the_kept_one_goes_on_as_ever(event: Event, director: User) -> None:
    kept, gone = add(event, director, "Zoë Smith"), add(make_event(event.series), director, "Zoe Smith")
    merge(event, director, kept, gone)
    sight_id(actor=director, on=event.pk, player_id=kept.pk, kind="passport")
    correct_player(actor=director, on=event.pk, player_id=kept.pk, name="Zoë Smith", birth_date=BORN)
    pay(event, director, event.registrations.get().pk)
    with pytest.raises(Refused, match="There is no such player"):
        register(actor=director, on=make_event(event.series).pk, player_id=gone.pk)


def test_undoing_a_merge_of_two_series_needs_a_role_in_both(event: Event, director: User) -> None:
    elsewhere = make_event(make_series(), name="South")
    owner = make_user("Ana", owner=True)
    kept, gone = add(event, owner, "Hana Pō"), add(elsewhere, owner, "Hana Po")
    list_player(actor=owner, on=event.series_id, player_id=gone.pk, name=gone.name, birth_date=BORN)
    merge(event, owner, kept, gone)
    with pytest.raises(NotAllowed, match="another series"):
        undo(actor=director, entry_id=merge_entry())
    undo(actor=owner, entry_id=merge_entry())
    refresh(gone)
    assert gone.status == Player.Status.ACTIVE


# --- two people -------------------------------------------------------------------------------------------------------
def test_a_pair_told_apart_is_offered_no_more_until_undone(event: Event, director: User) -> None:
    one, other = add(event, director, "Zoë Smith"), add(make_event(event.series), director, "Zoe Smith")
    third = add(make_event(event.series), director, "Zoe Smyth")
    assert len(duplicates(event.series_id)) == 3
    given: dict[str, Any] = {"actor": director, "on": event.series_id}
    tell_apart(**given, first_id=other.pk, second_id=one.pk)
    assert [(pair.first, pair.second) for pair in duplicates(event.series_id)] == [(one, third), (other, third)]
    with pytest.raises(Refused, match="told apart already"):
        tell_apart(**given, first_id=one.pk, second_id=other.pk)
    undo(actor=director, entry_id=JournalEntry.objects.get(verb="player.two_people").pk)
    assert len(duplicates(event.series_id)) == 3
    tell_apart(**given, first_id=one.pk, second_id=other.pk)
    for kept, gone in ((one, other), (other, one)):
        with pytest.raises(Refused, match="Undo that first"):
            merge(event, director, kept, gone)
    undo(actor=director, entry_id=JournalEntry.objects.filter(verb="player.two_people").latest("pk").pk)
    merge(event, director, one, other)


def test_who_was_told_apart_from_either_is_told_apart_from_the_one_they_become(event: Event, director: User) -> None:
    kept, gone = add(event, director, "Zoë Smith"), add(make_event(event.series), director, "Zoe Smith")
    of_gone, of_both = (add(make_event(event.series), director, name) for name in ("Zoe Smyth", "Zoe Smithe"))
    for first, second in ((gone, of_gone), (gone, of_both), (kept, of_both)):
        tell_apart(actor=director, on=event.series_id, first_id=first.pk, second_id=second.pk)
    merge(event, director, kept, gone)
    assert told_apart_from(kept) == {of_gone.pk, of_both.pk}
    undo(actor=director, entry_id=merge_entry())
    assert (told_apart_from(kept), told_apart_from(gone)) == ({of_both.pk}, {of_gone.pk, of_both.pk})


def test_who_may_tell_apart_and_whom(event: Event, director: User) -> None:
    one, other = add(event, director, "Zoë Smith"), add(event, director, "Mia Smith")
    stranger = add(make_event(), make_user("Ana", owner=True), "Zoe Smith")
    for second in (one, stranger):
        with pytest.raises(Refused):
            tell_apart(actor=director, on=event.series_id, first_id=one.pk, second_id=second.pk)
    dealer = make_user("Dan", role=Role.DEALER, series=event.series)
    with pytest.raises(NotAllowed):
        tell_apart(actor=dealer, on=event.series_id, first_id=one.pk, second_id=other.pk)


def test_the_page_tells_a_pair_apart_and_takes_it_back(event: Event, director: User, client: Client) -> None:
    one, other = add(event, director, "Zoë Smith"), add(make_event(event.series), director, "Zoe Smith")
    slug = event.series.slug
    client.force_login(director)
    page, player = reverse("player_duplicates", args=[slug]), reverse("series_player", args=[slug, one.pk])
    assert "This may be one person" in client.get(player).content.decode()
    sent = client.post(reverse("player_two_people", args=[slug, one.pk]), form(**{"with": other.pk}), follow=True)
    assert "No two records look like one person" in sent.content.decode()
    assert "This may be one person" not in client.get(player).content.decode()
    entry = JournalEntry.objects.get(verb="player.two_people").pk
    assert reverse("undo", args=[entry]) in sent.content.decode()
    client.post(reverse("undo", args=[entry]), form(next=page))
    assert "same name and birth date" in client.get(page).content.decode()

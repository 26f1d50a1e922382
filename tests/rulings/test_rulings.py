"""Rulings by commands: who may, by which rule of which version, never on one's own hand, appeals, undo."""

import datetime as dt
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from accounts.models import User
from accounts.permissions import Role
from journal import guard
from journal.errors import NotAllowed, Refused, Stale
from journal.models import JournalEntry, RowChange, Sealed
from journal.undo import undo
from rulings.models import RulebookVersion, RuleText, Ruling
from rulings.ruling_commands import ask_appeal, decide_appeal, record_ruling
from rulings.ruling_reads import how_we_ruled, player_choices, ruling_page, rulings_of
from series.models import Entry, Event, Player
from tables.models import Seat
from tests.factories import add_players, make_director, make_event, make_series, make_user, start_clock

pytestmark = pytest.mark.django_db


@pytest.fixture
def event() -> Event:
    event = make_event()
    add_players(event, 3, make_director(event.series))
    return event


@pytest.fixture
def floor(event: Event) -> User:
    return make_user("Wiremu", role=Role.FLOOR, series=event.series)


@pytest.fixture
def director(event: Event) -> User:
    return make_director(event.series)


def rule(event: Event, number: str) -> int:
    return RuleText.objects.get(version__series=event.series, version__status="in_force", number=number).rule_id


def entries(event: Event) -> list[int]:
    return list(Entry.objects.filter(event=event).order_by("pk").values_list("pk", flat=True))


def record(actor: User, event: Event, **given: Any) -> Ruling:
    facts = {"facts": "Seat 4 pushed 800 facing 500.", "decision": "Raise to 1,000.", "basis": "rule"}
    if "basis" not in given:
        facts |= {"rule_id": rule(event, "9a")}
    done = record_ruling(actor=actor, on=event.pk, **facts | given)
    return Ruling.objects.get(pk=done.result["ruling"])


def become(user: User, entry_id: int) -> None:
    """The user is the player of an entry."""
    with guard.writing():
        Player.objects.filter(entries=entry_id).update(user=user)


# --- recording -------------------------------------------------------------------------------------------------------


def test_a_ruling_keeps_what_where_who_and_by_which_rule_of_which_version(event: Event, floor: User) -> None:
    here = Seat.objects.filter(entry__isnull=False).first().table.number
    ruling = record(floor, event, table=here, hand=112, entry_ids=entries(event)[:2], sealed_check="kept")
    assert (ruling.number, ruling.table, ruling.hand, ruling.decided_by) == (1, here, 112, floor)
    assert ruling.rulebook_version.number == 1
    assert ruling.rule.key == "9a"
    assert ruling.day == event.days.get()
    assert [party.entry_id for party in ruling.parties.all()] == entries(event)[:2]
    entry = JournalEntry.objects.latest("pk")
    assert (entry.verb, entry.rule, entry.rulebook_version) == ("ruling.record", "9a", 1)
    page = ruling_page(ruling.pk)
    assert (page.line.rule, page.rule_words, page.line.decided_by) == ("9a", "Rule 9a.", "Wiremu")


def test_numbers_run_in_the_event(event: Event, floor: User) -> None:
    other = make_event(event.series)
    assert [record(floor, where).number for where in (event, event, other, event)] == [1, 2, 1, 3]


def test_the_version_is_the_one_that_the_event_pinned_at_its_start(event: Event, floor: User, director: User) -> None:
    start_clock(actor=director, on=event.pk)
    old = RulebookVersion.objects.get(series=event.series)
    with guard.writing():
        RulebookVersion.objects.filter(pk=old.pk).update(status="superseded")
        new = RulebookVersion.objects.create(
            series=event.series, number=2, status="in_force", effective_from=dt.datetime.now(dt.UTC)
        )
        for position, (number, key) in enumerate((("9", "9a"), ("48", "48"))):
            rule_ = event.series.rules.get(key=key)
            RuleText.objects.create(
                version=new, rule=rule_, position=position, number=number, section="General", text=f"New {number}."
            )
    nine_a = event.series.rules.get(key="9a").pk
    event.refresh_from_db()
    assert record(floor, event, basis="rule", rule_id=nine_a).rulebook_version == old
    later = make_event(event.series)
    ruling = record(floor, later, basis="rule", rule_id=nine_a)
    assert (ruling.rulebook_version, ruling_page(ruling.pk).line.rule) == (new, "9")
    # rule 1 went with the new version: an event that goes by it cannot be ruled by it
    with pytest.raises(Refused) as refused:
        record(floor, later, basis="rule", rule_id=event.series.rules.get(key="1").pk)
    assert refused.value.field == "rule"


def test_discretion_needs_its_reason_and_cites_rule_1(event: Event, floor: User) -> None:
    for reason in ("", "   "):
        with pytest.raises(Refused) as refused:
            record(floor, event, basis="discretion", reason=reason)
        assert refused.value.field == "reason"
    ruling = record(floor, event, basis="discretion", reason="The hand was seen by all.")
    assert (ruling.rule, ruling.reason) == (None, "The hand was seen by all.")
    entry = JournalEntry.objects.latest("pk")
    assert (entry.rule, entry.reason) == ("1", "The hand was seen by all.")


def test_without_a_rulebook_only_discretion_is_left(floor: User, event: Event) -> None:
    bare = make_event(make_series())
    with guard.writing():
        RuleText.objects.filter(version__series=bare.series).delete()
        RulebookVersion.objects.filter(series=bare.series).delete()
    owner = make_user("Moana", owner=True)
    with pytest.raises(Refused, match="no such rule"):
        record(owner, bare, basis="rule", rule_id=rule(event, "9a"))
    assert record(owner, bare, basis="discretion", reason="Fair.").rulebook_version is None


def test_the_database_holds_that_a_ruling_has_a_rule_or_a_reason(event: Event, floor: User) -> None:
    ruling = record(floor, event)
    with pytest.raises(IntegrityError), transaction.atomic(), guard.writing():
        Ruling.objects.filter(pk=ruling.pk).update(rule=None)


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"facts": " "}, "facts"),
        ({"decision": ""}, "decision"),
        ({"basis": "rule", "rule_id": None}, "rule"),
        ({"basis": "rule", "rule_id": 10**6}, "rule"),
        ({"table": 77}, "table"),
        ({"day_id": 10**6}, "day"),
        ({"entry_ids": [10**6]}, "players"),
    ],
)
def test_what_is_unknown_or_missing_is_refused_and_nothing_is_written(
    event: Event, floor: User, given: dict[str, Any], field: str
) -> None:
    with pytest.raises(Refused) as refused:
        record(floor, event, **given)
    assert refused.value.field == field
    assert not Ruling.objects.exists()


def test_a_player_of_another_event_is_no_party(event: Event, floor: User) -> None:
    other = make_event(event.series)
    add_players(other, 1, make_director(event.series))
    with pytest.raises(Refused, match="not in the event"):
        record(floor, event, entry_ids=entries(other))


@pytest.mark.parametrize(
    ("role", "may"),
    [(Role.DIRECTOR, True), (Role.FLOOR, True), (Role.DEALER, False), (Role.DESK, False), (Role.AUDITOR, False)],
)
def test_who_may_rule(event: Event, role: str, may: bool) -> None:
    user = make_user("Aroha", role=role, series=event.series)
    if may:
        assert record(user, event).decided_by == user
    else:
        with pytest.raises(NotAllowed):
            record(user, event)
        assert not Ruling.objects.exists()


def test_a_role_in_another_series_is_no_role_here(event: Event) -> None:
    with pytest.raises(NotAllowed):
        record(make_director(make_series()), event)


def test_nobody_rules_on_their_own_hand(event: Event, floor: User, director: User) -> None:
    own, other, _ = entries(event)
    become(floor, own)
    with pytest.raises(Refused, match="their own hand") as refused:
        record(floor, event, entry_ids=[other, own])
    assert refused.value.field == "players"
    assert record(floor, event, entry_ids=[other]).number == 1
    assert record(director, event, entry_ids=[own]).number == 2
    owner = make_user("Moana", owner=True)
    become(owner, other)
    with pytest.raises(Refused, match="their own hand"):
        record(owner, event, entry_ids=[other])


def test_the_words_of_a_ruling_are_sealed_in_the_journal(event: Event, floor: User) -> None:
    record(floor, event, facts="Mr Parata shouted.", decision="Warned, Mr Parata.", calculation={"why": "Mr Parata"})
    assert "Mr Parata" not in str(list(JournalEntry.objects.values())) + str(list(RowChange.objects.values()))
    assert {row.value for row in Sealed.objects.filter(table="rulings.ruling") if isinstance(row.value, str)} == {
        "Mr Parata shouted.",
        "Warned, Mr Parata.",
    }


# --- appeals ---------------------------------------------------------------------------------------------------------


def test_an_appeal_from_the_player_to_the_director(event: Event, floor: User, director: User) -> None:
    ruling = record(floor, event)
    ask_appeal(actor=floor, on=event.pk, ruling_id=ruling.pk, grounds=" It was a call. ")
    ruling.refresh_from_db()
    assert (ruling.appeal, ruling.appeal_grounds) == ("asked", "It was a call.")
    assert [line.waits for line in rulings_of(event)] == [True]
    decide_appeal(actor=director, on=event.pk, ruling_id=ruling.pk, upheld=False, note="The chips came first.")
    ruling.refresh_from_db()
    assert (ruling.appeal, ruling.appeal_note, ruling.appeal_decided_by) == (
        "overturned",
        "The chips came first.",
        director,
    )
    assert "overturned on appeal" in JournalEntry.objects.latest("pk").facts["outcome"]


def test_an_appeal_is_asked_once_and_decided_once(event: Event, floor: User, director: User) -> None:
    ruling = record(floor, event)
    with pytest.raises(Refused, match="No appeal"):
        decide_appeal(actor=director, on=event.pk, ruling_id=ruling.pk, upheld=True, note="Yes.")
    ask_appeal(actor=floor, on=event.pk, ruling_id=ruling.pk)
    with pytest.raises(Refused, match="already"):
        ask_appeal(actor=floor, on=event.pk, ruling_id=ruling.pk)
    with pytest.raises(Refused) as refused:
        decide_appeal(actor=director, on=event.pk, ruling_id=ruling.pk, upheld=True, note="  ")
    assert refused.value.field == "note"
    decide_appeal(actor=director, on=event.pk, ruling_id=ruling.pk, upheld=True, note="Yes.")
    with pytest.raises(Refused, match="No appeal"):
        decide_appeal(actor=director, on=event.pk, ruling_id=ruling.pk, upheld=False, note="No.")


def test_only_another_director_decides_an_appeal(event: Event, floor: User, director: User) -> None:
    ruling = record(director, event, entry_ids=entries(event)[:1])
    ask_appeal(actor=floor, on=event.pk, ruling_id=ruling.pk)
    with pytest.raises(NotAllowed):
        decide_appeal(actor=floor, on=event.pk, ruling_id=ruling.pk, upheld=True, note="Yes.")
    with pytest.raises(Refused, match="somebody else decides"):
        decide_appeal(actor=director, on=event.pk, ruling_id=ruling.pk, upheld=True, note="Yes.")
    playing = make_director(event.series)
    become(playing, entries(event)[0])
    with pytest.raises(Refused, match="their own hand"):
        decide_appeal(actor=playing, on=event.pk, ruling_id=ruling.pk, upheld=True, note="Yes.")
    other = make_director(event.series)
    assert decide_appeal(actor=other, on=event.pk, ruling_id=ruling.pk, upheld=True, note="Yes.").seq


def test_a_ruling_of_another_event_is_missing_here(event: Event, floor: User) -> None:
    ruling = record(floor, event)
    with pytest.raises(Refused, match="no such ruling"):
        ask_appeal(actor=floor, on=make_event(event.series).pk, ruling_id=ruling.pk)


def test_an_appeal_seen_too_late_is_stale(event: Event, floor: User) -> None:
    ruling = record(floor, event)
    event.refresh_from_db()
    seen = event.seq
    ask_appeal(actor=floor, on=event.pk, ruling_id=ruling.pk)
    with pytest.raises(Stale, match="Appeal asked against ruling 1"):
        ask_appeal(actor=floor, on=event.pk, ruling_id=ruling.pk, expected_version=seen)


# --- undo ------------------------------------------------------------------------------------------------------------


def last_entry() -> int:
    return JournalEntry.objects.latest("pk").pk


def test_a_ruling_taken_back_stays_readable_with_its_players_and_its_number(event: Event, floor: User) -> None:
    ruling = record(floor, event, entry_ids=entries(event)[:2])
    undo(actor=floor, entry_id=last_entry())
    ruling.refresh_from_db()
    assert ruling.withdrawn
    assert ruling.parties.count() == 2
    assert record(floor, event).number == 2
    with pytest.raises(Refused, match="withdrawn"):
        ask_appeal(actor=floor, on=event.pk, ruling_id=ruling.pk)


def test_taking_back_can_be_taken_back(event: Event, floor: User) -> None:
    ruling = record(floor, event, entry_ids=entries(event)[:2])
    undo(actor=floor, entry_id=last_entry())
    undo(actor=floor, entry_id=last_entry())
    ruling.refresh_from_db()
    assert not ruling.withdrawn
    assert ruling.parties.count() == 2


def test_players_do_not_take_back_rulings_on_their_own_hand(event: Event, floor: User) -> None:
    own = entries(event)[0]
    ruling = record(make_director(event.series), event, entry_ids=[own])
    become(floor, own)
    with pytest.raises(Refused, match="their own hand"):
        undo(actor=floor, entry_id=last_entry())
    ruling.refresh_from_db()
    assert not ruling.withdrawn


def test_players_do_not_take_back_appeals_on_their_own_hand(event: Event, floor: User, director: User) -> None:
    own = entries(event)[0]
    ruling = record(floor, event, entry_ids=[own])
    ask_appeal(actor=floor, on=event.pk, ruling_id=ruling.pk)
    decide_appeal(actor=director, on=event.pk, ruling_id=ruling.pk, upheld=False, note="The chips came first.")
    playing = make_director(event.series)
    become(playing, own)
    with pytest.raises(Refused, match="their own hand"):
        undo(actor=playing, entry_id=last_entry())
    undo(actor=director, entry_id=last_entry())
    ruling.refresh_from_db()
    assert (ruling.appeal, ruling.appeal_note, ruling.appeal_decided_by) == ("asked", "", None)


def test_an_appeal_can_be_taken_back_but_not_the_ruling_under_it(event: Event, floor: User) -> None:
    ruling = record(floor, event)
    recorded = last_entry()
    ask_appeal(actor=floor, on=event.pk, ruling_id=ruling.pk)
    with pytest.raises(Refused, match="came after it"):
        undo(actor=floor, entry_id=recorded)
    undo(actor=floor, entry_id=last_entry())
    ruling.refresh_from_db()
    assert (ruling.appeal, ruling.appeal_asked_at) == ("none", None)


# --- how did we rule last time ---------------------------------------------------------------------------------------


def found(event: Event, search: str) -> list[int]:
    return sorted(line.id for line in how_we_ruled(event, search))


def test_search_over_words_rule_and_players_of_the_whole_series(event: Event, floor: User) -> None:
    later = make_event(event.series)
    name = Entry.objects.get(pk=entries(event)[0]).player.public_name
    string_bet = record(floor, event, facts="A string bet, Māori word: kōrero.", entry_ids=entries(event)[:1])
    mucked = record(
        floor, later, facts="Dealer mucked a hand.", decision="Retrieved.", basis="discretion", reason="Seen by all."
    )
    assert found(later, "string bet") == [string_bet.pk]
    assert found(later, "korero MAORI") == [string_bet.pk]
    assert found(later, "retrieved") == found(later, "seen all") == found(later, "rule 1") == [mucked.pk]
    assert found(later, "rule 9a") == [string_bet.pk]
    assert found(later, "rule 9a bet") == [string_bet.pk]
    assert found(later, "rule 9") == found(later, "rule 9a mucked") == found(later, "nothing") == []
    assert string_bet.pk in found(later, name)
    assert found(make_event(), "string bet") == []


def test_withdrawn_rulings_are_no_precedent(event: Event, floor: User) -> None:
    record(floor, event)
    undo(actor=floor, entry_id=last_entry())
    assert found(event, "rule 9a") == []
    assert [line.withdrawn for line in rulings_of(event)] == [True]


def test_the_list_takes_two_queries_for_one_and_for_three(
    event: Event, floor: User, django_assert_num_queries: Any
) -> None:
    for _ in range(2):
        record(floor, event, entry_ids=entries(event))
        with django_assert_num_queries(2):
            assert all(line.players for line in rulings_of(event))
        with django_assert_num_queries(2):
            assert how_we_ruled(event, "raise")
        record(floor, event, entry_ids=entries(event))
    assert len(rulings_of(event)) == 4


# --- who may be named ------------------------------------------------------------------------------------------------


def test_players_of_the_table_first_then_those_chosen_or_found(event: Event, django_assert_num_queries: Any) -> None:
    add_players(event, 9, make_director(event.series))
    numbers = sorted({seat.table.number for seat in Seat.objects.filter(entry__isnull=False)})
    here, there = numbers[:2]
    stranger = Seat.objects.filter(entry__isnull=False, table__number=there).first().entry
    with django_assert_num_queries(2):
        choices = player_choices(event, table=here, chosen=[stranger.pk])
    seated = Seat.objects.filter(entry__isnull=False, table__number=here).order_by("number")
    assert [choice.entry_id for choice in choices] == [*(seat.entry_id for seat in seated), stranger.pk]
    assert choices[0].where == f"seat {seated[0].number}"
    assert choices[-1].where.startswith(f"table {there}, seat")
    by_name = player_choices(event, table=None, chosen=[], find=stranger.player.public_name.upper())
    assert [choice.entry_id for choice in by_name] == [stranger.pk]
    assert player_choices(event, table=None, chosen=[]) == []

"""The action clock: called, acted, run out by the sweep, called off, left; who may, and what phones show."""

import datetime as dt
import json
import uuid
from typing import Any

import pytest
import time_machine
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from accounts.permissions import Role
from journal import guard
from journal.commands import Done
from journal.errors import NotAllowed, Refused
from journal.models import JournalEntry
from journal.undo import undo
from series.models import Day, Event, Registration, Series
from tables.commands import action_clock
from tables.models import ActionClock, Table
from tables.tasks import carry_out_due, next_deadlines
from tests.factories import make_director, make_event, make_user
from tests.tables.hall import make_hall
from tests.tables.pages import entries_at, signed_in, words

pytestmark = pytest.mark.django_db
START = dt.datetime(2026, 11, 30, 8, 0, tzinfo=dt.UTC)


class Table1:
    """One table of six at a running event, at an instant that tests move."""

    def __init__(self, **options: Any) -> None:
        self.event: Event = make_event()
        if options:
            with guard.writing():
                Series.objects.filter(pk=self.event.series_id).update(options=options)
            self.event.series.refresh_from_db()
        self.day: Day = make_hall(self.event, [6])
        self.dealer: User = make_user("Dee", role=Role.DEALER, series=self.event.series)
        self.floor: User = make_user("Flo", role=Role.FLOOR, series=self.event.series)
        self.entries = entries_at(self.event, 1)

    def call(self, who: int = 0, **given: Any) -> Done:
        given = {"table": 1, "entry_id": self.entries[who].pk, "actor": self.dealer} | given
        return action_clock.call_clock(on=self.event.pk, **given)

    @property
    def clock(self) -> ActionClock:
        return ActionClock.objects.latest("pk")

    def url(self, **query: Any) -> str:
        found = reverse("action_clock", args=[self.event.pk, 1])
        return found + ("?" + "&".join(f"{key}={value}" for key, value in query.items()) if query else "")


@pytest.fixture
def at() -> Any:
    with time_machine.travel(START, tick=False) as traveller:
        yield traveller


def test_the_clock_is_instants_and_its_end_is_carried_out_by_the_sweep(at: Any) -> None:
    table = Table1()
    table.call()
    clock = table.clock
    assert (clock.countdown_at - START, clock.deadline_at - START) == (
        dt.timedelta(seconds=60),
        dt.timedelta(seconds=70),
    )
    assert clock.deadline_at + dt.timedelta(milliseconds=1) in next_deadlines(timezone.now())
    at.move_to(clock.deadline_at)
    carry_out_due()
    assert table.clock.status == "running"  # the last instant still belongs to the player
    at.move_to(clock.deadline_at + dt.timedelta(milliseconds=1))
    carry_out_due()
    carry_out_due()
    assert (table.clock.status, table.clock.result) == ("expired", "dead")
    ends = JournalEntry.objects.filter(verb="action_clock.expire")
    assert [(entry.rule, entry.actor_name) for entry in ends] == [("28a", "the clock")]


@pytest.mark.parametrize(("after", "status", "result"), [(70_000, "acted", "live"), (70_001, "expired", "dead")])
def test_acting_exactly_at_the_limit_is_in_time(at: Any, after: int, status: str, result: str) -> None:
    table = Table1()
    table.call()
    heard = START + dt.timedelta(milliseconds=after)
    at.move_to(heard + dt.timedelta(seconds=1))
    action_clock.act(actor=table.dealer, on=table.event.pk, clock_id=table.clock.pk, received_at=heard)
    assert (table.clock.status, table.clock.result) == (status, result)


def test_what_was_heard_in_time_counts_though_the_end_was_quicker(at: Any) -> None:
    table = Table1()
    table.call()
    at.move_to(table.clock.deadline_at + dt.timedelta(seconds=1))
    carry_out_due()
    act = {"actor": table.dealer, "on": table.event.pk, "clock_id": table.clock.pk}
    action_clock.act(**act, received_at=table.clock.deadline_at)
    assert (table.clock.status, table.clock.result) == ("acted", "live")
    with pytest.raises(Refused, match="over"):
        action_clock.act(**act, received_at=table.clock.deadline_at)


def test_options_of_the_series(at: Any) -> None:
    table = Table1(action_seconds=25, action_countdown=5, expire_unfaced="check", left_after_acting="live")
    table.call(facing_bet=False)
    assert table.clock.deadline_at - START == dt.timedelta(seconds=30)
    at.move_to(START + dt.timedelta(seconds=31))
    carry_out_due()
    assert table.clock.result == "check"
    for can_act, result in ((False, "live"), (True, "dead")):
        given = {"table": 1, "entry_id": table.entries[1].pk, "can_act": can_act}
        assert action_clock.left_seat(actor=table.dealer, on=table.event.pk, **given).result == {"result": result}


def test_one_at_a_table_and_only_players_dealt_in(at: Any) -> None:
    table = Table1()

    with guard.writing():
        Table.objects.update(dealt_in={"1": table.entries[0].pk, "2": table.entries[1].pk})
    with pytest.raises(Refused) as refused:
        table.call(2)
    assert refused.value.field == "entry_id"
    with pytest.raises(Refused) as refused:
        table.call(0, called_by=table.entries[3].pk)
    assert refused.value.field == "called_by"
    table.call(0, called_by=table.entries[0].pk)
    assert JournalEntry.objects.latest("pk").rule == "28b"
    with pytest.raises(Refused, match="already"):
        table.call(1)


def test_leaving_ends_a_running_clock_at_once(at: Any) -> None:
    table = Table1()
    table.call()
    action_clock.left_seat(actor=table.dealer, on=table.event.pk, table=1, entry_id=table.entries[0].pk)
    assert (table.clock.status, table.clock.result, ActionClock.objects.count()) == ("left", "dead", 1)
    assert JournalEntry.objects.latest("pk").rule == "29"


def test_called_off_and_undone(at: Any) -> None:
    table = Table1()
    done = table.call()
    action_clock.cancel(actor=table.dealer, on=table.event.pk, clock_id=table.clock.pk)
    entry = JournalEntry.objects.latest("pk")
    undo(actor=table.dealer, entry_id=entry.pk)
    assert table.clock.status == "running"
    undo(actor=table.dealer, entry_id=JournalEntry.objects.latest("pk").pk)
    with pytest.raises(Refused, match="came after it"):
        undo(actor=table.dealer, entry_id=JournalEntry.objects.get(stream=entry.stream, seq=done.seq).pk)


def test_the_call_itself_can_be_undone(at: Any) -> None:
    table = Table1()
    table.call()
    undo(actor=table.dealer, entry_id=JournalEntry.objects.latest("pk").pk)
    assert not ActionClock.objects.exists()


def test_only_the_floor_overrules_and_says_why(at: Any) -> None:
    table = Table1()
    table.call()
    given = {"on": table.event.pk, "clock_id": table.clock.pk}
    at.move_to(START + dt.timedelta(seconds=71))
    carry_out_due()
    with pytest.raises(NotAllowed):
        action_clock.overrule(actor=table.dealer, reason="I saw it", **given)
    with pytest.raises(Refused, match="why"):
        action_clock.overrule(actor=table.floor, **given)
    action_clock.overrule(actor=table.floor, reason="The dealer saw the call.", **given)
    assert (table.clock.status, table.clock.result) == ("expired", "live")


@pytest.mark.parametrize("role", [Role.DESK, Role.EDITOR, Role.AUDITOR])
def test_others_do_not_use_it(at: Any, role: Role) -> None:
    table = Table1()
    user = make_user("Other", role=role, series=table.event.series)
    assert signed_in(user).get(table.url()).status_code == (200 if role == Role.AUDITOR else 403)
    with pytest.raises(NotAllowed):
        table.call(actor=user)


def test_the_dealers_phone_from_tap_to_result(at: Any) -> None:
    table = Table1()
    client = signed_in(table.dealer)
    shown = words(client.get(table.url()))
    assert table.entries[0].player.public_name in shown
    sent = {"do": "call", "table": 1, "entry_id": table.entries[0].pk, "facing_bet": "on", "command_id": uuid.uuid4()}
    answer = client.post(table.url(), sent)
    assert answer.status_code == 303
    at.move_to(START + dt.timedelta(seconds=63))
    shown = words(client.get(answer.url))
    assert 'data-action-part="figure">7<' in shown
    assert f'data-deadline="{round(table.clock.deadline_at.timestamp() * 1000)}"' in shown
    again = client.post(
        table.url(), {"do": "call", "table": 1, "entry_id": table.entries[1].pk, "command_id": uuid.uuid4()}
    )
    assert again.status_code == 422
    client.post(table.url(), {"do": "acted", "clock_id": table.clock.pk, "command_id": uuid.uuid4()})
    assert table.clock.status == "acted"
    assert "Acted in time" in words(client.get(table.url()))


def test_left_seat_on_the_phone(at: Any) -> None:
    table = Table1()
    client = signed_in(table.floor)
    assert "Who left the seat?" in words(client.get(table.url(left=1)))
    client.post(table.url(), {"do": "left", "table": 1, "entry_id": table.entries[2].pk, "command_id": uuid.uuid4()})
    assert "rule 29" in words(client.get(table.url()))


def test_the_player_sees_the_own_clock_and_nobody_elses(at: Any) -> None:
    table = Table1()

    for entry in table.entries:
        with guard.writing():
            Registration.objects.create(event=table.event, day=table.day, player=entry.player, at=START)
    table.call()
    pages = [words(signed_in(table.dealer).get(reverse("my_page", args=[e.player.token]))) for e in table.entries[:2]]
    assert ["You are on the clock" in page for page in pages] == [True, False]


def test_the_page_takes_the_same_queries_for_two_and_nine_players(at: Any) -> None:
    counts = []
    for size in (2, 9):
        event = make_event()
        make_hall(event, [size])
        client = signed_in(make_director(event.series))
        with CaptureQueriesContext(connection) as found:
            client.get(reverse("action_clock", args=[event.pk, 1]))
        counts.append(len(found))
    assert counts[0] == counts[1] <= 14


def test_viewers_learn_of_it() -> None:
    from config.live import PUBLIC, change

    said = change("event:1", 2, frozenset({"tables.actionclock"}), PUBLIC)
    assert json.loads(said.split(b"data: ")[1])["touches"] == ["tables.actionclock"]

"""Hand-for-hand by commands: rounds, shared places, time off the clock, broken tables, mistakes, the money."""

import datetime as dt
import re

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.permissions import Role
from journal import guard
from journal.chain import verify
from journal.errors import NotAllowed, Refused
from journal.models import JournalEntry
from journal.undo import undo
from series.models import Entry, Level
from tables.commands.breaking import break_table
from tables.commands.clock import CLOCK, pause_clock
from tables.commands.draws import draw_seats
from tables.commands.floor import bust, close_entries
from tables.commands.hand_for_hand import (
    announce_hand_for_hand,
    end_hand_for_hand,
    nudge_slow_tables,
    release_hand,
    release_hand_now,
    report_hand,
    withdraw_report,
)
from tables.commands.hands import next_hand, set_button
from tables.models import Bust, Clock, HandForHand, HandReport, Seat
from tables.reads.standings import standings
from tables.tasks import carry_out_due
from tests.factories import add_players, make_director, make_event, make_user, start_clock
from tests.tables.pages import floor_url, press, signed_in, words

pytestmark = pytest.mark.django_db


@pytest.fixture
def bubble():
    """Three tables of three, nine players, eight of them alive when three are paid; entries closed."""
    event = make_event(payout_shares=[2000, 2000, 1500, 1500, 1000, 1000, 1000], minutes=20)
    director = make_director(event.series)
    draw_seats(actor=director, on=event.pk, tables=3)
    add_players(event, 9, director)
    start_clock(actor=director, on=event.pk)
    close_entries(actor=director, on=event.pk)
    bust(actor=director, on=event.pk, entry_ids=[at_table(event, 1)[0]])
    return event, director


def at_table(event, number):
    seats = Seat.objects.filter(table__day__event=event, table__number=number, entry__isnull=False)
    return list(seats.order_by("number").values_list("entry_id", flat=True))


def report_all(event, actor, *tables):
    for table in tables:
        report_hand(actor=actor, on=event.pk, table=table)


def release(event):
    """What the sweep does once the seconds of grace are over."""
    with guard.writing():
        HandForHand.objects.filter(release_at__isnull=False).update(release_at=timezone.now())
    play = HandForHand.objects.latest("pk")
    return release_hand(actor=CLOCK, on=event.pk, play_id=play.pk, version=play.version)


def remaining() -> dt.timedelta:
    return Clock.objects.get().remaining


def test_a_bubble_from_announcement_to_the_money(bubble):
    event, director = bubble
    dealer = make_user("Tane", role=Role.DEALER, series=event.series)
    announce_hand_for_hand(actor=director, on=event.pk)
    at_announcement = remaining()
    assert Clock.objects.get().status == "paused"
    report_all(event, dealer, 1, 2)
    assert HandForHand.objects.get().phase == "announced"
    report_all(event, dealer, 3)
    assert HandForHand.objects.get().phase == "all_idle"
    release(event)
    play = HandForHand.objects.get()
    assert (play.phase, play.hand) == ("dealing", 1)
    assert remaining() == at_announcement - dt.timedelta(minutes=2)
    first, second = at_table(event, 1)[0], at_table(event, 2)[0]
    bust(actor=director, on=event.pk, entry_ids=[first])
    bust(actor=director, on=event.pk, entry_ids=[second])
    report_all(event, dealer, 1, 2, 3)
    release(event)
    assert HandForHand.objects.get().phase == "normal"
    assert Clock.objects.get().status == "running"
    shared = [placed for placed in standings(event) if placed.entry_id in (first, second)]
    assert [(placed.best, placed.worst) for placed in shared] == [(7, 8), (7, 8)]
    pool = 9 * 22000
    assert sum(placed.prize_cents for placed in shared) == pool // 10
    assert list(verify()) == []


def test_announced_in_the_money_for_another_jump_it_lasts_until_the_floor_ends_it(bubble):
    event, director = bubble
    bust(actor=director, on=event.pk, entry_ids=[at_table(event, 1)[0]])
    announce_hand_for_hand(actor=director, on=event.pk)  # seven left, seven paid (rule 51)
    for hand in (1, 2):
        bust(actor=director, on=event.pk, entry_ids=[at_table(event, 4 - hand)[0]])
        report_all(event, director, 1, 2, 3)
        release(event)
        assert (HandForHand.objects.get().phase, HandForHand.objects.get().hand) == ("dealing", hand)
    assert Clock.objects.get().status == "paused"
    end_hand_for_hand(actor=director, on=event.pk)
    assert Clock.objects.get().status == "running"


def test_hands_take_nothing_off_a_break_and_the_floor_is_told_of_it(bubble):
    event, director = bubble
    with guard.writing():
        event.levels.filter(position=1).update(kind=Level.Kind.BREAK, minutes=15)
    announce_hand_for_hand(actor=director, on=event.pk)
    floor = signed_in(director)
    assert "A break is due" not in words(floor.get(floor_url(event)))
    with guard.writing():
        Clock.objects.update(remaining=dt.timedelta(minutes=3))
    for _ in range(3):
        report_all(event, director, 1, 2, 3)
        release(event)
    assert (Clock.objects.get().position, remaining()) == (1, dt.timedelta(minutes=15))
    assert "A break is due" in words(floor.get(floor_url(event)))
    assert "a break is due" in words(floor.get(reverse("hand_for_hand", args=[event.pk])))
    end_hand_for_hand(actor=director, on=event.pk)
    assert (Clock.objects.get().position, Clock.objects.get().status) == (1, "running")


def test_clocks_that_stood_already_learn_that_play_is_hand_for_hand(bubble):
    event, director = bubble
    pause_clock(actor=director, on=event.pk)
    announce_hand_for_hand(actor=director, on=event.pk)
    touched = set(JournalEntry.objects.latest("pk").touches)
    assert "tables.clock" not in touched
    shown = [
        words(Client().get(reverse("clock", args=[event.pk]), {"part": "line"})),
        words(signed_in(director).get(floor_url(event))),
    ]
    for html in shown:
        part = next(tag for tag in re.findall(r"<section [^>]*>", html) if "data-clock=" in tag)
        listens = set(re.search(r'data-live-on="([^"]*)"', part)[1].split())
        assert touched & listens, part


def test_a_round_waits_for_every_table_and_the_sweep_for_the_seconds_of_grace(bubble):
    event, director = bubble
    announce_hand_for_hand(actor=director, on=event.pk)
    report_all(event, director, 1, 2)
    with pytest.raises(Refused, match="waits for table 3"):
        release_hand_now(actor=director, on=event.pk)
    report_all(event, director, 3)
    play = HandForHand.objects.get()
    assert release_hand(actor=CLOCK, on=event.pk, play_id=play.pk, version=play.version).seq is None
    release_hand_now(actor=director, on=event.pk)
    assert HandForHand.objects.get().hand == 1


def test_two_sweeps_release_one_hand(bubble):
    event, director = bubble
    announce_hand_for_hand(actor=director, on=event.pk)
    report_all(event, director, 1, 2, 3)
    with guard.writing():
        HandForHand.objects.update(release_at=timezone.now())
    play = HandForHand.objects.get()
    for _ in range(2):
        release_hand(actor=CLOCK, on=event.pk, play_id=play.pk, version=play.version)
    assert HandForHand.objects.get().hand == 1
    assert remaining() <= dt.timedelta(minutes=18)
    assert remaining() > dt.timedelta(minutes=17, seconds=50)


def test_a_mistaken_report_is_taken_back_by_the_board_or_by_undo(bubble):
    event, director = bubble
    announce_hand_for_hand(actor=director, on=event.pk)
    report_all(event, director, 1, 2, 3)
    withdraw_report(actor=director, on=event.pk, table=2)
    play = HandForHand.objects.get()
    assert (play.phase, play.release_at) == ("announced", None)
    report_all(event, director, 2)
    undo(actor=director, entry_id=JournalEntry.objects.latest("id").pk)
    play.refresh_from_db()
    assert (play.phase, play.release_at) == ("announced", None)
    assert HandReport.objects.filter(done_at=None).get().table.number == 2


def all_deal(event, actor, *tables):
    for table in tables:
        next_hand(actor=actor, on=event.pk, table=table)


@pytest.fixture
def told_bubble(bubble):
    """The bubble with all tables in hand 1 of hand-for-hand, which they told."""
    event, director = bubble
    for table in (1, 2, 3):
        set_button(actor=director, on=event.pk, table=table, button=1)
    announce_hand_for_hand(actor=director, on=event.pk)
    report_all(event, director, 1, 2, 3)
    release(event)
    all_deal(event, director, 1, 2, 3)
    return event, director


def places(event, *entry_ids):
    found = {placed.entry_id: (placed.best, placed.worst) for placed in standings(event)}
    return [found[entry_id] for entry_id in entry_ids]


def test_a_bust_told_after_the_release_counts_in_the_hand_it_was_in(told_bubble):
    event, director = told_bubble
    bust(actor=director, on=event.pk, entry_ids=[at_table(event, 1)[0]])
    bust(actor=director, on=event.pk, entry_ids=[at_table(event, 3)[0]])
    end_hand_for_hand(actor=director, on=event.pk)
    announce_hand_for_hand(actor=director, on=event.pk)  # six left, seven paid (rule 51)
    report_all(event, director, 1, 2, 3)
    release(event)
    all_deal(event, director, 2, 3)
    first, late = at_table(event, 2)[0], at_table(event, 3)[0]
    bust(actor=director, on=event.pk, entry_ids=[first])
    report_all(event, director, 1, 2, 3)
    release(event)
    bust(actor=director, on=event.pk, entry_ids=[late])
    assert places(event, first, late) == [(5, 6), (5, 6)]
    all_deal(event, director, 2)
    later = at_table(event, 2)[0]
    page = words(signed_in(director).get(floor_url(event) + f"?out={later}"))
    assert re.findall(r'name="hand" value="(\d)"( checked)?', page) == [("2", " checked"), ("1", "")]
    bust(actor=director, on=event.pk, entry_ids=[later])
    assert places(event, later) == [(4, 4)]
    with pytest.raises(Refused, match="Another hand is being played"):
        bust(actor=director, on=event.pk, entry_ids=[at_table(event, 1)[0]], hand=0)
    press(signed_in(director), event, "bust", out=at_table(event, 1)[0], hand=1)
    assert places(event, first, late, later) == [(4, 6), (4, 6), (3, 3)]


def test_a_bust_of_the_last_hand_told_after_the_end_shares_with_those_of_it(told_bubble):
    event, director = told_bubble
    first, late, later = at_table(event, 2)[0], at_table(event, 3)[0], at_table(event, 1)[0]
    bust(actor=director, on=event.pk, entry_ids=[first])
    report_all(event, director, 1, 2, 3)
    release(event)
    assert HandForHand.objects.get().phase == "normal"
    place = Seat.objects.get(entry=late)
    page = words(signed_in(director).get(reverse("table", args=[event.pk, 3]), {"seat": place.number}))
    assert re.findall(r'name="hand" value="(\d)"( checked)?', page) == [("2", ""), ("1", " checked")]
    bust(actor=director, on=event.pk, entry_ids=[late])
    bust(actor=director, on=event.pk, entry_ids=[later], hand=2)
    assert places(event, first, late, later) == [(7, 8), (7, 8), (6, 6)]
    with guard.writing():
        HandForHand.objects.update(ended_at=timezone.now() - dt.timedelta(minutes=6))
    assert "Out in" not in words(signed_in(director).get(floor_url(event) + f"?out={at_table(event, 1)[0]}"))


def last_entry():
    return JournalEntry.objects.latest("id").pk


@pytest.fixture
def five_tables():
    """Five tables of two, all of them paid, hand-for-hand announced."""
    event = make_event(payout_shares=[1000] * 10)
    director = make_director(event.series)
    draw_seats(actor=director, on=event.pk, tables=5)
    add_players(event, 10, director)
    start_clock(actor=director, on=event.pk)
    announce_hand_for_hand(actor=director, on=event.pk)
    return event, director


def test_undo_of_an_early_report_waits_for_that_table_again(five_tables):
    event, director = five_tables
    report_all(event, director, 1)
    early = last_entry()
    report_all(event, director, 2, 3, 4, 5)
    undo(actor=director, entry_id=early)
    play = HandForHand.objects.get()
    assert (play.phase, play.release_at) == ("announced", None)
    undo(actor=director, entry_id=last_entry())  # redone: all have reported
    play.refresh_from_db()
    assert play.phase == "all_idle"
    assert play.release_at > timezone.now() + dt.timedelta(seconds=3)


def test_undo_of_a_withdrawal_completes_the_round(five_tables):
    event, director = five_tables
    report_all(event, director, 1)
    withdraw_report(actor=director, on=event.pk, table=1)
    mistake = last_entry()
    report_all(event, director, 2, 3, 4, 5)
    undo(actor=director, entry_id=mistake)
    assert HandForHand.objects.get().phase == "all_idle"


def test_what_is_over_is_not_undone(five_tables):
    event, director = five_tables
    report_all(event, director, 1)
    early = last_entry()
    report_all(event, director, 2, 3, 4, 5)
    release_hand_now(actor=director, on=event.pk)
    with pytest.raises(Refused, match="cannot be undone"):
        undo(actor=director, entry_id=last_entry())
    with pytest.raises(Refused, match="that hand of hand-for-hand is over"):
        undo(actor=director, entry_id=early)
    assert HandReport.objects.get(hand=0, table__number=1).done_at
    report_all(event, director, 1)
    early = last_entry()
    end_hand_for_hand(actor=director, on=event.pk)
    with pytest.raises(Refused, match="that hand of hand-for-hand is over"):
        undo(actor=director, entry_id=early)


def test_a_table_broken_in_the_middle_is_not_waited_for(bubble):
    event, director = bubble
    announce_hand_for_hand(actor=director, on=event.pk)
    report_all(event, director, 1, 2)
    break_table(actor=director, on=event.pk, table=3)
    assert HandForHand.objects.get().phase == "all_idle"
    release(event)
    reports = HandReport.objects.filter(hand=1).order_by("table__number")
    assert [report.table.number for report in reports] == [1, 2]


def test_a_bust_of_the_round_is_undone_alone(bubble):
    event, director = bubble
    announce_hand_for_hand(actor=director, on=event.pk)
    first, second = at_table(event, 1)[0], at_table(event, 2)[0]
    bust(actor=director, on=event.pk, entry_ids=[first])
    mistake = JournalEntry.objects.latest("id")
    bust(actor=director, on=event.pk, entry_ids=[second])
    undo(actor=director, entry_id=mistake.pk)
    assert Entry.objects.get(pk=first).status == Entry.Status.PLAYING
    assert Bust.objects.filter(elimination=HandForHand.objects.get().elimination).get().entry_id == second


def test_a_slow_table_is_nudged_once_a_hand(bubble):
    event, director = bubble
    announce_hand_for_hand(actor=director, on=event.pk)
    report_all(event, director, 1, 2)
    play = HandForHand.objects.get()
    assert nudge_slow_tables(actor=CLOCK, on=event.pk, play_id=play.pk).seq is None
    with guard.writing():
        HandForHand.objects.update(since=timezone.now() - dt.timedelta(minutes=5))
    assert nudge_slow_tables(actor=CLOCK, on=event.pk, play_id=play.pk).result == {"tables": [3]}
    assert nudge_slow_tables(actor=CLOCK, on=event.pk, play_id=play.pk).seq is None


def test_the_floor_ends_it_and_the_clock_runs_on(bubble):
    event, director = bubble
    announce_hand_for_hand(actor=director, on=event.pk)
    end_hand_for_hand(actor=director, on=event.pk)
    assert Clock.objects.get().status == "running"
    with pytest.raises(Refused, match="not being played"):
        report_hand(actor=director, on=event.pk, table=1)


def test_only_the_floor_announces_and_only_dealers_and_floor_report(bubble):
    event, director = bubble
    dealer = make_user("Tane", role=Role.DEALER, series=event.series)
    desk = make_user("Hana", role=Role.DESK, series=event.series)
    with pytest.raises(NotAllowed):
        announce_hand_for_hand(actor=dealer, on=event.pk)
    announce_hand_for_hand(actor=director, on=event.pk)
    with pytest.raises(NotAllowed):
        report_hand(actor=desk, on=event.pk, table=1)
    with pytest.raises(Refused, match="announced already"):
        announce_hand_for_hand(actor=director, on=event.pk)


def test_a_worker_that_was_away_releases_one_hand_when_it_is_back(bubble):
    event, director = bubble
    announce_hand_for_hand(actor=director, on=event.pk)
    report_all(event, director, 1, 2, 3)
    carry_out_due()
    assert HandForHand.objects.get().hand == 0  # the seconds of grace are not over
    with guard.writing():
        HandForHand.objects.update(release_at=timezone.now() - dt.timedelta(minutes=10))
    for _ in range(2):
        carry_out_due()
    assert (HandForHand.objects.get().hand, HandForHand.objects.get().release_at) == (1, None)


def test_a_table_deals_one_hand_a_round_and_says_so(bubble):
    event, director = bubble
    set_button(actor=director, on=event.pk, table=2, button=1)
    announce_hand_for_hand(actor=director, on=event.pk)
    with pytest.raises(Refused, match="finish the hand in progress"):
        next_hand(actor=director, on=event.pk, table=2)
    report_all(event, director, 1, 2, 3)
    with pytest.raises(Refused, match="until the next hand is released"):
        next_hand(actor=director, on=event.pk, table=2)
    release(event)
    next_hand(actor=director, on=event.pk, table=2)
    dealt = JournalEntry.objects.latest("id")
    with pytest.raises(Refused, match="dealt already"):
        next_hand(actor=director, on=event.pk, table=2)
    undo(actor=director, entry_id=dealt.pk)
    assert HandReport.objects.get(hand=1, table__number=2).dealt_at is None
    next_hand(actor=director, on=event.pk, table=2)
    report_all(event, director, 2)
    with pytest.raises(Refused, match="until the next hand is released"):
        next_hand(actor=director, on=event.pk, table=2)

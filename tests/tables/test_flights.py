"""Flights into a later day: ending, bagging, bringing the bags together, the draw, the clock, and the places."""

import datetime as dt
import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import User
from accounts.permissions import Role
from journal.errors import NotAllowed, Refused
from journal.models import JournalEntry
from journal.undo import undo
from series.commands.events import add_day
from series.commands.people import register
from series.models import Day, Entry, Event
from tables.commands.clock import jump_clock, start_clock
from tables.commands.draws import draw_seats
from tables.commands.entries import buy_in, reenter
from tables.commands.flights import close_bags, end_day, gather, record_bags
from tables.commands.floor import bust
from tables.commands.payouts import pay_out
from tables.models import Bag, Clock, Draw, Seat
from tables.reads.bags import bagged, bags_page
from tables.reads.chips import hall_chips, in_play
from tables.reads.field import fields_of
from tables.reads.standings import standings
from tests.factories import make_director, make_user
from tests.tables.buying import LEVEL_3, make_terms_event, undo_last
from tests.tables.pages import floor_url, signed_in, words

pytestmark = pytest.mark.django_db


class Festival:
    """An event with flights 1A and 1B and a Day 2, and the director who runs it."""

    def __init__(self, **rules: object) -> None:
        self.event = make_terms_event(dict(rules), max_reentries=2, seats_per_table=6)
        self.director: User = make_director(self.event.series)
        first = self.event.days.get()
        for label, hours, kind in (("Day 1B", 5, Day.Kind.FLIGHT), ("Day 2", 24, Day.Kind.LATER)):
            self.do(add_day, label=label, starts_at=first.starts_at + dt.timedelta(hours=hours), kind=kind)
        self.a, self.b, self.two = self.event.days.order_by("number")

    def do(self, command, **given):
        return command(actor=self.director, on=self.event.pk, **given).result

    def play(self, day: Day, players: int) -> list[Entry]:
        """A flight with so many players, its clock running."""
        for number in range(players):
            name = f"{day.label} Player {number}"
            held = self.do(register, name=name, birth_date=dt.date(1990, 1, 1), day_id=day.pk)
            self.do(buy_in, registration_id=held["registration"], method="cash", id_kind="passport")
        self.do(start_clock, day_id=day.pk)
        return list(Entry.objects.filter(day=day).order_by("pk"))

    def bag(self, day: Day, stacks: list[int] | None = None) -> None:
        """End the day and bag what everybody has, by default equal stacks."""
        self.do(end_day, day_id=day.pk)
        entries = list(Entry.objects.filter(day=day, status="playing").order_by("pk"))
        each, rest = divmod(in_play(day), len(entries))
        stacks = stacks or [each + rest, *[each] * (len(entries) - 1)]
        for entry, chips in zip(entries, stacks, strict=True):
            seat = Seat.objects.get(entry=entry)
            self.do(record_bags, day_id=day.pk, table=seat.table.number, chips={entry.pk: chips})
        self.do(close_bags, day_id=day.pk)

    @property
    def places(self) -> list[tuple[int, int, int]]:
        found = [(place.entry_id, place.best, place.worst) for place in standings(self.event)]
        return sorted(found, key=lambda place: (place[1], place[0]))


def test_two_flights_come_together_on_a_later_day():
    it = Festival()
    ones, others = it.play(it.a, 4), it.play(it.b, 5)
    it.do(bust, entry_ids=[ones[0].pk])
    it.bag(it.a)
    assert Entry.objects.filter(status="bagged").count() == 3
    assert not Seat.objects.filter(table__day=it.a, entry__isnull=False).exists()
    with pytest.raises(Refused, match="Day 1B is not over"):
        it.do(gather, day_id=it.two.pk)
    it.do(bust, entry_ids=[others[0].pk])
    it.bag(it.b)
    assert it.do(gather, day_id=it.two.pk) == {"players": 7, "given_up": 0}
    assert (in_play(it.a), in_play(it.b), in_play(it.two)) == (0, 0, 90_000)
    it.do(draw_seats, day_id=it.two.pk)
    it.do(start_clock, day_id=it.two.pk)
    assert Draw.objects.filter(day=it.two, kind="initial").exists()
    assert sum(line.expected or 0 for line in hall_chips(it.two, 1).tables) == in_play(it.two)
    assert [place for _, place, _ in it.places] == [8, 9]  # with three left in the flight, and with four


def test_places_follow_from_how_many_were_left_in_the_own_flight():
    it = Festival()
    ones, others = it.play(it.a, 4), it.play(it.b, 5)
    for entry in (others[0], ones[0], ones[1], others[1]):
        it.do(bust, entry_ids=[entry.pk])
    assert it.places == [
        (ones[1].pk, 6, 6),
        (ones[0].pk, 7, 8),
        (others[1].pk, 7, 8),
        (others[0].pk, 9, 9),
    ]
    it.bag(it.a)
    it.bag(it.b)
    it.do(gather, day_id=it.two.pk)
    it.do(draw_seats, day_id=it.two.pk)
    it.do(start_clock, day_id=it.two.pk)
    it.do(bust, entry_ids=[ones[2].pk])
    assert it.places[0] == (ones[2].pk, 5, 5)
    assert it.places[1:] == [(ones[1].pk, 6, 6), (ones[0].pk, 7, 8), (others[1].pk, 7, 8), (others[0].pk, 9, 9)]
    for entry in (others[2], others[3], ones[3]):
        it.do(bust, entry_ids=[entry.pk])
    it.event.refresh_from_db()
    assert it.event.status == Event.Status.FINISHED
    assert [best for _, best, _ in it.places] == [1, 2, 3, 4, 5, 6, 7, 7, 9]


def test_no_prize_is_paid_while_a_flight_is_played():
    it = Festival()
    ones, _ = it.play(it.a, 3), it.play(it.b, 3)
    it.do(bust, entry_ids=[ones[0].pk])
    it.bag(it.a)
    with pytest.raises(Refused, match="pool can still grow"):
        it.do(pay_out, entry_id=ones[0].pk, method="cash")
    it.do(end_day, day_id=it.b.pk)
    with pytest.raises(Refused, match="flight is still being played"):
        it.do(pay_out, entry_id=ones[0].pk, method="cash")


def test_the_best_stack_goes_on_and_the_other_has_no_place():
    it = Festival(best_stack=True)
    ones = it.play(it.a, 3)
    player = ones[0].player
    it.bag(it.a, [5_000, 10_000, 15_000])
    again = it.do(reenter, player_id=player.pk, method="cash", day_id=it.b.pk)["entry"]
    it.play(it.b, 2)
    it.bag(it.b, [12_000, 9_000, 9_000])
    assert it.do(gather, day_id=it.two.pk) == {"players": 5, "given_up": 1}
    assert Entry.objects.get(pk=ones[0].pk).status == Entry.Status.GIVEN_UP
    assert Entry.objects.get(pk=again).day == it.two
    assert in_play(it.two) == 55_000
    assert (in_play(it.a), in_play(it.b)) == (0, 0)
    assert [(line.chips, line.on) for line in bagged(it.event).lines][-1] == (5_000, False)
    undo_last(it.director, it.event)
    assert (in_play(it.a), in_play(it.b), in_play(it.two)) == (30_000, 30_000, 0)
    assert Entry.objects.filter(status="bagged").count() == 6


def test_without_that_rule_who_has_bagged_does_not_enter_again():
    it = Festival()
    ones = it.play(it.a, 3)
    it.bag(it.a)
    with pytest.raises(Refused, match="has a stack for the next day"):
        it.do(reenter, player_id=ones[0].player_id, method="cash", day_id=it.b.pk)


def test_a_re_entry_may_be_for_a_later_flight_alone():
    it = Festival(reentry_day="next")
    ones = it.play(it.a, 3)
    it.do(bust, entry_ids=[ones[0].pk])
    with pytest.raises(Refused, match="only a later flight") as refused:
        it.do(reenter, player_id=ones[0].player_id, method="cash", day_id=it.a.pk)
    assert refused.value.field == "day"
    it.do(reenter, player_id=ones[0].player_id, method="cash", day_id=it.b.pk)


def test_bags_that_are_not_what_is_in_play_are_an_alarm():
    it = Festival()
    ones = it.play(it.a, 2)
    floor = make_user("Fred", role=Role.FLOOR, series=it.event.series)
    it.do(end_day, day_id=it.a.pk)
    it.do(record_bags, day_id=it.a.pk, table=1, chips={ones[0].pk: 9_000})
    with pytest.raises(Refused, match="1 players have no bag"):
        it.do(close_bags, day_id=it.a.pk)
    it.do(record_bags, day_id=it.a.pk, table=1, chips={ones[1].pk: 10_000})
    assert bags_page(it.a).difference == -1_000
    with pytest.raises(NotAllowed):
        close_bags(actor=floor, on=it.event.pk, day_id=it.a.pk)
    with pytest.raises(Refused) as refused:
        it.do(close_bags, day_id=it.a.pk)
    assert refused.value.field == "reason"
    assert close_bags(actor=it.director, on=it.event.pk, day_id=it.a.pk, reason="Lost").result["difference"] == -1_000
    assert in_play(it.a) == 19_000
    undo_last(it.director, it.event)
    assert in_play(it.a) == 20_000
    assert Entry.objects.filter(status="playing").count() == 2
    it.do(record_bags, day_id=it.a.pk, table=1, chips={ones[0].pk: 10_000})
    assert Bag.objects.filter(taken_back=False).count() == 2
    assert bags_page(it.a).difference == 0


@pytest.mark.parametrize("chips", [0, -5, 10**13])
def test_a_bag_holds_a_possible_number(chips):
    it = Festival()
    ones = it.play(it.a, 2)
    with pytest.raises(Refused, match="End the day first"):
        it.do(record_bags, day_id=it.a.pk, table=1, chips={ones[0].pk: 100})
    it.do(end_day, day_id=it.a.pk)
    with pytest.raises(Refused) as refused:
        it.do(record_bags, day_id=it.a.pk, table=1, chips={ones[0].pk: chips})
    assert refused.value.field == f"bag_{ones[0].pk}"


def test_a_day_ends_only_if_another_follows_and_comes_back_by_undo():
    it = Festival()
    it.play(it.a, 2)
    with pytest.raises(Refused, match="not being played"):
        it.do(end_day, day_id=it.b.pk)
    it.do(end_day, day_id=it.a.pk)
    assert Day.objects.get(pk=it.a.pk).entries_closed
    assert Clock.objects.get(day=it.a).status == "ended"
    undo_last(it.director, it.event)
    assert Clock.objects.get(day=it.a).status == "running"
    assert not Day.objects.get(pk=it.a.pk).entries_closed
    with pytest.raises(Refused, match="no later day"):
        it.do(end_day, day_id=it.two.pk)


def test_the_clock_goes_on_where_it_is_told_or_at_the_level_that_was_not_played_out():
    it = Festival()
    it.play(it.a, 2)
    it.play(it.b, 2)
    it.bag(it.a)
    it.bag(it.b)
    with pytest.raises(Refused) as refused:
        it.do(gather, day_id=it.two.pk, position=99)
    assert refused.value.field == "position"
    it.do(gather, day_id=it.two.pk)
    assert Clock.objects.get(day=it.two).position == 0
    undo_last(it.director, it.event)
    it.do(gather, day_id=it.two.pk, position=3)
    it.do(draw_seats, day_id=it.two.pk)
    it.do(start_clock, day_id=it.two.pk)
    clock = Clock.objects.get(day=it.two)
    assert (clock.position, clock.status) == (3, "running")


def test_the_field_counts_who_has_gone_on():
    it = Festival()
    ones = it.play(it.a, 4)
    it.play(it.b, 3)
    it.do(bust, entry_ids=[ones[0].pk])
    it.bag(it.a)
    now = fields_of([it.a], {})[it.a.pk]
    assert (now.left, now.entries, now.alive, now.all_entries) == (3, 4, 6, 7)
    it.bag(it.b)
    it.do(gather, day_id=it.two.pk)
    now = fields_of([it.a, it.two], {})
    assert (now[it.a.pk].left, now[it.a.pk].entries) == (0, 4)
    assert (now[it.two.pk].left, now[it.two.pk].alive, now[it.two.pk].all_entries) == (6, 6, 7)


# --- pages ------------------------------------------------------------------------------------------------------------
def page_of(event: Event, day: Day) -> str:
    return reverse("bags", args=[event.pk]) + f"?day={day.pk}"


def test_the_pages_lead_from_the_end_of_a_flight_to_the_draw_of_the_next_day():
    it = Festival(flight_percent=50)
    ones = it.play(it.a, 4)
    it.play(it.b, 2)
    it.bag(it.b)
    client = signed_in(it.director)
    assert "left." not in words(client.get(floor_url(it.event, it.a)))
    it.do(bust, entry_ids=[ones[0].pk, ones[1].pk], stacks={})
    assert "50 % of the flight" in words(client.get(floor_url(it.event, it.a)))
    assert client.post(page_of(it.event, it.a), {"do": "end"}).status_code == 303
    page = words(client.get(page_of(it.event, it.a)))
    assert f'name="bag_{ones[2].pk}"' in page
    sent = {"do": "bag", "table": 1, f"bag_{ones[2].pk}": "25,000", f"bag_{ones[3].pk}": "15000"}
    assert client.post(page_of(it.event, it.a), sent).status_code == 303
    assert "40,000 bagged" in words(client.get(page_of(it.event, it.a)))
    assert client.post(page_of(it.event, it.a), {"do": "close"}).status_code == 303
    assert "4 players have bagged for Day 2" in words(client.get(floor_url(it.event, it.two)))
    assert "60,000 chips" in words(client.get(page_of(it.event, it.two)))
    response = client.post(page_of(it.event, it.two), {"do": "gather", "position": "3"})
    assert response.status_code == 303
    assert "Draw seats" in words(client.get(response["Location"]))


def test_a_wrong_bag_is_named_and_what_was_typed_is_kept():
    it = Festival()
    one, two = it.play(it.a, 2)
    it.do(end_day, day_id=it.a.pk)
    it.do(record_bags, day_id=it.a.pk, table=1, chips={one.pk: 5_000})
    sent = {"do": "bag", "table": 1, f"bag_{one.pk}": "8,000", f"bag_{two.pk}": "12o00"}
    wrong = signed_in(it.director).post(page_of(it.event, it.a), sent)
    assert wrong.status_code == 422
    page = words(wrong)
    field = re.search(rf'<input[^>]* name="bag_{two.pk}"[^>]*>', page).group()
    assert 'value="12o00"' in field
    assert f'aria-invalid="true" aria-describedby="bag-{two.pk}-error"' in field
    assert re.search(rf'id="bag-{two.pk}-error">[^<]*whole number', page)
    seat = Seat.objects.get(entry=two).number
    assert f'<a href="#bag-{two.pk}">Seat {seat}, {two.player.name}</a>' in page
    other = re.search(rf'<input[^>]* name="bag_{one.pk}"[^>]*>', page).group()
    assert 'value="8,000"' in other
    assert "aria-invalid" not in other
    it.do(record_bags, day_id=it.a.pk, table=1, chips={two.pk: 15_000})
    it.do(close_bags, day_id=it.a.pk)
    assert "does not sit at table 1 any more" in words(
        signed_in(it.director).post(page_of(it.event, it.a), sent | {f"bag_{two.pk}": "12000"})
    )


def test_everybody_sees_the_bags_by_public_name(client: Client):
    it = Festival()
    ones = it.play(it.a, 2)
    it.do(end_day, day_id=it.a.pk)
    it.do(record_bags, day_id=it.a.pk, table=1, chips={ones[0].pk: 4_000, ones[1].pk: 16_000})
    address = reverse("bagged", args=[it.event.pk])
    assert "No bags yet" in words(client.get(address))
    it.do(close_bags, day_id=it.a.pk)
    page = words(client.get(address))
    assert page.index("16,000") < page.index("4,000")
    assert ones[0].player.public_name in page
    mine = words(client.get(reverse("my_page", args=[ones[1].player.token])))
    assert "You have bagged" in mine
    assert "16,000" in mine
    desk = signed_in(it.director)
    assert "has bagged" in words(desk.get(reverse("desk", args=[it.event.pk]), {"q": ones[0].player.name[:20]}))


@pytest.mark.parametrize(
    ("role", "status", "ends"),
    [(Role.FLOOR, 200, True), (Role.AUDITOR, 200, False), (Role.DESK, 403, False), (Role.DEALER, 403, False)],
)
def test_who_may(role, status, ends):
    it = Festival()
    it.play(it.a, 2)
    client = signed_in(make_user("Staff", role=role, series=it.event.series))
    response = client.get(page_of(it.event, it.a))
    assert response.status_code == status
    assert ("End Day 1A" in words(response)) == ends
    assert client.post(page_of(it.event, it.a), {"do": "end"}).status_code == (303 if ends else 403)


def test_the_list_of_bags_asks_as_much_for_six_as_for_two():
    counts = []
    for players in (2, 6):
        it = Festival()
        it.play(it.a, players)
        it.do(end_day, day_id=it.a.pk)
        client = signed_in(it.director)
        client.get(page_of(it.event, it.a))
        with CaptureQueriesContext(connection) as asked:
            client.get(page_of(it.event, it.a))
        counts.append(len(asked))
    assert counts[0] == counts[1]


def test_odd_input_is_no_error_of_the_server():
    it = Festival()
    it.play(it.a, 2)
    it.do(end_day, day_id=it.a.pk)
    client = signed_in(it.director)
    for sent in (
        {"do": "bag", "table": "9" * 30},
        {"do": "bag", "table": 1, "bag_" + "9" * 15: "5"},
        {"do": "bag", "table": 1, "bag_x": "5"},
        {"do": "gather", "position": "-1"},
        {"do": "close"},
    ):
        assert client.post(page_of(it.event, it.a), sent).status_code in (404, 409, 422)


def test_prizes_wait_while_the_later_day_still_sells_addons():
    it = Festival(addons=1, addon_cents=5000, addon_chips=15_000, addon_break=2)
    out = it.play(it.a, 3)[0]
    it.do(bust, entry_ids=[out.pk])
    it.bag(it.a)
    it.play(it.b, 2)
    it.bag(it.b)
    for _ in range(2):  # before the bags are brought and after
        with pytest.raises(Refused, match="still sold"):
            it.do(pay_out, entry_id=out.pk, method="cash")
        if not Clock.objects.filter(day=it.two).exists():
            it.do(gather, day_id=it.two.pk)
    it.do(draw_seats, day_id=it.two.pk)
    it.do(start_clock, day_id=it.two.pk)
    it.do(jump_clock, day_id=it.two.pk, position=LEVEL_3)
    with pytest.raises(Refused, match="no prize"):
        it.do(pay_out, entry_id=out.pk, method="cash")


def test_bags_are_not_taken_from_under_those_who_have_their_seats():
    it = Festival()
    for day in (it.a, it.b):
        it.play(day, 2)
        it.bag(day)
    it.do(gather, day_id=it.two.pk)
    gathered = JournalEntry.objects.get(verb="day.gather").pk
    it.do(draw_seats, day_id=it.two.pk)
    with pytest.raises(Refused, match="Seats have been drawn since"):
        undo(actor=it.director, entry_id=gathered)
    undo_last(it.director, it.event)
    undo(actor=it.director, entry_id=gathered)
    assert Entry.objects.filter(status=Entry.Status.BAGGED).count() == 4

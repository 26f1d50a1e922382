"""Season points: the formula's page, and the leaderboard as everybody sees it."""

import csv
import io
import uuid
from typing import Any

import pytest
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.permissions import Role
from journal import guard
from journal.errors import NotAllowed, Refused
from journal.models import JournalEntry
from journal.undo import undo
from series.commands.points import set_points
from series.models import Event, Player, Series
from tables.commands.floor import bust, close_entries
from tables.reads.leaderboard import board
from tests.factories import add_players, make_director, make_event, make_running_event, make_series, make_user
from tests.tables.pages import signed_in, words

pytestmark = pytest.mark.django_db


def finished(series: Series, players: int = 4, **fields: Any) -> Event:
    """An event that is over: the first to enter out first, so that the last one wins."""
    director = make_director(series)
    event, _ = make_running_event(players, director, series=series, **fields)
    close_entries(actor=director, on=event.pk)
    entries = list(event.entries.order_by("pk").values_list("pk", flat=True))
    for entry in entries[:-1]:
        bust(actor=director, on=event.pk, entry_ids=[entry])
    event.refresh_from_db()
    return event


def same_players(first: Event, second: Event) -> None:
    """The players of one event stand for those of the other, in the order of their entries."""
    ours = first.entries.order_by("pk").values_list("player", flat=True)
    with guard.writing():
        for entry, player in zip(second.entries.order_by("pk"), ours, strict=True):
            type(entry).objects.filter(pk=entry.pk).update(player=player)


def with_points(formula: str = "12 / place", **fields: Any) -> Series:
    return make_series(points_formula=formula, **fields)


# --- the leaderboard -------------------------------------------------------------------------------------------------


def test_who_leads_event_by_event():
    series = with_points()
    first, second = finished(series), finished(series)
    same_players(first, second)
    third = finished(series, 2)
    leaders = board(series).leaders
    assert [(leader.rank, leader.shared, leader.points) for leader in leaders] == [
        (1, False, 2_400),
        (2, True, 1_200),
        (2, True, 1_200),
        (4, False, 800),
        (5, True, 600),
        (5, True, 600),
    ]
    assert [one.event for one in leaders[0].events] == [first, second]
    page = words(Client().get(reverse("leaderboard", args=[series.slug])))
    assert page.count("<details") >= 6
    assert "12 / place" in page
    assert reverse("results", args=[third.pk]) in page
    assert page.count("> shared</span>") == 4


def test_only_the_best_results_count_and_the_others_are_struck_out():
    series = with_points(points_best=1)
    first, second = finished(series), finished(series)
    same_players(first, second)
    leaders = board(series).leaders
    assert [leader.points for leader in leaders] == [1_200, 600, 400, 300]
    assert [[one.counts for one in leader.events] for leader in leaders] == [[True, False]] * 4
    assert words(Client().get(reverse("leaderboard", args=[series.slug]))).count("does not count") == 4


def test_shared_places_get_the_mean_and_an_undone_bust_changes_it():
    series = with_points()
    director = make_director(series)
    event, _ = make_running_event(4, director, series=series)
    close_entries(actor=director, on=event.pk)
    entries = list(event.entries.order_by("pk").values_list("pk", flat=True))
    bust(actor=director, on=event.pk, entry_ids=entries[:2])
    bust(actor=director, on=event.pk, entry_ids=[entries[2]])
    assert [leader.points for leader in board(series).leaders] == [1_200, 600, 350, 350]
    undo(actor=director, entry_id=JournalEntry.objects.filter(verb="entry.bust").latest("pk").pk)
    assert board(series).leaders == []
    assert "No points yet" in words(Client().get(reverse("leaderboard", args=[series.slug])))


def test_everybody_stands_under_their_public_name_and_the_erased_not_at_all():
    series = with_points()
    event = finished(series)
    real = set(Player.objects.values_list("name", flat=True))
    with guard.writing():
        for player in Player.objects.all():
            Player.objects.filter(pk=player.pk).update(public_name=f"Guest {player.pk}")
        winner = event.entries.get(status="playing").player_id
        Player.objects.filter(pk=winner).update(status="erased")
    for name in ("leaderboard", "leaderboard_csv"):
        page = words(Client().get(reverse(name, args=[series.slug])))
        assert page.count("Guest") == 3
        assert f"Guest {winner}<" not in page
        assert not [one for one in real if one in page]


def test_a_formula_without_a_value_leaves_its_event_out_and_says_so():
    series = with_points("10 / (entries - 4)")
    event = finished(series, name="Turbo")
    assert board(series).failed == [event]
    assert "Without points" in words(Client().get(reverse("leaderboard", args=[series.slug])))


def test_prize_and_buy_in_are_those_of_the_event():
    series = with_points("prize + buy_in / 100 + paid / 10 + (players - entries)")
    finished(series, 4, payout_shares=[6_000, 4_000])
    # 60 % and 40 % of $880, 2.2 and 0.2 points
    assert [leader.points for leader in board(series).leaders] == [53_040, 35_440, 240, 240]


def test_the_leaderboard_is_public_if_the_series_is_and_has_a_formula():
    without = make_series()
    hidden = with_points(published=False)
    for series in (without, hidden):
        for name in ("leaderboard", "leaderboard_csv"):
            assert Client().get(reverse(name, args=[series.slug])).status_code == 404
    director = signed_in(make_director(hidden))
    assert director.get(reverse("leaderboard", args=[hidden.slug])).status_code == 200
    shown = with_points()
    assert reverse("leaderboard", args=[shown.slug]) in words(Client().get(reverse("schedule", args=[shown.slug])))
    assert "leaderboard" not in words(Client().get(reverse("schedule", args=[without.slug])))


def test_the_file_has_a_column_for_each_event_and_runs_no_formula():
    series = with_points(points_best=1)
    first, second = finished(series, name="Main"), finished(series, name="=1+1")
    same_players(first, second)
    with guard.writing():
        Player.objects.update(public_name="@Zoë")
    answer = Client().get(reverse("leaderboard_csv", args=[series.slug]))
    rows = list(csv.reader(io.StringIO(answer.content.decode("utf-8-sig"))))
    assert rows[0] == ["Rank", "Player", "Points", "1 Main", "2 =1+1"]
    assert rows[1] == ["1", "'@Zoë", "12", "12", "(12)"]


def test_the_number_of_queries_does_not_grow():
    counts = []
    for events in (1, 3):
        series = with_points()
        for _ in range(events):
            finished(series, 3 + events)
        with CaptureQueriesContext(connection) as captured:
            assert Client().get(reverse("leaderboard", args=[series.slug])).status_code == 200
        counts.append(len(captured))
    assert counts[0] == counts[1]


# --- the formula -----------------------------------------------------------------------------------------------------


def post(client: Client, series: Series, **sent: Any) -> HttpResponse:
    headers = {"HX-Request": "true"} if sent.pop("htmx", False) else {}
    seen = Series.objects.values_list("seq", flat=True).get(pk=series.pk)
    given = {"formula": "100 / place", "best": "", "entries": "50", "buy_in": "110", "do": "save", "version": seen}
    return client.post(
        reverse("series_points", args=[series.slug]), given | {"command_id": uuid.uuid4()} | sent, headers=headers
    )


def test_a_formula_is_tried_and_saved():
    series = make_series()
    client = signed_in(make_director(series))
    part = words(post(client, series, do="preview", htmx=True))
    assert "<html" not in part
    assert "33.33" in part
    assert ">50</th>" in part
    assert "<html" in words(post(client, series, do="preview"))
    assert not Series.objects.get().points_formula
    assert post(client, series, best="5").status_code == 303
    series.refresh_from_db()
    assert (series.points_formula, series.points_best) == ("100 / place", 5)
    page = client.get(reverse("series_points", args=[series.slug]))
    assert 'value="100 / place"' in words(page)
    assert post(client, series, formula="").status_code == 303
    assert Series.objects.get().points_formula == ""


@pytest.mark.parametrize(
    ("sent", "field", "said"),
    [
        ({"formula": "100 / plcae"}, "formula", "At character 7"),
        ({"formula": "9 ** 9 ** 9"}, "formula", "20 at most"),
        ({"formula": "1" * 400}, "formula", "at most 300"),
        ({"formula": "place.__class__"}, "formula", "only numbers"),
        ({"best": "0"}, "best", "between 1 and 500"),
        ({"entries": "9999999999"}, "entries", "between 1 and 100,000"),
        ({"buy_in": "lots"}, "buy_in", "not an amount"),
        ({"formula": "1 / (entries - 77)", "entries": "77"}, "formula", "divides by nothing"),
    ],
)
def test_what_is_wrong_stands_beside_its_field(sent: dict[str, str], field: str, said: str):
    series = make_series()
    client = signed_in(make_director(series))
    page = post(client, series, do="preview", **sent)
    assert page.status_code == 200
    assert said in " ".join(page.context["form"].errors[field])
    saved = post(client, series, **sent)
    assert saved.status_code == (303 if "77" in sent.get("entries", "") else 422)


@pytest.mark.parametrize("role", [role for role in Role if role != Role.DIRECTOR])
def test_nobody_but_a_director_sets_the_points(role: str):
    series = make_series()
    with pytest.raises(NotAllowed):
        set_points(actor=make_user(role=role, series=series), on=series.pk, formula="1")
    status = 200 if role == Role.AUDITOR else 403
    client = signed_in(make_user(role=role, series=series))
    if role != Role.FLOOR:  # who reads the journal looks
        assert client.get(reverse("series_points", args=[series.slug])).status_code == status


def test_the_command_refuses_what_the_form_does_and_is_undone():
    series = make_series()
    director = make_director(series)
    for given, field in (({"formula": "foo"}, "formula"), ({"formula": "1", "best": 0}, "best")):
        with pytest.raises(Refused) as refused:
            set_points(actor=director, on=series.pk, **given)
        assert refused.value.field == field
    set_points(actor=director, on=series.pk, formula=" 100  / place ")
    assert Series.objects.get().points_formula == "100 / place"
    undo(actor=director, entry_id=JournalEntry.objects.get().pk)
    assert Series.objects.get().points_formula == ""


def test_of_several_entries_in_one_event_the_best_counts():
    series = with_points()
    event = finished(series)
    twice = event.entries.order_by("pk")[0], event.entries.order_by("-pk")[0]
    with guard.writing():
        type(twice[0]).objects.filter(pk=twice[0].pk).update(player=twice[1].player_id, number=2)
    leaders = board(series).leaders
    assert [leader.points for leader in leaders] == [1_200, 600, 400]


def test_events_that_are_not_over_give_no_points():
    series = with_points()
    add_players(make_event(series), 2, make_director(series))
    make_running_event(3, series=series)
    assert board(series).leaders == []

"""The bars of an event's and a series' staff pages: who finds what there, and what stands under "More"."""

import re
from html import unescape

import pytest
from django.urls import reverse

from accounts.permissions import PRESETS, Role
from journal import guard
from series.models import Day, Event
from series.reads.pages import FEW, PAGES, SERIES_PAGES, event_bar, series_bar
from tables.commands.breaking import break_table
from tables.models import Draw
from tests.factories import make_event, make_user
from tests.tables.hall import make_hall
from tests.tables.pages import signed_in, words


def names(role: str, status: str = Event.Status.RUNNING, here: str = "") -> tuple[list[str], list[str]]:
    event = Event(status=status, entry_rules={"rebuys": 1})
    event.more_days = False  # type: ignore[attr-defined]  # as the pages know it
    bar = event_bar(event, PRESETS[role], here)
    return [page.name for page in bar.shown], [page.name for page in bar.more]


def test_a_director_finds_every_page_and_the_bar_stays_short():
    shown, more = names(Role.DIRECTOR)
    assert len(shown) <= 8
    assert {"rulings", "penalties", "calculators"} <= set(more)
    assert {page.name for page in PAGES if not page.sells and not page.bags} <= set(shown + more)


def test_the_page_one_is_on_stands_in_the_bar_and_in_its_menu():
    shown, more = names(Role.DIRECTOR, here="chips")
    assert "chips" in shown
    assert "chips" in more


@pytest.mark.parametrize(
    ("role", "pages"),
    [
        (Role.DEALER, ["floor", "calculators"]),
        (Role.EDITOR, ["calculators"]),
    ],
)
def test_few_pages_need_no_menu(role: str, pages: list[str]):
    shown, more = names(role)
    assert set(pages) <= set(shown)
    assert len(shown) <= FEW
    assert more == []


def test_the_desk_sees_where_money_is_taken_and_finds_the_rest_in_the_menu():
    shown, more = names(Role.DESK)
    assert shown == ["desk", "purchases", "payouts"]
    assert {"event_money", "calculators"} <= set(more)


def test_an_event_being_set_up_has_no_floor_and_no_desk():
    shown, _ = names(Role.DIRECTOR, Event.Status.DRAFT)
    assert {"event_setup", "structure", "event_journal"} <= set(shown)
    assert not {"floor", "desk", "payouts"} & set(shown)


@pytest.mark.django_db
@pytest.mark.parametrize("role", [Role.DIRECTOR, Role.FLOOR, Role.DESK, Role.DEALER, Role.AUDITOR])
def test_nothing_in_the_bar_leads_to_a_closed_door(role: str):
    event = make_event()
    client = signed_in(make_user("Ana", role=role, series=event.series))
    bar = event_bar(event, PRESETS[role], "")
    for page in bar.shown + bar.more:
        where = reverse(page.name) + f"?event={event.pk}" if page.by_query else reverse(page.name, args=[event.pk])
        assert client.get(where).status_code == 200, page.name


@pytest.mark.django_db
def test_bags_are_offered_where_there_is_another_day_to_bag_for():
    event = make_event()
    client = signed_in(make_user("Ana", role=Role.DIRECTOR, series=event.series))
    bags, floor = reverse("bags", args=[event.pk]), reverse("floor", args=[event.pk])
    assert bags not in client.get(floor).content.decode()
    with guard.writing():
        Day.objects.create(event=event, number=2, label="Day 2", kind=Day.Kind.LATER, starts_at=event.starts_at)
    assert bags in client.get(floor).content.decode()


@pytest.mark.django_db
def test_rulings_and_calculators_are_reached_from_every_page():
    event = make_event(entry_rules={"rebuys": 1, "rebuy_chips": 1_000})
    client = signed_in(make_user("Ana", role=Role.DIRECTOR, series=event.series))
    bar = event_bar(event, PRESETS[Role.DIRECTOR], "")
    for page in bar.shown + bar.more:
        if page.by_query:
            continue
        html = words(client.get(reverse(page.name, args=[event.pk])))
        assert f'href="{reverse("rulings", args=[event.pk])}"' in html, page.name
        assert f'href="{reverse("calculators")}?event={event.pk}"' in html, page.name
        assert f'href="{reverse(page.name, args=[event.pk])}" aria-current="page"' in html, page.name


@pytest.mark.django_db
@pytest.mark.parametrize("role", list(Role))
def test_pages_outside_the_bar_offer_no_closed_door_either(role: str):
    event = make_event()
    make_hall(event, (4, 4, 2))
    break_table(actor=make_user("Mere", role=Role.DIRECTOR, series=event.series), on=event.pk, table=3)
    client = signed_in(make_user("Ana", role=role, series=event.series))
    looked_at = [
        reverse("event", args=[event.pk]),
        reverse("draws", args=[event.pk]),
        reverse("draw", args=[event.pk, Draw.objects.get().pk]),
        reverse("calculators") + f"?event={event.pk}",
        reverse("calculator", args=["wager"]) + f"?event={event.pk}",
    ]
    for address in looked_at:
        offered = set(re.findall(r'href="(/staff/[^"]*)"', words(client.get(address))))
        assert offered or "draw" in address
        for link in offered:
            assert client.get(unescape(link)).status_code == 200, (address, link)


def test_the_bar_of_a_series_is_short_and_leads_everywhere():
    bar = series_bar(PRESETS[Role.DIRECTOR], "exclusions")
    assert {page.name for page in bar.shown + bar.more} == {page.name for page in SERIES_PAGES}
    assert "exclusions" in [page.name for page in bar.shown]
    assert len(bar.shown) <= FEW
    assert [page.name for page in series_bar(PRESETS[Role.EDITOR], "").shown] == ["rulebook"]


@pytest.mark.django_db
@pytest.mark.parametrize("role", list(Role))
def test_nothing_in_the_bar_of_a_series_leads_to_a_closed_door(role: str):
    series = make_event().series
    client = signed_in(make_user("Ana", role=role, series=series))
    bar = series_bar(PRESETS[role], "")
    for page in bar.shown + bar.more:
        assert client.get(reverse(page.name, args=[series.slug])).status_code == 200, page.name

"""The seat map puts seats where they are at a real table, and says in words what it draws."""

import math
import re
from itertools import pairwise

import pytest
from django.template.loader import render_to_string
from hypothesis import given
from hypothesis import strategies as st

from tables.templatetags.seatmap import SeatMap, SeatView, draw, ring_point, seat_share, seatmap, short_names, width

TABLES = st.integers(2, 10)


def centres(seats: int) -> list[tuple[float, float]]:
    drawn, _ = draw(SeatMap(1, [SeatView(number) for number in range(1, seats + 1)]))
    return [(float(seat.x), float(seat.y)) for seat in drawn]


@given(TABLES)
def test_seat_1_is_at_the_dealers_left_and_the_last_at_the_right(seats):
    dealer = ring_point(0)
    places = centres(seats)
    assert places[0][0] < dealer[0] < places[-1][0]
    assert dealer[1] > 118  # at the bottom


@given(TABLES)
def test_seats_go_clockwise(seats):
    # clockwise on a screen: the angle from the middle grows, y pointing down
    angles = [math.atan2(y - 118, x - 180) for x, y in [ring_point(0), *centres(seats)]]
    turns = [(after - before) % (2 * math.pi) for before, after in pairwise(angles)]
    assert all(0 < turn < math.pi for turn in turns)
    assert sum(turns) < 2 * math.pi


@given(TABLES)
def test_plates_stay_in_the_drawing_and_apart(seats):
    places = centres(seats)
    assert all(31 <= x <= 360 - 31 and 22 <= y <= 236 - 22 for x, y in places)
    for place, (x, y) in enumerate(places):
        for other_x, other_y in places[place + 1 :]:
            # plates are 62 by 44; where both overlap a little, only the round corners (16) do
            assert abs(x - other_x) >= 56 or abs(y - other_y) >= 38


@given(TABLES, st.data())
def test_marks_lie_on_the_cloth_before_their_seat(seats, data):
    number = data.draw(st.integers(1, seats))
    x, y = ring_point(seat_share(number, seats), (56.0, 42.0))
    assert 36 < x < 324
    assert 36 < y < 200
    nearest = min(range(seats), key=lambda index: math.dist((x, y), centres(seats)[index]))
    assert nearest + 1 == number


@given(st.lists(st.text(st.characters(categories=["L"]), min_size=1, max_size=40), min_size=1, max_size=10))
def test_short_names_fit(names):
    for name, short in short_names(names).items():
        assert width(short) <= 8
        assert short.startswith(name[0])


def test_short_names_of_people():
    short = short_names(["Hēmi Parata", "Hana Tūhoe", "Hana Moana", "Kahurangi Lim", "Te Ariki Ngātai", "Ngaio"])
    assert list(short.values()) == ["Hēmi", "Hana T", "Hana M", "Kahura…", "Te Ariki", "Ngaio"]


def table(**extra) -> SeatMap:
    seats = [SeatView(1, "Eru Parata", url="/a"), SeatView(2), SeatView(3, "Fay Lim", penalty=True, url="/b")]
    return SeatMap(7, [*seats, SeatView(4, "Jo <b>", due_big_blind=True, arriving=True)], label="3 of 4", **extra)


def html(**options) -> str:
    return render_to_string("components/seatmap.html", seatmap(table(button=2, small_blind=3, big_blind=1), **options))


def test_the_list_says_what_is_drawn():
    said = re.findall(r"<li>(.*?)</li>", html(size="thumb"))
    assert said == [
        "Seat 1: Eru Parata, big blind",
        "Seat 2: empty, dead button",
        "Seat 3: Fay Lim, away on a penalty, small blind",
        "Seat 4: Jo &lt;b&gt;, on the way here, next big blind",
    ]


def test_only_the_full_drawing_has_seats_to_tap_each_with_its_words():
    full = html(size="full")
    assert re.findall(r'<a class="seat[^"]*" href="([^"]*)" aria-label="(Seat \d)', full) == [
        ("/a", "Seat 1"),
        ("/b", "Seat 3"),
    ]
    assert 'role="img" aria-label="Seat 2: empty, dead button"' in full
    assert 'aria-hidden="true" focusable' not in full
    thumb = html(size="thumb", link="/staff/events/1/tables/7/")
    assert re.findall(r'<a [^>]*href="([^"]*)"', thumb) == ["/staff/events/1/tables/7/"]
    assert 'aria-label="Table 7, 3 of 4"' in thumb


@pytest.mark.parametrize("size", ["thumb", "full"])
def test_colours_come_from_classes(size):
    assert not re.search(r"(style|fill|stroke)=", html(size=size))


def test_button_and_small_blind_of_one_seat_lie_side_by_side():
    heads_up = SeatMap(1, [SeatView(1, "Eru"), SeatView(2, "Fay")], button=1, small_blind=1, big_blind=2)
    _, marks = draw(heads_up)
    dealer, small, big = marks
    assert (dealer.text, small.text, big.text) == ("D", "SB", "BB")
    assert float(small.x) - float(dealer.x) == 26
    assert small.y == dealer.y

"""Breaking a table: who is drawn where, and what waits for whom there."""

import json
import subprocess
import sys
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables.domain.breaking import (
    Break,
    break_table,
    breaking_order,
    final_table_size,
    table_to_break,
)
from tables.domain.draw import derive, seats_document
from tables.domain.table import Positions, SeatingError, Table
from tests.tables.domain.test_draw import SCRIPT, SECRET

LAST = Positions(1, 2, 3)


def table(number: int, occupied: set[int], last: Positions | None = LAST, seats: int = 9) -> Table:
    return Table(number, seats, frozenset(occupied), last)


def broken(tables: list[Table], number: int, label: str = "break") -> Break:
    seats = next(t for t in tables if t.number == number).occupied
    return break_table(tables, number, {seat: f"P{seat}" for seat in seats}, derive(SECRET, label))


def test_six_six_four_becomes_eight_eight() -> None:
    tables = [table(1, {1, 2, 3, 4, 5, 6}), table(2, {1, 2, 3, 4, 5, 6}), table(3, {2, 4, 6, 8})]
    result = broken(tables, 3)
    assert Counter(move.to_table for move in result.moves) == {1: 2, 2: 2}
    assert {(move.name, move.from_seat) for move in result.moves} == {
        ("P2", 2),
        ("P4", 4),
        ("P6", 6),
        ("P8", 8),
    }


def test_seats_between_button_and_small_blind_only_if_nothing_else_is_open() -> None:
    # Next button 3, next small blind 6: 4 and 5 lie between.
    tables = [table(1, {1, 2, 3, 6, 7, 8}, Positions(2, 3, 6)), table(2, {1, 2})]
    for number in range(40):
        moves = broken([tables[0], table(2, {1})], 2, str(number)).moves
        assert [(move.to_seat, move.sits_out) for move in moves] == [(9, False)]
        first, second = broken(tables, 2, str(number)).moves
        assert (first.to_seat, first.sits_out) == (9, False)
        assert second.to_seat in (4, 5)
        assert second.sits_out
        assert "until the button has passed (rule 47)" in second.reason


def test_the_same_player_does_not_always_get_the_same_seat() -> None:
    tables = [table(1, {1, 2, 3, 4, 5}), table(2, {1, 2, 3})]
    drawn = {(move.name, move.to_seat) for number in range(100) for move in broken(tables, 2, str(number)).moves}
    assert drawn == {(f"P{player}", seat) for player in (1, 2, 3) for seat in (6, 7, 8, 9)}


@pytest.mark.parametrize(
    ("occupied", "last", "words"),
    [
        ({1, 2, 3, 5}, LAST, "big blind is posted there"),
        ({1, 2, 4, 5}, LAST, "small blind is posted there"),
        ({1, 3, 4, 5}, LAST, "button is there"),
        ({2, 3, 4, 5}, LAST, "dealt in at once"),
        ({2, 3, 4, 5}, None, "not known yet"),
    ],
)
def test_the_reason_says_what_the_seat_brings(occupied: set[int], last: Positions | None, words: str) -> None:
    (move,) = broken([table(1, occupied, last, seats=5), table(2, {3})], 2).moves
    assert words in move.reason
    assert "rule 46" in move.reason


def test_the_draw_can_be_checked_by_the_script() -> None:
    result = broken([table(1, {1, 2, 3, 6}, Positions(2, 3, 6)), table(4, {1, 2, 3, 4})], 4)
    seed = derive(SECRET, "break")
    document = seats_document(seed, "break", result.names, result.pool, result.result)
    done = subprocess.run(
        [sys.executable, "-I", SCRIPT, "-"], input=json.dumps(document), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout


@given(
    st.lists(st.frozensets(st.integers(1, 9), max_size=9), min_size=2, max_size=6),
    st.frozensets(st.integers(1, 9), min_size=1),
)
def test_everybody_finds_a_seat_and_the_sizes_stay_as_even_as_they_can(
    others: list[frozenset[int]], last: frozenset[int]
) -> None:
    tables = [Table(number, 9, seats, LAST) for number, seats in enumerate([*others, last], 1)]
    if table_to_break(tables) is None:
        with pytest.raises(SeatingError, match="not enough open seats"):
            broken(tables, len(tables))
        return
    result = broken(tables, len(tables))
    sizes = Counter({t.number: len(t.occupied) for t in tables[:-1]})
    for move in result.moves:
        taken = {other.to_seat for other in result.moves if other.to_table == move.to_table}
        assert taken <= set(tables[move.to_table - 1].open)
        assert len(taken) == sum(other.to_table == move.to_table for other in result.moves)
        smallest = min(size for size in sizes.values() if size < 9)
        assert sizes[move.to_table] == smallest
        sizes[move.to_table] += 1


def test_the_order_is_as_posted_and_then_from_the_highest_number() -> None:
    tables = [table(n, {1, 2}) for n in (1, 2, 5, 7)]
    assert breaking_order(tables) == (7, 5, 2, 1)
    assert breaking_order(tables, [2, 9, 1]) == (2, 1, 7, 5)


def test_only_the_first_in_the_order_is_looked_at() -> None:
    tables = [table(1, set(range(1, 10))), table(2, {1}), table(3, set(range(1, 10)))]
    assert table_to_break(tables) is None
    assert table_to_break(tables, [2]) is None
    assert table_to_break([table(1, set(range(1, 9))), *tables[1:]], [2]) == 2
    assert table_to_break([table(1, {1})]) is None


@pytest.mark.parametrize(("seats", "size"), [(10, 9), (9, 9), (8, 8), (7, 7), (6, 7), (2, 2)])
def test_size_of_the_final_table(seats: int, size: int) -> None:
    assert final_table_size(seats) == size


def test_players_who_are_not_at_the_table_are_refused() -> None:
    tables = [table(1, {1}), table(2, {1, 2})]
    for number, players in ((2, {1: "A"}), (3, {1: "A"}), (2, {1: "A", 3: "B"})):
        with pytest.raises(SeatingError, match="load the page again"):
            break_table(tables, number, players, SECRET)

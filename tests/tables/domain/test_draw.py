"""The seat draw: even, unbiased, repeatable, and checked by the script that anyone can run."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables.domain.draw import (
    DrawTable,
    FixedSeat,
    HmacDrbg,
    Lot,
    commitment,
    derive,
    draw_order,
    draw_seat,
    draw_seats,
    order_document,
    seats_document,
    table_sizes,
    without_fixed,
)
from tables.domain.table import SeatingError

SCRIPT = Path(__file__).parents[3] / "static" / "verify_draw.py"
SECRET = bytes(range(32))
seeds = st.binary(min_size=32, max_size=32)


def tables_of(*chairs: int) -> list[DrawTable]:
    return [DrawTable(number, tuple(range(1, count + 1))) for number, count in enumerate(chairs, 1)]


def verify(document: dict[str, Any]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-I", SCRIPT, "-"], input=json.dumps(document), capture_output=True, text=True
    )


def test_generator_gives_the_published_answer() -> None:
    # NIST CAVP, HMAC_DRBG, SHA-256, no reseed, no personalisation, COUNT 0: entropy and nonce, second output.
    drbg = HmacDrbg(
        bytes.fromhex("ca851911349384bffe89de1cbdc46e6831e44d34a4fb935ee285dd14b71a7488")
        + bytes.fromhex("659ba96c601dc69fc902940805ec0ca8")
    )
    drbg.generate(128)
    assert drbg.generate(128).hex() == (
        "e528e9abf2dece54d47c7e75e5fe302149f817ea9fb4bee6f4199697d04d5b89"
        "d54fbb978a15b5c443c9ec21036d2460b6f73ebad0dc2aba6e624abf07745bc1"
        "07694bb7547bb0995f70de25d6b29e2d3011bb19d27676c07162c8b5ccde0668"
        "961df86803482cb37ed6d5c0bb8d50cf1f50d476aa0458bdaba806f48be9dcb8"
    )


@pytest.mark.parametrize("count", [3, (1 << 63) + 1])
def test_numbers_are_unbiased_and_in_range(count: int) -> None:
    # With (1 << 63) + 1 nearly half of all words must be thrown away.
    lot = Lot(derive(SECRET, "numbers"))
    numbers = [lot.below(count) for _ in range(9000)]
    assert all(0 <= number < count for number in numbers)
    thirds = Counter(number * 3 // count for number in numbers)
    assert all(abs(times - 3000) < 300 for times in thirds.values())


def test_every_order_of_four_is_equally_likely() -> None:
    orders = Counter(draw_order(derive(SECRET, str(number)), "ABCD") for number in range(4800))
    assert len(orders) == 24
    assert sum((times - 200) ** 2 / 200 for times in orders.values()) < 50  # chi-square, 23 degrees, p = 0.001


def test_every_seat_is_equally_likely() -> None:
    seats = Counter()
    for number in range(3000):
        for seating in draw_seats(derive(SECRET, str(number)), "ABCDE", tables_of(4, 4)):
            seats[seating.name, seating.table, seating.seat] += 1
    assert len(seats) == 40
    assert all(abs(times - 375) < 100 for times in seats.values())


@given(seeds, st.lists(st.integers(1, 10), min_size=1, max_size=12), st.data())
def test_seats_are_even_unshared_and_repeatable(seed: bytes, chairs: list[int], data: st.DataObject) -> None:
    tables = tables_of(*chairs)
    names = [f"E{n}" for n in range(data.draw(st.integers(0, sum(chairs))))]
    result = draw_seats(seed, names, tables)
    assert result == draw_seats(seed, names, tables)
    assert sorted(seating.name for seating in result) == sorted(names)
    assert len({(seating.table, seating.seat) for seating in result}) == len(names)
    sizes = Counter(seating.table for seating in result)
    for table in tables:
        assert all(seating.seat in table.chairs for seating in result if seating.table == table.table)
        # A table may be smaller than another by two only if it has no chair left.
        if sizes[table.table] < len(table.chairs):
            assert sizes[table.table] >= max(sizes.values(), default=0) - 1


def test_first_seating_has_the_sizes_announced() -> None:
    sizes = table_sizes(58, 9)
    result = draw_seats(SECRET, [str(n) for n in range(58)], tables_of(*[9] * len(sizes)))
    assert sorted(Counter(seating.table for seating in result).values(), reverse=True) == list(sizes)


def test_a_late_entrant_goes_to_an_open_seat_of_a_smallest_table() -> None:
    tables = [DrawTable(1, (9,), players=8), DrawTable(2, (4, 7), players=7), DrawTable(5, (1, 2), players=7)]
    drawn = {
        (seating.table, seating.seat)
        for seating in (draw_seat(derive(SECRET, str(n)), "late", tables) for n in range(200))
    }
    assert drawn == {(2, 4), (2, 7), (5, 1), (5, 2)}


def test_full_tables_are_passed_over_even_if_they_are_small() -> None:
    tables = [DrawTable(1, (), players=6), DrawTable(2, (9,), players=8)]
    assert draw_seat(SECRET, "late", tables).table == 2


def test_last_resort_only_when_the_table_or_all_equal_tables_have_nothing_else() -> None:
    tables = [DrawTable(1, (2,), (3,), players=7), DrawTable(2, (), (5, 6), players=7)]
    for number in range(50):
        seed = derive(SECRET, str(number))
        assert [(s.table, s.seat) for s in draw_seats(seed, "A", tables)] == [(1, 2)]
        two = draw_seats(seed, "AB", tables)
        assert (two[1].table, two[1].seat) in {(2, 5), (2, 6)}


def test_a_fixed_seat_is_kept_and_counted() -> None:
    fixed = [FixedSeat("E3", 2, 1)]
    names = [f"E{n}" for n in range(6)]
    result = draw_seats(SECRET, names, tables_of(3, 3), fixed)
    assert "E3" not in {seating.name for seating in result}
    assert {(seating.table, seating.seat) for seating in result} == {(1, 1), (1, 2), (1, 3), (2, 2), (2, 3)}


@pytest.mark.parametrize(
    ("names", "fixed"),
    [
        (["A", "A"], []),
        (["A", "B", "C", "D"], []),
        (["A"], [FixedSeat("A", 1, 9)]),
        (["A"], [FixedSeat("A", 7, 1)]),
        (["A", "B"], [FixedSeat("A", 1, 1), FixedSeat("B", 1, 1)]),
        (["A"], [FixedSeat("A", 1, 1), FixedSeat("A", 1, 2)]),
    ],
)
def test_impossible_draws_are_refused(names: list[str], fixed: list[FixedSeat]) -> None:
    with pytest.raises(SeatingError):
        draw_seats(SECRET, names, tables_of(3), fixed)


@pytest.mark.parametrize(("entries", "options"), [(19, {"tables": 2}), (-1, {}), (1, {"tables": 0})])
def test_sizes_that_cannot_be_are_refused(entries: int, options: dict[str, int]) -> None:
    with pytest.raises(SeatingError):
        table_sizes(entries, 9, **options)


@given(st.integers(0, 2000), st.integers(2, 10), st.integers(2, 12))
def test_sizes_are_even_and_tables_as_few_as_possible(entries: int, seats: int, fill: int) -> None:
    sizes = table_sizes(entries, seats, players_per_table=fill)
    assert sum(sizes) == entries
    assert list(sizes) == sorted(sizes, reverse=True)
    assert not sizes or sizes[0] - sizes[-1] <= 1
    assert (len(sizes) - 1) * min(fill, seats) < max(entries, 1) <= max(len(sizes), 1) * min(fill, seats)


def test_seeds_of_different_draws_differ_and_a_short_secret_is_refused() -> None:
    assert derive(SECRET, "initial") != derive(SECRET, "late 1")
    with pytest.raises(ValueError, match="32 bytes"):
        derive(b"short", "initial")


def document_of(names: list[str], tables: list[DrawTable], fixed: list[FixedSeat]) -> dict[str, Any]:
    seed = derive(SECRET, "initial")
    drawn_names, drawn_tables = without_fixed(names, tables, fixed)
    result = draw_seats(seed, drawn_names, drawn_tables)
    return seats_document(seed, "initial", drawn_names, drawn_tables, result) | {
        "commitment": commitment(SECRET),
        "secret": SECRET.hex(),
        "seed_commitment": commitment(seed),
    }


def test_script_accepts_what_was_drawn() -> None:
    names = [f"Ngāti {n}" for n in range(300)]
    tables = [*tables_of(*[9] * 30, 6, 10, 10, 10), DrawTable(99, (1, 2), (3, 4), players=3)]
    document = document_of(names, tables, [FixedSeat("Ngāti 7", 3, 5)])
    assert [len(document["names"]), len(document["result"])] == [299, 299]
    result = verify(document)
    assert (result.returncode, result.stderr) == (0, "")
    assert "promised before the draw" in result.stdout
    del document["secret"]
    assert "not published yet" in verify(document).stdout


def test_script_accepts_an_order() -> None:
    seed = derive(SECRET, "button of table 3")
    names = [str(seat) for seat in range(1, 10)]
    document = order_document(seed, "button of table 3", names, draw_order(seed, names))
    assert verify(document).returncode == 0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d["result"].reverse(), "does not follow from the seed"),
        (lambda d: d["names"].reverse(), "does not follow from the seed"),
        (lambda d: d["tables"].reverse(), "does not follow from the seed"),
        (lambda d: d.update(label="late 1"), "does not come from the secret"),
        (lambda d: d.update(commitment=commitment(b"other")), "not the one whose hash was shown"),
        (lambda d: d.update(seed_commitment=commitment(b"other")), "not the one whose hash was shown"),
        (lambda d: d.update(algorithm="dead-button-draw-2"), "knows only"),
    ],
)
def test_script_refuses_what_was_changed(change: Any, message: str) -> None:
    document = document_of([f"E{n}" for n in range(20)], tables_of(9, 9, 9), [])
    change(document)
    result = verify(document)
    assert result.returncode == 1
    assert message in result.stdout

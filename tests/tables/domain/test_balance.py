"""Balancing: as few moves as can be, the right player to the right seat, and why."""

from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables.domain.balance import Move, Options, Plan, Secret, Spot, allowed_gap, plan
from tables.domain.placement import open_seats
from tables.domain.table import Positions, Table, clockwise

NO_BREAK = Options(allow_break=False)
SECRET = Secret(bytes(32), "1 balance 0")
LAST = Positions(1, 2, 3)


def drawn_by(number: int) -> Secret:
    return Secret(bytes([number]) * 32, "1 balance 0")


def table(number: int, players: int, seats: int = 9, last: Positions | None = LAST) -> Table:
    return Table(number, seats, frozenset(range(1, players + 1)), last)


def ways(found: Plan) -> list[tuple[int, int | None, int, int | None]]:
    return [(move.from_table, move.from_seat, move.to_table, move.to_seat) for move in found.moves]


def test_two_moves_make_eight_eight_six_six_even() -> None:
    hall = [
        table(1, 8),
        table(2, 8, last=Positions(4, 5, 6)),
        table(3, 6),
        table(4, 6, last=Positions(4, 5, 6)),
    ]
    found = plan(hall)
    assert ways(found) == [(1, 4, 3, 7), (2, 7, 4, 7)]
    assert (found.sizes_after, found.balanced) == ((7, 7, 7, 7), False)


def test_the_mover_is_the_next_big_blind() -> None:
    # Eight players in seats 1 to 8, next hand 3/4/5.
    found = plan([table(1, 8, last=Positions(2, 3, 4)), table(2, 6)], NO_BREAK)
    assert [move.from_seat for move in found.moves] == [5]


def test_the_reason_names_both_tables_both_seats_and_the_rule() -> None:
    (move,) = plan([table(3, 9, last=Positions(2, 3, 4)), table(7, 7)], NO_BREAK).moves
    assert move.reason == (
        "Table 3 has 9 players, table 7 has 7. Seat 5 of table 3 is due the big blind next; seat 8 of table 7 is"
        " 4 hands from the big blind, the soonest of the seats open there (rule 48)."
    )


@pytest.mark.parametrize(
    ("occupied", "last", "seat", "words"),
    [
        ({1, 2, 3, 5, 6, 7, 8}, Positions(1, 2, 3), 4, "has the big blind next"),
        ({1, 2, 3, 5, 6, 7, 8}, Positions(8, 1, 2), 4, "one hand from the big blind"),
        ({1, 2, 4, 5, 6, 7, 8}, Positions(1, 2, 3), 3, "next small blind"),
        ({1, 2, 4, 5, 6, 7, 8}, Positions(1, 2, 4), 3, "until the button has passed (rule 47)"),
    ],
)
def test_the_reason_says_what_the_seat_means(occupied: set[int], last: Positions, seat: int, words: str) -> None:
    short = Table(2, 8, frozenset(occupied), last)
    (move,) = plan([table(1, 10, 10), short], NO_BREAK).moves
    assert (move.to_seat, move.sits_out) == (seat, "rule 47" in words)
    assert words in move.reason


def test_fixed_players_stay_and_the_reason_says_so() -> None:
    options = replace(NO_BREAK, fixed=frozenset({Spot(1, 4), Spot(1, 5)}))
    (move,) = plan([table(1, 9), table(2, 7)], options).moves
    assert move.from_seat == 6
    assert "seat 4 and 5 being kept" in move.reason
    everybody = frozenset(Spot(1, seat) for seat in range(1, 10))
    assert plan([table(1, 9), table(2, 6)], replace(NO_BREAK, fixed=everybody)).balanced


def test_a_table_with_a_fixed_player_is_not_broken() -> None:
    hall = [table(1, 5), table(2, 4)]
    found = plan(hall, Options(fixed=frozenset({Spot(2, 1)})))
    assert (found.breaking, found.balanced) == (None, True)
    assert "keeps a fixed seat" in found.notes[0]
    assert plan(hall, Options(fixed=frozenset({Spot(1, 1)}))).breaking == 2


def test_recently_moved_players_are_spared_at_equal_rank() -> None:
    hall = [table(1, 8), table(2, 8), table(3, 6), table(4, 7)]
    assert ways(plan(hall, NO_BREAK)) == [(1, 4, 3, 7)]
    assert ways(plan(hall, replace(NO_BREAK, recent=frozenset({Spot(1, 4)})))) == [(2, 4, 3, 7)]
    # Nobody else is due as much as the one of the only long table.
    alone = [table(1, 9), table(2, 7)]
    assert ways(plan(alone, replace(NO_BREAK, recent=frozenset({Spot(1, 4)})))) == [(1, 4, 2, 8)]


def test_an_unknown_button_is_asked_for_and_never_guessed() -> None:
    hall = [table(1, 9, last=None), table(2, 6), table(3, 7, last=None)]
    found = plan(hall, NO_BREAK)
    assert ways(found) == [(1, None, 2, 7)]
    assert found.unknown_buttons == (1,)
    assert "button of table 1 is unknown" in found.moves[0].reason
    short = plan([table(1, 9), table(2, 7, last=None)], NO_BREAK)
    assert (ways(short), short.unknown_buttons) == ([(1, 4, 2, None)], (2,))


def test_with_a_seed_an_unknown_button_means_a_draw() -> None:
    hall = [table(1, 9, last=None), table(2, 7, last=None)]
    kept = replace(NO_BREAK, fixed=frozenset({Spot(1, 1)}), recent=frozenset({Spot(1, 2), Spot(1, 3)}))
    drawn = {ways(plan(hall, kept, drawn_by(number)))[0] for number in range(200)}
    assert drawn == {(1, seat, 2, to) for seat in range(4, 10) for to in (8, 9)}
    assert plan(hall, kept, SECRET) == plan(hall, kept, SECRET)
    (move,) = plan(hall, kept, SECRET).moves
    assert "drawn" in move.reason
    assert [(tie.table, tie.players, len(tie.seats)) for tie in move.ties] == [(1, True, 8), (2, False, 2)]


def test_with_a_seed_neighbouring_empty_seats_are_drawn() -> None:
    hall = [table(1, 9), table(2, 6)]
    drawn = {move.to_seat for n in range(60) for move in plan(hall, NO_BREAK, drawn_by(n)).moves}
    assert drawn == {7, 8, 9}
    (move,) = plan(hall, NO_BREAK, SECRET).moves
    (tie,) = move.ties
    assert (tie.seats, tie.drawn[0], tie.label) == ((7, 8, 9), move.to_seat, "1 balance 0 to table 2 of 6")
    assert not plan([table(1, 9), table(2, 8), table(3, 7, 8)], replace(NO_BREAK, max_gap=1), SECRET).moves[0].ties


def test_no_two_lots_of_a_plan_have_one_label() -> None:
    moves = plan([table(1, 9), table(2, 9), table(3, 9), table(4, 3)], NO_BREAK, SECRET).moves
    labels = [tie.label for move in moves for tie in move.ties]
    assert len(moves) > 2
    assert len(set(labels)) == len(labels) > 1


def test_locked_chairs_are_not_used() -> None:
    short = replace(table(2, 6), locked=frozenset({7, 9}))
    assert ways(plan([table(1, 9), short], NO_BREAK)) == [(1, 4, 2, 8)]
    full = replace(table(2, 6), locked=frozenset({7, 8, 9}))
    assert plan([table(1, 9), full], NO_BREAK).balanced


def test_a_full_small_table_is_even_with_the_rest() -> None:
    assert plan([table(1, 9), table(2, 6, 6), table(3, 8)], NO_BREAK).balanced


def test_breaking_counts_its_players_and_leaves_the_seats_to_the_draw() -> None:
    found = plan([table(1, 9), table(2, 3), table(3, 2)])
    assert (found.breaking, found.moves, found.moves_needed, found.sizes_after) == (3, (), 4, (7, 7))
    assert not found.balanced
    assert "rule 46" in found.notes[0]


def test_an_empty_table_is_closed() -> None:
    found = plan([table(1, 5), table(2, 0)])
    assert (found.breaking, found.moves_needed, found.balanced) == (2, 0, False)


def test_the_final_table_waits_for_its_size() -> None:
    hall = [table(1, 5, 10), table(2, 5, 10)]
    assert plan(hall, Options(final_table=9)).breaking is None
    assert plan(hall).breaking == 2
    assert plan([table(1, 5, 10), table(2, 4, 10)], Options(final_table=9)).breaking == 2
    # It has no say while more than two tables are left.
    assert plan([*hall, table(3, 0, 10)], Options(final_table=9)).breaking == 3


def test_the_gap_depends_on_the_number_of_tables() -> None:
    assert [allowed_gap(6), allowed_gap(7)] == [1, 2]
    assert plan([table(n, 9 if n == 1 else 7) for n in range(1, 8)], NO_BREAK).balanced
    assert not plan([table(n, 9 if n == 1 else 7) for n in range(1, 7)], NO_BREAK).balanced


@pytest.mark.parametrize("hall", [[], [table(1, 5)]])
def test_one_table_or_none_needs_nothing(hall: list[Table]) -> None:
    assert plan(hall).balanced


def fewest_moves(sizes: Sequence[int], chairs: Sequence[int], gap: int) -> int | None:
    """Return the proven minimum by trying everything: moves until no table with room is over `gap` behind."""

    def even(state: tuple[int, ...]) -> bool:
        with_room = [size for size, limit in zip(state, chairs, strict=True) if size < limit]
        return not with_room or max(state) - min(with_room) <= gap

    queue, seen = deque([(tuple(sizes), 0)]), {tuple(sizes)}
    while queue:
        state, moves = queue.popleft()
        if even(state):
            return moves
        for giver in range(len(state)):
            for taker in range(len(state)):
                if giver != taker and state[giver] and state[taker] < chairs[taker]:
                    changed = list(state)
                    changed[giver] -= 1
                    changed[taker] += 1
                    if tuple(changed) not in seen:
                        seen.add(tuple(changed))
                        queue.append((tuple(changed), moves + 1))
    return None


@given(st.lists(st.integers(0, 6), min_size=2, max_size=4), st.integers(1, 3))
def test_no_plan_needs_fewer_moves(sizes: list[int], gap: int) -> None:
    hall = [table(number, size, 6) for number, size in enumerate(sizes, 1)]
    found = plan(hall, Options(max_gap=gap, allow_break=False))
    assert found.moves_needed == len(found.moves) == fewest_moves(sizes, [6] * len(sizes), gap)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(2, 5)), min_size=2, max_size=4), st.integers(1, 2))
def test_no_plan_needs_fewer_moves_at_tables_of_different_size(halls: list[tuple[int, int]], gap: int) -> None:
    sizes, chairs = [min(pair) for pair in halls], [chairs for _, chairs in halls]
    hall = [table(n, size, seats, None) for n, (size, seats) in enumerate(zip(sizes, chairs, strict=True), 1)]
    found = plan(hall, Options(max_gap=gap, allow_break=False))
    assert found.moves_needed == fewest_moves(sizes, chairs, gap)


@st.composite
def halls(draw: st.DrawFn) -> list[Table]:
    tables = []
    for number in range(1, draw(st.integers(2, 9)) + 1):
        seats = draw(st.integers(6, 10))
        seat = st.integers(1, seats)
        last = draw(st.none() | st.builds(Positions, seat, seat, seat))
        tables.append(Table(number, seats, draw(st.frozensets(seat)), last, draw(st.frozensets(seat))))
    return tables


@given(halls(), st.data())
def test_every_plan_can_be_carried_out(hall: list[Table], data: st.DataObject) -> None:
    spots = [Spot(t.number, seat) for t in hall for seat in t.occupied]
    fixed = data.draw(st.frozensets(st.sampled_from(spots))) if spots else frozenset()
    found = plan(hall, replace(NO_BREAK, fixed=fixed), data.draw(st.sampled_from([None, SECRET])))
    occupied = {t.number: set(t.occupied) for t in hall}
    sizes = Counter({t.number: len(t.occupied) for t in hall})
    arrived: set[Spot] = set()
    for move in found.moves:
        sizes[move.from_table] -= 1
        sizes[move.to_table] += 1
        if move.from_seat is not None:
            leaving = Spot(move.from_table, move.from_seat)
            assert leaving not in fixed | arrived
            occupied[move.from_table].remove(move.from_seat)
        if move.to_seat is not None:
            assert move.to_seat in hall[move.to_table - 1].open
            assert move.to_seat not in occupied[move.to_table]
            occupied[move.to_table].add(move.to_seat)
            arrived.add(Spot(move.to_table, move.to_seat))
    assert tuple(sorted(sizes.values(), reverse=True)) == found.sizes_after
    assert {move.from_table for move in found.moves}.isdisjoint(move.to_table for move in found.moves)


def due(hall_table: Table, gone: set[int]) -> int:
    assert hall_table.last is not None
    order = clockwise(hall_table.seats, hall_table.last.big_blind)
    return next(seat for seat in order if seat in hall_table.occupied - gone)


@given(halls())
def test_movers_are_due_the_big_blind_and_go_to_the_worst_seat(hall: list[Table]) -> None:
    hall = [t if t.last else replace(t, last=Positions(1, 2, 3)) for t in hall]
    gone: dict[int, set[int]] = {t.number: set() for t in hall}
    come: dict[int, set[int]] = {t.number: set() for t in hall}

    def check(move: Move) -> None:
        giver, taker = hall[move.from_table - 1], hall[move.to_table - 1]
        assert move.from_seat == due(giver, gone[giver.number])
        assert taker.last is not None
        filled = replace(taker, occupied=taker.occupied | come[taker.number])
        best = open_seats(filled, taker.last)[0]
        assert (move.to_seat, move.sits_out) == (best.seat, best.sits_out)
        gone[giver.number].add(move.from_seat)
        come[taker.number].add(best.seat)

    for move in plan(hall, NO_BREAK).moves:
        check(move)


def test_a_hall_of_ten_thousand_is_even_after_the_plan() -> None:
    sizes = [9] * 1120 + [8] * 4
    hall = [table(number, size) for number, size in enumerate(sizes, 1)]
    assert sum(sizes) == 10_112
    # A round in which every fifth table lost four players.
    hall = [replace(t, occupied=t.occupied - frozenset({1, 2, 5, 7})) if t.number % 5 == 0 else t for t in hall]
    found = plan(hall, replace(NO_BREAK, recent=frozenset({Spot(1, 4)})))
    assert found.sizes_after[0] - found.sizes_after[-1] <= 2
    assert found.moves_needed > 100

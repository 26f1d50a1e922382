from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from series.domain.finish import Bust, CrossTable, Finish, MoneyState, across_flights, finish, money_state, standings

stacks = st.integers(1, 4).map(lambda thousands: thousands * 1000)
policies = st.sampled_from(CrossTable)
prize_lists = st.lists(st.integers(0, 100_000), max_size=12).map(
    lambda amounts: dict(enumerate(sorted(amounts, reverse=True), 1))
)


@st.composite
def eliminations(draw):
    """Groups of busts in order of time; entries are numbers, tables 1 to 3."""
    sizes = draw(st.lists(st.integers(1, 4), max_size=10))
    entries = iter(draw(st.permutations(range(sum(sizes)))))
    return [[Bust(next(entries), draw(st.integers(1, 3)), draw(stacks)) for _ in range(size)] for size in sizes]


@given(eliminations(), st.integers(0, 20), prize_lists, policies)
def test_every_place_is_taken_once_and_every_prize_paid_once(groups, alive, prizes, policy):
    result = standings(groups, alive, prizes, policy)
    entries = [bust.entry for group in groups for bust in group]
    assert sorted(line.entry for line in result) == sorted(entries)
    sharing = Counter((line.best, line.worst) for line in result)
    assert all(worst - best + 1 == count for (best, worst), count in sharing.items())
    taken = [place for best, worst in sorted(sharing) for place in range(best, worst + 1)]
    assert taken == list(range(alive + 1, alive + len(entries) + 1))
    assert sum(line.prize_cents for line in result) == sum(prizes.get(place, 0) for place in taken)


@given(eliminations(), prize_lists, policies)
def test_a_later_hand_is_a_better_place_and_never_a_smaller_prize(groups, prizes, policy):
    by_entry = {line.entry: line for line in standings(groups, 1, prizes, policy)}
    for earlier, later in pairwise(groups):
        for out_first in earlier:
            for out_later in later:
                assert by_entry[out_later.entry].worst < by_entry[out_first.entry].best
                assert by_entry[out_later.entry].prize_cents >= by_entry[out_first.entry].prize_cents


@given(eliminations(), st.integers(1, 20), policies)
def test_a_late_entry_shifts_every_place_by_one(groups, alive, policy):
    before = standings(groups, alive, {}, policy)
    after = standings(groups, alive + 1, {}, policy)
    assert after == tuple(Finish(line.entry, line.best + 1, line.worst + 1, 0) for line in before)


@given(eliminations().filter(bool), st.integers(1, 20), policies)
def test_undoing_the_last_hand_leaves_the_other_places_alone(groups, alive, policy):
    everything = standings(groups, alive, {}, policy)
    undone = standings(groups[:-1], alive + len(groups[-1]), {}, policy)
    assert everything[len(groups[-1]) :] == undone


def test_same_table_by_stack_and_equal_stacks_share():
    busts = [Bust("A", 1, 4000), Bust("B", 1, 9000), Bust("C", 1, 4000)]
    assert finish(6, busts, {4: 40_000, 5: 30_001, 6: 20_000}) == (
        Finish("B", 4, 4, 40_000),
        Finish("A", 5, 6, 25_001),
        Finish("C", 5, 6, 25_000),
    )


def test_one_bust_at_another_table_makes_all_share():
    busts = [Bust("A", 1, 4000), Bust("B", 1, 9000), Bust("C", 2, 1000)]
    assert {(line.best, line.worst) for line in finish(6, busts, {})} == {(4, 6)}
    ranked = finish(6, busts, {}, CrossTable.STACK)
    assert [(line.entry, line.best) for line in ranked] == [("B", 4), ("A", 5), ("C", 6)]


def test_a_re_entry_is_an_entry_of_its_own_and_places_stay_unbroken():
    out = [[Bust("Zoë, first entry", 1, 500)], [Bust("Hēmi", 1, 800)], [Bust("Zoë, second entry", 1, 900)]]
    places = [(line.best, line.entry) for line in standings(out, 1, {})]
    assert places == [(2, "Zoë, second entry"), (3, "Hēmi"), (4, "Zoë, first entry")]


def test_nobody_busts_twice():
    with pytest.raises(ValueError, match="only once"):
        standings([[Bust("A", 1, 1)], [Bust("A", 1, 1)]], 3, {})
    with pytest.raises(ValueError, match="only once"):
        finish(9, [Bust("A", 1, 1), Bust("A", 1, 1)], {})


def test_no_more_out_than_in():
    with pytest.raises(ValueError, match="than were in"):
        finish(1, [Bust("A", 1, 1), Bust("B", 1, 1)], {})


@pytest.mark.parametrize(
    ("alive", "state"),
    [
        (17, MoneyState.BEFORE),
        (16, MoneyState.BUBBLE),
        (15, MoneyState.IN_THE_MONEY),
        (1, MoneyState.IN_THE_MONEY),
    ],
)
def test_the_bubble_with_15_paid(alive, state):
    assert money_state(alive, 15) is state


# --- several flights --------------------------------------------------------------------------------------------------
@st.composite
def flights(draw):
    """Flights with their eliminations and how many got through each; entries are pairs of flight and number."""
    found = []
    for number in range(draw(st.integers(1, 3))):
        groups = draw(eliminations())
        named = [[Bust((number, bust.entry), bust.table, bust.stack) for bust in group] for group in groups]
        found.append((named, draw(st.integers(0, 5))))
    return found


@given(flights(), st.integers(0, 5), prize_lists)
def test_across_flights_every_place_is_taken_once_and_every_prize_paid_once(played, ahead, prizes):
    by_flight = [standings(groups, through, {}) for groups, through in played]
    result = across_flights(by_flight, ahead, prizes)
    entries = [bust.entry for groups, _ in played for group in groups for bust in group]
    assert sorted(line.entry for line in result) == sorted(entries)
    taken = sorted({place for line in result for place in range(line.best, line.worst + 1)})
    assert taken == list(range(ahead + 1, ahead + len(entries) + 1))
    assert all(count == worst - best + 1 for (best, worst), count in Counter((x.best, x.worst) for x in result).items())
    assert sum(line.prize_cents for line in result) == sum(prizes.get(place, 0) for place in taken)


@given(flights(), st.integers(0, 5))
def test_who_came_further_in_their_own_flight_is_never_below_somebody_of_any_flight(played, ahead):
    by_flight = [standings(groups, through, {}) for groups, through in played]
    own = {line.entry: line.best for flight in by_flight for line in flight}
    place = {line.entry: line.best for line in across_flights(by_flight, ahead, {})}
    for one in own:
        for other in own:
            assert (own[one] < own[other]) == (place[one] < place[other])


@given(eliminations(), st.integers(0, 5), policies)
def test_one_flight_alone_is_placed_as_any_event(groups, alive, policy):
    alone = standings(groups, alive, {}, policy)
    assert [(x.entry, x.best, x.worst) for x in across_flights([alone], alive, {})] == [
        (x.entry, x.best, x.worst) for x in alone
    ]

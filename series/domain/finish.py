"""Finishing places and shared prizes.

The house rules are silent on players who bust in the same hand. Our reading: at one table the larger stack
at the start of the hand places higher, equal stacks share; at different tables they cannot be compared, so
they share (TDA 2024 RP-8A: during hand-for-hand the whole round counts as one hand).

A place is never stored. It follows from the order of the eliminations and from how many are still alive, so
that a late entry or an undone bust puts every place right by itself.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby
from typing import Generic, TypeVar

E = TypeVar("E", bound=Hashable)


class CrossTable(StrEnum):
    """How busts of one hand at different tables are placed."""

    SHARE = "share"
    STACK = "stack"  # by starting stack, as if they sat at one table


class MoneyState(StrEnum):
    """Where an event stands towards its prizes."""

    BEFORE = "before"
    BUBBLE = "bubble"  # the next to bust is the last without a prize
    IN_THE_MONEY = "in_the_money"


@dataclass(frozen=True)
class Bust(Generic[E]):
    """An elimination. `stack`: the entry's chips at the start of the hand."""

    entry: E
    table: Hashable
    stack: int


@dataclass(frozen=True)
class Finish(Generic[E]):
    """The places an entry takes: `best` equals `worst` unless it shares them. `prize_cents`: its part of
    their prizes.
    """

    entry: E
    best: int
    worst: int
    prize_cents: int


def finish(
    remaining: int,
    busts: Sequence[Bust[E]],
    prizes: Mapping[int, int],
    cross_table: CrossTable = CrossTable.SHARE,
) -> tuple[Finish[E], ...]:
    """Places and prizes of the `busts` of one hand (hand-for-hand: one round), best place first.

    `remaining`: players before the hand. `prizes`: cents by place; a place not in it pays nothing. A shared
    prize is split evenly; odd cents go one each to the larger stacks, at equal stacks to the one listed
    first.
    Raises ValueError for more busts than players, or an entry listed twice.
    """
    if len(busts) > remaining:
        raise ValueError("More players are out than were in.")
    if len({bust.entry for bust in busts}) < len(busts):
        raise ValueError("An entry can bust only once.")
    by_stack = sorted(busts, key=lambda bust: -bust.stack)
    several_tables = len({bust.table for bust in busts}) > 1
    if several_tables and cross_table is CrossTable.SHARE:
        sharing = [by_stack]
    else:
        sharing = [list(group) for _, group in groupby(by_stack, key=lambda bust: bust.stack)]
    found: list[Finish[E]] = []
    best = remaining - len(busts) + 1
    for group in sharing:
        worst = best + len(group) - 1
        to_share = sum(prizes.get(place, 0) for place in range(best, worst + 1))
        each, odd_cents = divmod(to_share, len(group))
        for index, bust in enumerate(group):
            found.append(Finish(bust.entry, best, worst, each + (index < odd_cents)))
        best = worst + 1
    return tuple(found)


def standings(
    groups: Sequence[Sequence[Bust[E]]],
    alive: int,
    prizes: Mapping[int, int],
    cross_table: CrossTable = CrossTable.SHARE,
) -> tuple[Finish[E], ...]:
    """Places and prizes of all who are out, best place first.

    `groups`: the eliminations in order of time, each group the busts of one hand or round. `alive`: entries
    still in. The places run from `alive` + 1 without a gap. A winner has no elimination: with one alive,
    that one is first.
    Raises ValueError if an entry is out twice; a re-entry is an entry of its own.
    """
    out = [bust.entry for group in groups for bust in group]
    if len(set(out)) < len(out):
        raise ValueError("An entry can bust only once.")
    return tuple(_backwards(groups, alive, prizes, cross_table))


def across_flights(
    flights: Sequence[Sequence[Finish[E]]], ahead: int, prizes: Mapping[int, int]
) -> tuple[Finish[E], ...]:
    """Places and prizes of all who went out in a flight, when there were several, best place first.

    Who went further in their own flight places higher: what counts is how many were left in it (the flights are played
    at different times, so their hands cannot be compared). Those who went out with as many left share, as those of one
    hand at different tables do; odd cents go to the first listed. The house rules and the TDA are silent.

    `flights`: the places of each flight by itself, from `standings` with the number who bagged or still play in it as
    alive. `ahead`: entries before all of them, those still in and those who went out on a later day.
    """
    groups: dict[int, list[E]] = {}
    for flight in flights:
        for line in flight:
            groups.setdefault(line.best, []).append(line.entry)
    found: list[Finish[E]] = []
    best = ahead + 1
    for _, entries in sorted(groups.items()):
        worst = best + len(entries) - 1
        each, odd_cents = divmod(sum(prizes.get(place, 0) for place in range(best, worst + 1)), len(entries))
        found += [Finish(entry, best, worst, each + (index < odd_cents)) for index, entry in enumerate(entries)]
        best = worst + 1
    return tuple(found)


def _backwards(
    groups: Sequence[Sequence[Bust[E]]], alive: int, prizes: Mapping[int, int], cross_table: CrossTable
) -> Iterator[Finish[E]]:
    remaining = alive
    for group in reversed(groups):
        remaining += len(group)
        yield from finish(remaining, group, prizes, cross_table)


def money_state(alive: int, places_paid: int) -> MoneyState:
    """Where an event with `alive` entries in and `places_paid` prizes stands: 16 alive and 15 paid is the
    bubble.
    """
    if alive <= places_paid:
        return MoneyState.IN_THE_MONEY
    return MoneyState.BUBBLE if alive == places_paid + 1 else MoneyState.BEFORE

"""A table three players short is halted once its big blind reaches an open seat (T24-11D)."""

from dataclasses import replace

import pytest

from tables.domain.halt import halt_alarms
from tables.domain.table import Positions, Table

LONG = Table(1, 9, frozenset(range(1, 10)), Positions(1, 2, 3))


@pytest.mark.parametrize(
    ("occupied", "big_blind", "halted"), [({1, 2, 3, 4, 5, 6}, 5, False), ({1, 2, 3, 4, 5, 6}, 6, True)]
)
def test_play_halts_when_the_big_blind_reaches_an_open_seat(occupied: set[int], big_blind: int, halted: bool) -> None:
    (alarm,) = halt_alarms([LONG, Table(2, 9, frozenset(occupied), Positions(1, 2, big_blind))])
    assert (alarm.table, alarm.short_by, alarm.halted) == (2, 3, halted)
    assert ("seat 7" in alarm.reason) == halted


def test_two_short_is_no_alarm() -> None:
    assert halt_alarms([LONG, Table(2, 9, frozenset(range(1, 8)), Positions(5, 6, 7))]) == ()
    assert halt_alarms([]) == ()


def test_a_locked_chair_is_not_an_open_seat() -> None:
    short = Table(2, 9, frozenset({1, 2, 3, 4, 5, 8}), Positions(3, 4, 5), locked=frozenset({6, 7}))
    assert not halt_alarms([LONG, short])[0].halted
    assert halt_alarms([LONG, replace(short, locked=frozenset({6}))])[0].halted


def test_an_unknown_button_is_asked_for() -> None:
    (alarm,) = halt_alarms([LONG, Table(2, 9, frozenset({1, 2, 3}))])
    assert not alarm.halted
    assert "button is unknown" in alarm.reason

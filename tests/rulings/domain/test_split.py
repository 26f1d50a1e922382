import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulings.domain.split import WonPot, split_pots

SEATS = 9
winners = st.lists(st.integers(1, SEATS), min_size=1, unique=True)
pots = st.lists(st.builds(WonPot, st.integers(0, 400).map(lambda units: units * 25), winners), min_size=1)


@given(pots=pots, button=st.integers(1, SEATS))
def test_every_pot_is_paid_out_exactly_and_evenly(pots: list[WonPot], button: int) -> None:
    split = split_pots(pots, button=button, seats=SEATS, unit=25)
    assert sum(split.awards.values()) == sum(pot.amount for pot in pots)
    for pot, share in zip(pots, split.shares, strict=True):
        assert sum(share.awards.values()) == pot.amount
        assert set(share.awards) == set(pot.winners)
        assert max(share.awards.values()) - min(share.awards.values()) in (0, 25)


@given(pots=pots, button=st.integers(1, SEATS))
def test_odd_chips_go_to_the_first_winners_left_of_the_button(pots: list[WonPot], button: int) -> None:
    clockwise = [*range(button + 1, SEATS + 1), *range(1, button + 1)]
    for pot, share in zip(pots, split_pots(pots, button=button, seats=SEATS, unit=25).shares, strict=True):
        in_order = [seat for seat in clockwise if seat in pot.winners]
        assert share.odd_chips == tuple(in_order[: len(share.odd_chips)])


def test_pots_are_never_combined() -> None:
    split = split_pots([WonPot(425, [3, 6]), WonPot(325, [3, 6])], button=8, seats=SEATS, unit=25)
    assert split.awards == {3: 400, 6: 350}
    assert split.rules == ("11", "12")
    assert split.why.startswith("Pot 1: 200 each for seats 3 and 6, and one more chip of 25 for seat 3")


@pytest.mark.parametrize(
    ("pot", "button", "message"),
    [
        (WonPot(110, [1, 2]), 1, "chips of 25"),
        (WonPot(100, []), 1, "at least one winner"),
        (WonPot(100, [2, 2]), 1, "each named once"),
        (WonPot(100, [10]), 1, "none of the 9 seats"),
        (WonPot(100, [1]), 10, "the button"),
    ],
)
def test_what_cannot_be_is_refused(pot: WonPot, button: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        split_pots([pot], button=button, seats=SEATS, unit=25)

"""The formula of the season's points, and the leaderboard."""

import math
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from series.domain.formula import MOST_CHARACTERS, NAMES, FormulaError, parsed, reckon
from series.domain.points import Finish, Scored, check, format_points, leaderboard, points, sample, shared_points

VALUES = {name: Decimal(index) for index, name in enumerate(NAMES, start=2)}


# --- the language ----------------------------------------------------------------------------------------------------

numbers = st.integers(0, 1_000).map(str) | st.decimals(0, 1_000, places=3).map(lambda value: f"{value:f}")


@st.composite
def expressions(draw, depth=3):
    """A formula and, from Python's own floats, what it should come to."""
    if depth == 0 or draw(st.booleans()):
        text = draw(numbers | st.sampled_from(list(NAMES)))
        return text, float(VALUES.get(text, 0) or text)
    (left, first), (right, second) = draw(expressions(depth - 1)), draw(expressions(depth - 1))
    shape = draw(st.sampled_from(["+", "-", "*", "min", "max", "if", "sqrt"]))
    if shape in "+-*":
        return f"({left}) {shape} ({right})", {"+": first + second, "-": first - second, "*": first * second}[shape]
    if shape == "if":
        return f"({left}) if ({left}) < ({right}) else ({right})", min(first, second)
    if shape == "sqrt":
        return f"sqrt(({left}) ** 2)", abs(first)
    return f"{shape}({left}, {right})", {"min": min, "max": max}[shape](first, second)


@given(expressions())
def test_a_formula_comes_to_what_arithmetic_says(expression):
    formula, expected = expression
    if len(formula) <= MOST_CHARACTERS:
        assert math.isclose(float(reckon(formula, VALUES)), expected, rel_tol=1e-9, abs_tol=1e-9)


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        ("0.1 + 0.2", "0.3"),
        ("2 ** 10", "1024"),
        ("-place ** 2", "-4"),
        ("log(1000)", "3"),
        ("round(2.5)", "3"),
        ("round(1.005, 2)", "1.01"),
        ("floor(2.9) + ceil(2.1)", "5"),
        ("10 if place == 2 and entries > 2 else 5", "10"),
        ("10 if place <= 1 or not entries else 5", "5"),
        ("(place < 3) * 7", "7"),
        ("1 < place < 3", "1"),
        (" 100\n/ place ", "50"),
        (".5", "0.5"),
    ],
)
def test_what_a_formula_can_say(formula, value):
    assert reckon(formula, VALUES) == Decimal(value)


@pytest.mark.parametrize(
    ("formula", "at", "words"),
    [
        ("", 1, "write a formula"),
        ("100 / plcae", 7, "“plcae” is none of place"),
        ("  foo", 3, "“foo”"),
        ("1 +", 3, "cannot be read"),
        ("place;1", 6, "cannot be read"),
        ("1 + place.real", 5, "only numbers"),
        ("place.__class__", 1, "only numbers"),
        ("__import__('os')", 1, "the functions are"),
        ("(1).__class__.__mro__", 1, "only numbers"),
        ("[place for place in (1, 2)]", 1, "only numbers"),
        ("lambda: 1", 1, "only numbers"),
        ("f'{place}'", 1, "only numbers"),
        ("10 + 'a' * 9", 6, "write a number"),
        ("True", 1, "write a number"),
        ("1e9", 1, "write a number"),
        ("0x10", 1, "write a number"),
        ("1_000", 1, "write a number"),
        ("9" * 16, 1, "write a number"),
        ("place % 2", 1, "only + - * / **"),
        ("place << 2", 1, "only + - * / **"),
        ("place in paid", 1, "compare with"),
        ("sqrt", 1, "“sqrt” is none of"),
        ("sqrt(1, 2)", 1, "takes 1 value"),
        ("max(*paid)", 1, "takes 2 to 10 values"),
        ("max(1, key=2)", 1, "takes 2 to 10 values"),
        ("sqrt(place)(1)", 1, "the functions are"),
        ("eval(place)", 1, "the functions are"),
        ("place # note", 7, "“#” has no meaning"),
        ("place × 2", 7, "“×” has no meaning"),
        ("place\x00", 6, "has no meaning"),
        ("(" * 250, 201, "cannot be read"),
        ("-" * 290 + "1", 1, "too many parts"),
        ("1+" * 150 + "1", 301, "300 characters"),
    ],
)
def test_what_is_no_formula_says_where(formula, at, words):
    with pytest.raises(FormulaError) as refused:
        parsed(formula)
    assert refused.value.at == at
    assert words in str(refused.value)
    assert str(refused.value).startswith(f"At character {at}:")


@pytest.mark.parametrize(
    ("formula", "at", "words"),
    [
        ("1 + 100 / (place - 2)", 5, "divides by nothing"),
        ("5 + (1 < 2) / (2 < 1)", 5, "divides by nothing"),
        ("sqrt(0 - place)", 1, "no value"),
        ("log(0)", 1, "no value"),
        ("2 ** 21", 1, "20 at most"),
        ("9 ** 9 ** 9", 1, "20 at most"),
        ("1 + (999999999 ** 5) ** 2", 5, "too large"),
        ("round(1, 7)", 1, "0 to 6 digits"),
        ("round(1, 0.5)", 1, "0 to 6 digits"),
        ("floor(10 ** 20 * 10 ** 20)", 1, "no value"),
    ],
)
def test_what_has_no_value_says_where(formula, at, words):
    with pytest.raises(FormulaError, match=words) as refused:
        reckon(formula, VALUES)
    assert refused.value.at == at


@given(st.text(max_size=60) | st.text("place().+-*/<=0123456789 sqrtmaxif,else", max_size=60))
def test_whatever_is_typed_is_reckoned_or_refused(text):
    try:
        found = reckon(text, VALUES)
    except FormulaError as error:
        found = Decimal(error.at)
    assert found.is_finite()


# --- what a finish is worth ------------------------------------------------------------------------------------------

FORMULA = "100 * sqrt(entries / place) * (1 + log(buy_in + 0.25)) ** 2"


@given(st.integers(1, 2_000), st.integers(0, 10_000_00))
def test_a_better_place_is_never_worth_less(entries, buy_in):
    worth = [points(FORMULA, sample(place, entries, buy_in)) for place in sorted({1, 2, entries // 3 + 1, entries})]
    assert worth == sorted(worth, reverse=True)


def test_points_are_hundredths_and_never_below_nothing():
    finish = Finish(place=3, entries=50, players=45, buy_in_cents=11_050, prize_cents=33_333)
    assert points("100 * sqrt(entries) / place", finish) == 23_570
    assert points("buy_in", finish) == 11_050
    assert points("prize / 1000", finish) == 33
    assert points("0.005", finish) == 1
    assert points("entries - players - 10", finish) == 0
    with pytest.raises(FormulaError, match="more than 1,000,000"):
        points("10 ** 7", finish)


@given(st.integers(1, 40), st.integers(1, 9))
def test_shared_places_get_the_mean_of_their_points(best, sharing):
    worst = best + sharing - 1
    each = [points("1000 / place", Finish(place, 60, 60)) for place in range(best, worst + 1)]
    shared = shared_points("1000 / place", Finish(best, 60, 60), worst)
    assert each[-1] <= shared <= each[0]
    assert abs(shared * sharing - sum(each)) * 2 <= sharing


def test_a_formula_is_tried_before_it_is_used():
    check(FORMULA)
    check("prize / 10 + (10 if place <= paid else 0)")
    with pytest.raises(FormulaError, match="At character 1: for place 1 of 1: this divides by nothing"):
        check("entries / (place - 1)")
    with pytest.raises(FormulaError, match="for place 1 of 2"):
        check("1 / (entries - 2)")


# --- who leads -------------------------------------------------------------------------------------------------------

results = st.dictionaries(
    st.integers(1, 8),
    st.lists(st.builds(Scored, st.integers(1, 5), st.integers(1, 9), st.just(9), st.integers(0, 50)), max_size=8),
)


@given(results, st.none() | st.integers(1, 6))
def test_the_best_results_count_once_an_event_and_equal_totals_share_a_rank(scored, best):
    lines = leaderboard(scored, best)
    totals = [line.points for line in lines]
    assert totals == sorted(totals, reverse=True)
    for line in lines:
        of_events = {}
        for one in scored[line.player]:
            of_events[one.event] = max(of_events.get(one.event, 0), one.points)
        assert line.points == sum(sorted(of_events.values(), reverse=True)[:best]) > 0
        assert sum(one.points for one in line.scored if one.counts) == line.points
        assert sorted(one.event for one in line.scored) == sorted(of_events)
        assert line.rank == 1 + sum(other > line.points for other in totals)
        assert line.shared == (totals.count(line.points) > 1)
    nothing = {player for player, own in scored.items() if not any(one.points for one in own)}
    assert {line.player for line in lines} == scored.keys() - nothing


@pytest.mark.parametrize(("hundredths", "text"), [(0, "0"), (100, "1"), (150, "1.5"), (123_405, "1,234.05")])
def test_points_as_they_are_written(hundredths, text):
    assert format_points(hundredths) == text

import pytest

from series.domain.gambling_class import (
    CLASS_EXPLANATIONS,
    PROBLEMS,
    Charges,
    Operator,
    classify,
    potential_turnover,
)

INDIVIDUAL, SOCIETY, CORPORATE = Operator.INDIVIDUAL, Operator.SOCIETY, Operator.CORPORATE_SOCIETY
FREE, CASINO = Operator.FREE, Operator.CASINO
ONE_PLACE = {"capacity": 1}


def test_everything_that_one_place_can_bring_in_counts():
    charges = Charges(5_000, fee_cents=500, max_reentries=2, rebuys=3, addon_cents=1_000)
    assert potential_turnover(charges, 10) == 10 * (5_500 * 3 + 5_000 * 3 + 1_000)


@pytest.mark.parametrize(
    ("prizes", "turnover", "expected"),
    [
        (500_00, 500_00, 1),
        (500_01, 500_00, 2),
        (500_00, 500_01, 2),
        (5_000_00, 25_000_00, 2),
        (5_000_01, 25_000_00, 3),
        (5_000_01, 25_000_01, 3),
        (5_000_01, 1_00, 3),
        (5_000_00, 25_000_01, "no_class"),
        (0, 25_000_01, "no_class"),
    ],
)
@pytest.mark.parametrize("operator", [INDIVIDUAL, SOCIETY, CORPORATE, FREE])
def test_the_limits_of_the_classes(operator, prizes, turnover, expected):
    result = classify(operator, Charges(turnover), prizes_cents=prizes, **ONE_PLACE)
    assert result.gambling_class == expected
    assert result.potential_turnover_cents == turnover
    assert result.gambling_class in CLASS_EXPLANATIONS


@pytest.mark.parametrize(
    ("operator", "charges", "prizes", "licence", "problems"),
    [
        (INDIVIDUAL, Charges(100), 500_00, "", set()),
        (INDIVIDUAL, Charges(100), 500_01, "", {"needs_society"}),
        (INDIVIDUAL, Charges(100, fee_cents=1), 500_01, "", {"needs_society", "fee_not_allowed"}),
        (INDIVIDUAL, Charges(0), 5_000_01, "", {"needs_society", "licence_required"}),
        (INDIVIDUAL, Charges(25_000_01), 1, "", {"needs_society", "turnover_over_class_2_limit"}),
        (SOCIETY, Charges(100, fee_cents=50), 5_000_00, "", set()),
        (SOCIETY, Charges(100), 5_000_01, "  ", {"licence_required"}),
        (CORPORATE, Charges(100), 5_000_01, "C3-1", set()),
        (CORPORATE, Charges(25_000_01), 1, "C3-1", {"turnover_over_class_2_limit"}),
        (FREE, Charges(0), 5_000_01, "", set()),
        (FREE, Charges(1), 1, "", {"free_event_takes_money"}),
        (FREE, Charges(0, addon_cents=1), 1, "", {"free_event_takes_money"}),
        (FREE, Charges(0, fee_cents=1), 1, "", {"free_event_takes_money", "fee_not_allowed"}),
        (FREE, Charges(501_00), 1, "", {"free_event_takes_money", "needs_society"}),
        (CASINO, Charges(30_000_00, fee_cents=1), 9_000_00, "", set()),
    ],
)
def test_what_stands_in_the_way(operator, charges, prizes, licence, problems):
    result = classify(operator, charges, prizes_cents=prizes, licence_number=licence, **ONE_PLACE)
    assert set(result.problems) == problems
    for problem in result.problems:
        assert PROBLEMS[problem].endswith("talk to the Department of Internal Affairs.")


def test_a_casino_and_a_free_event_have_classes_of_their_own():
    assert classify(CASINO, Charges(100), prizes_cents=0, **ONE_PLACE).gambling_class == "casino"
    assert classify(FREE, Charges(0), prizes_cents=9_000_00, **ONE_PLACE).gambling_class == "none"
    assert classify(INDIVIDUAL, Charges(0), prizes_cents=1, **ONE_PLACE).gambling_class == 1

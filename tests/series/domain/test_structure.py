from decimal import Decimal

import pytest

from series.domain.structure import (
    EXPLANATIONS,
    AnteType,
    Break,
    Depth,
    Finding,
    Level,
    average_in_big_blinds,
    check,
    preview,
)


def levels(*blinds, minutes=20):
    return [Level(minutes, small, big) for small, big in blinds]


def codes(findings):
    return {finding.code for finding in findings}


class TestPublishedStructures:
    def test_casino_canberra_2010_is_sound_but_names_no_break(self):
        small = [25, 50, 75, 100, 150, 250, 350, 500, 700, 1000, 1500, 2500, 3500, 5000]
        result = check(levels(*((blind, 2 * blind) for blind in small), minutes=30), [25, 100, 500, 1000])
        assert result.errors == ()
        assert result.warnings == (Finding("long_without_break", 6, 6),)

    def test_the_lppl_league_colours_up_after_levels_5_and_10(self):
        small = [
            25,
            50,
            75,
            100,
            150,
            200,
            300,
            400,
            600,
            800,
            1000,
            1500,
            2000,
            3000,
            4000,
            5000,
            7000,
            10_000,
        ]
        remove = {5: (25,), 10: (100,)}
        items = [Level(15, blind, 2 * blind, remove=remove.get(number, ())) for number, blind in enumerate(small, 1)]
        result = check(items, [25, 100, 500, 1000, 5000], late_reg_level=6)
        assert result.errors == ()
        assert codes(result.warnings) == {"long_without_break"}

    def test_the_same_league_colouring_up_one_level_early_fails(self):
        small = [25, 50, 75, 100, 150, 200]
        items = [Level(15, blind, 2 * blind, remove=(25,) * (blind == 100)) for blind in small]
        assert check(items, [25, 100]).errors == (Finding("not_a_multiple_of_smallest_chip", 5, 5),)

    def test_the_wpt_champions_structure_passes_up_to_its_misprint(self):
        published = [
            (75, 150, 25, ()),
            (300, 600, 75, (25,)),
            (400, 800, 100, ()),
            (1200, 2400, 400, (100,)),
            (1500, 3000, 500, ()),
            (3000, 6000, 1000, (500,)),
            (4000, 8000, 1000, ()),
            (12_000, 24_000, 4000, (1000,)),
            (15_000, 30_000, 5000, ()),
            (20_000, 40_000, 5000, ()),
            (25_000, 30_000, 5000, ()),
        ]
        items = [Level(60, *amounts, AnteType.EACH, remove) for *amounts, remove in published]
        chips = [25, 100, 500, 1000, 5000, 25_000]
        assert check(items[:-1], chips).errors == ()
        assert check(items, chips).errors == (Finding("blinds_fall", 11, 11),)


def test_positions_count_breaks_and_levels_do_not():
    items = [*levels((25, 50), (50, 100)), Break(0), *levels((75, 150), (50, 150))]
    result = check(items, [25])
    assert result.errors == (Finding("bad_minutes", 3, None), Finding("blinds_fall", 5, 4))
    assert result.warnings == (Finding("big_blind_not_double", 5, 4), Finding("flat_step", 5, 4))
    assert result.errors[0].explanation == EXPLANATIONS["bad_minutes"]


def test_a_level_without_blinds_is_checked_no_further_and_skipped_in_comparisons():
    items = [Level(20, 100, 200), Level(20, 0, 7, 99, AnteType.EACH), Level(20, 100, 200)]
    result = check(items, [100])
    assert codes(result.errors) == {"blind_not_positive"}
    assert result.warnings == (Finding("flat_step", 3, 3),)


def test_chips_removed_at_a_level_without_blinds_are_still_gone():
    items = [Level(20, 0, 0, remove=(25,)), Level(20, 50, 100)]
    assert codes(check(items, [25, 100]).errors) == {"blind_not_positive", "not_a_multiple_of_smallest_chip"}


def test_a_chip_removed_twice_is_unknown_the_second_time():
    items = [Level(20, 100, 200, remove=(25,)), Break(10, (25,)), Level(20, 200, 400)]
    assert check(items, [25, 100]).errors == (Finding("removed_chip_unknown", 2, None),)


def test_no_chip_left_in_play_matters_only_at_a_level():
    assert check([Level(20, 25, 50, remove=(25,))], [25]).errors == ()
    items = [*levels((25, 50)), Break(10, (25,)), *levels((50, 100), (75, 150))]
    assert check(items, [25]).errors == (Finding("no_chips", 3, 2), Finding("no_chips", 4, 3))
    assert check(levels((25, 50), (50, 100)), []).errors == (Finding("no_chips"),)


def test_an_empty_structure():
    assert codes(check([], []).errors) == {"no_levels", "no_chips"}
    assert codes(check([Break(10)], [25]).errors) == {"no_levels"}


@pytest.mark.parametrize(
    ("ante_types", "errors"),
    [
        ((AnteType.EACH, AnteType.EACH), {"ante_falls"}),
        ((AnteType.BIG_BLIND, AnteType.BIG_BLIND), {"ante_falls"}),
        ((AnteType.BIG_BLIND, AnteType.EACH), set()),
        ((AnteType.BIG_BLIND, AnteType.NONE), {"ante_without_type"}),
    ],
)
def test_antes_are_compared_within_their_kind(ante_types, errors):
    first, second = ante_types
    items = [Level(20, 100, 200, 200, first), Level(20, 150, 300, 25, second)]
    assert codes(check(items, [25]).errors) == errors


def test_an_ante_that_ends_does_not_fall():
    items = [Level(20, 100, 200, 25, AnteType.EACH), Level(20, 150, 300)]
    assert check(items, [25]).errors == ()


def test_an_ante_must_be_payable_too():
    assert codes(check([Level(20, 100, 200, 30, AnteType.EACH)], [25]).errors) == {"not_a_multiple_of_smallest_chip"}


@pytest.mark.parametrize(
    ("big_blinds", "warnings"),
    [
        ((200, 400), set()),
        ((200, 402), {"steep_step"}),
        ((200, 230), set()),
        ((200, 228), {"flat_step"}),
        ((200, 200), {"flat_step"}),
    ],
)
def test_steps_of_the_big_blind(big_blinds, warnings):
    items = levels(*((blind // 2, blind) for blind in big_blinds))
    assert codes(check(items, [1]).warnings) == warnings


def test_a_break_starts_the_minutes_afresh_and_a_long_run_is_told_once():
    hundred = levels((1, 2), (2, 4), minutes=50)
    assert check([*hundred, Break(10), *levels((4, 8), (8, 16), minutes=75)], [1]).warnings == ()
    long = [*levels((1, 2), (2, 4), (4, 8), (8, 16), minutes=76)]
    assert check(long, [1]).warnings == (Finding("long_without_break", 2, 2),)


@pytest.mark.parametrize(
    ("late_reg_level", "error", "warning"),
    [(None, set(), set()), (0, set(), set()), (1, set(), set()), (2, set(), {"late_reg_in_last_level"}),
     (3, {"late_reg_after_last_level"}, set())],
)  # fmt: skip
def test_late_registration_ends_before_the_last_level(late_reg_level, error, warning):
    result = check([*levels((25, 50)), Break(10), *levels((50, 100))], [25], late_reg_level)
    assert (codes(result.errors), codes(result.warnings)) == (error, warning)


def test_a_chip_of_no_value_is_refused():
    with pytest.raises(ValueError, match="at least 1"):
        check(levels((25, 50)), [0, 25])


def test_the_average_stack_in_big_blinds():
    assert average_in_big_blinds(400_000, 13, 2_000) == Decimal("15.3")
    with pytest.raises(ValueError, match="at least one player"):
        average_in_big_blinds(400_000, 0, 2_000)


def test_the_preview_of_a_structure():
    items = [*levels((25, 50)), Break(10), *levels((100, 200), (150, 300))]
    assert preview(items, 10_000) == (
        Depth(1, 0, 50, Decimal("200")),
        Depth(2, 30, 200, Decimal("50")),
        Depth(3, 50, 300, Decimal("33.3")),
    )


def test_the_least_that_is_allowed_is_no_error():
    items = [Level(1, 1, 1, 1, AnteType.EACH)]
    assert check(items, [1]).errors == ()
    assert codes(check(items, [1]).warnings) == {"big_blind_not_double"}
    assert average_in_big_blinds(1, 1, 1) == 1

import pytest
from hypothesis import given
from hypothesis import strategies as st

from series.domain.structure import AnteType, Break, Level
from series.domain.structure_csv import LineError, parse_csv, write_csv

amounts = st.integers(0, 10_000_000)
minutes = st.integers(0, 600)
removals = st.lists(st.sampled_from([25, 100, 500, 1000]), max_size=3).map(tuple)
antes = st.one_of(
    st.tuples(st.just(0), st.just(AnteType.NONE)),
    st.tuples(amounts, st.sampled_from([AnteType.EACH, AnteType.BIG_BLIND])),
)
breaks = st.builds(Break, minutes, removals)
levels = st.tuples(minutes, amounts, amounts, antes, removals).map(
    lambda level: Level(level[0], level[1], level[2], *level[3], level[4])
)


@given(st.lists(breaks | levels, min_size=1, max_size=30))
def test_what_is_written_is_read_back(items):
    imported = parse_csv(write_csv(items))
    assert imported.errors == ()
    assert imported.items == tuple(items)


@given(st.lists(breaks | levels, min_size=1, max_size=10), st.sampled_from([";", "\t"]))
def test_other_separators(items, separator):
    assert parse_csv(write_csv(items).replace(",", separator)).items == tuple(items)


@given(st.text(max_size=200))
def test_any_text_gives_items_or_errors_by_line(text):
    imported = parse_csv(text)
    assert imported.items or imported.errors
    assert all(error.line >= 1 and error.text for error in imported.errors)


def test_a_file_as_a_league_keeps_it():
    text = (
        "\ufeffLevel;Mins;SB;BB;Ante;Ante type;Colour-up;Notes\r\n"
        "\r\n"
        '1;20 min;100;200;;;;"starts; slow"\r\n'
        "Level 2;20;500;1,000;1000;BB ante;;\r\n"
        "Break;10;;;;;25/100;dinner\r\n"
        "3;20;1 000;2 000;200;each;\r\n"
    )
    assert parse_csv(text).items == (
        Level(20, 100, 200),
        Level(20, 500, 1000, 1000, AnteType.BIG_BLIND),
        Break(10, (25, 100)),
        Level(20, 1000, 2000, 200, AnteType.EACH),
    )


def test_without_a_level_column_a_row_without_blinds_is_a_break():
    assert parse_csv("minutes,small blind,big blind\n20,25,50\n10,,\n").items == (
        Level(20, 25, 50),
        Break(10),
    )


def test_errors_name_their_line_and_the_good_rows_are_read():
    text = (
        "level,minutes,small blind,big blind,ante,ante type,remove\n"
        "1,20,25,50,,,\n"
        "2,twenty,50,100,,,\n"
        "\n"
        "3,20,,200,,,\n"
        "4,20,150,300,300,,\n"
        "5,20,150,300,300,dealer,\n"
        "break,10,1,2,,,\n"
        "6,20,1,000,2,000,,,\n"
        "7,20,200,400,,,25 x\n"
        "8,20,200,400,,,\n"
    )
    imported = parse_csv(text)
    assert imported.items == (Level(20, 25, 50), Level(20, 200, 400))
    assert [error.line for error in imported.errors] == [3, 5, 6, 7, 8, 9, 10]
    words = ["Minutes: “twenty”", "Small blind: empty", "who pays the ante", "Ante type: “dealer”",
             "A break has no blinds", "more cells than columns", "Remove: “x”"]  # fmt: skip
    for error, expected in zip(imported.errors, words, strict=True):
        assert expected in error.text


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("", 1, "no level"),
        ("minutes,small blind,big blind\n", 1, "no level"),
        ("1,20,25,50\n2,20,50,100\n", 1, "Missing: Minutes, Small blind, Big blind"),
        ("\nminutes,sb\n20,25\n", 2, "Missing: Big blind"),
        ("minutes,mins,sb,bb\n20,20,25,50\n", 1, "Two columns mean the same: minutes and mins"),
    ],
)
def test_files_that_are_no_structure(text, line, words):
    (error,) = parse_csv(text).errors
    assert error.line == line
    assert words in error.text


def test_a_line_beyond_the_limits_of_csv_is_an_error_and_not_a_crash():
    imported = parse_csv("minutes,sb,bb\n20,25,50\n" + "9" * 200_000 + ",1,2\n")
    assert imported.items == (Level(20, 25, 50),)
    assert imported.errors == (LineError(3, "This line is not CSV."),)


def test_the_file_that_is_written():
    items = [Level(20, 25, 50), Break(10, (25, 100)), Level(20, 500, 1000, 1000, AnteType.BIG_BLIND)]
    assert write_csv(items) == (
        "Level,Minutes,Small blind,Big blind,Ante,Ante type,Remove\r\n"
        "1,20,25,50,0,none,\r\n"
        "break,10,,,,,25 100\r\n"
        "2,20,500,1000,1000,big_blind,\r\n"
    )


def test_a_row_with_one_blind_is_a_level_that_lacks_the_other():
    (error,) = parse_csv("minutes,sb,bb\n20,25,\n").errors
    assert error == LineError(2, "Big blind: empty. Write a whole number, for example 1500 or 1,500.")


def test_a_short_row_has_empty_cells_at_its_end():
    assert parse_csv("minutes,sb,bb,ante,remove\n20,25,50\n").items == (Level(20, 25, 50),)


def test_a_number_of_thousands_of_digits_is_an_error_of_its_line():
    (error,) = parse_csv("minutes,sb,bb\n20,25," + "9" * 5_000 + "\n").errors
    assert error.line == 2
    assert len(error.text) < 200

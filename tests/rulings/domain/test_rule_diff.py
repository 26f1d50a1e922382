from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulings.domain.rule_diff import (
    Change,
    ChangeKind,
    Op,
    Piece,
    apply_diff,
    carry_keys,
    compare_versions,
    diff_words,
)
from rulings.domain.rule_text import RuleText

words = st.lists(st.sampled_from(["the", "big", "blind", "posts", " ", "  ", ", ", ".", "\n\n", "-", "’s"])).map(
    "".join
)
texts = words | st.text(max_size=30)


@given(old=texts, new=texts)
def test_applying_the_difference_to_the_old_text_gives_the_new(old: str, new: str) -> None:
    pieces = diff_words(old, new)
    assert apply_diff(old, pieces) == new
    assert all(piece.text for piece in pieces)
    assert all(one.op != other.op for one, other in pairwise(pieces))


@given(text=texts)
def test_equal_texts_have_no_change(text: str) -> None:
    assert diff_words(text, text) == ([Piece(Op.KEPT, text)] if text else [])


def test_deletions_are_shown_as_whole_words() -> None:
    assert diff_words("The player may not act out of turn.", "The player can never act in turn.") == [
        Piece(Op.KEPT, "The player "),
        Piece(Op.DELETED, "may not"),
        Piece(Op.INSERTED, "can never"),
        Piece(Op.KEPT, " act "),
        Piece(Op.DELETED, "out of"),
        Piece(Op.INSERTED, "in"),
        Piece(Op.KEPT, " turn."),
    ]


def test_a_sentence_written_anew_is_read_as_one() -> None:
    old = "A bet is made when a player lets go of chips after one movement."
    new = "The action of betting is physically defined as the release of chips after a single push."
    assert [piece for piece in diff_words(old, new) if piece.op == Op.KEPT] == [
        Piece(Op.KEPT, " of chips after "),
        Piece(Op.KEPT, "."),
    ]


def test_paragraphs_stay_apart() -> None:
    pieces = diff_words("Whoever directs decides.\n\nNobody under 18.", "The organiser has the word.\n\nAll are 18.")
    assert any(piece.op == Op.KEPT and "\n\n" in piece.text for piece in pieces)


@pytest.mark.parametrize("other", ["another text", "the text and more"])
def test_a_difference_fits_its_own_text_alone(other: str) -> None:
    with pytest.raises(ValueError, match="text"):
        apply_diff(other, diff_words("the text", "a text"))


def rule(number: str, text: str = "", section: str = "Blinds") -> RuleText:
    return RuleText(section, number, text or f"This is what rule {number} says.")


OLD = {"a": rule("1"), "b": rule("2"), "c": rule("3"), "d": rule("4"), "e": rule("5")}


def kinds(new: dict[str, RuleText]) -> list[tuple[str, tuple[str, ...]]]:
    return [(change.key, change.kinds) for change in compare_versions(OLD, new) if change.kinds != ("unchanged",)]


def test_a_version_compared_with_itself_has_no_change() -> None:
    assert {change.kinds for change in compare_versions(OLD, OLD)} == {(ChangeKind.UNCHANGED,)}


def test_each_kind_of_change() -> None:
    assert kinds({**OLD, "f": rule("6")}) == [("f", ("new",))]
    assert kinds({key: OLD[key] for key in "abde"}) == [("c", ("removed",))]
    assert kinds({**OLD, "c": rule("3", "Other words.")}) == [("c", ("reworded",))]
    assert kinds({**OLD, "c": rule("3", section="Chips")}) == [("c", ("moved",))]
    assert kinds({key: OLD[key] for key in "bcdae"}) == [("a", ("moved",))]
    assert kinds({**OLD, "e": rule("7", OLD["e"].text)}) == [("e", ("renumbered",))]
    assert kinds({**OLD, "e": rule("7", "Other words.", "Chips")}) == [("e", ("reworded", "moved", "renumbered"))]


def test_a_removed_rule_stands_after_the_one_it_followed() -> None:
    new = {key: OLD[key] for key in "da"} | {"f": rule("9")}
    assert [change.key for change in compare_versions(OLD, new)] == ["d", "e", "a", "b", "c", "f"]
    assert [change.key for change in compare_versions(OLD, {"f": rule("9")})] == [
        "a",
        "b",
        "c",
        "d",
        "e",
        "f",
    ]


def test_a_change_shows_its_words() -> None:
    change = Change("a", (ChangeKind.NEW,), None, rule("1", "Words."))
    assert change.pieces == [Piece(Op.INSERTED, "Words.")]


orders = st.permutations("abcde").flatmap(lambda keys: st.integers(0, 5).map(lambda count: keys[:count]))


@given(old_keys=orders, new_keys=orders)
def test_every_rule_has_one_change_and_no_more_rules_moved_than_needed(old_keys, new_keys) -> None:
    old, new = ({key: OLD[key] for key in keys} for keys in (old_keys, new_keys))
    changes = compare_versions(old, new)
    assert sorted(change.key for change in changes) == sorted(old | new)
    assert [change.key for change in changes if change.new] == list(new)
    stayed = [change.key for change in changes if change.kinds == (ChangeKind.UNCHANGED,)]
    assert stayed == [key for key in old if key in stayed]
    assert bool(stayed) == bool(old.keys() & new.keys())


def test_an_imported_text_keeps_the_keys_of_its_rules() -> None:
    old = {
        "rule-1": rule("1", "Chips stay in view."),
        "rule-2": rule("2", "The button moves on by one seat."),
    }
    new = [
        rule("1", "Phones are put away."),
        rule("2", "Chips stay in plain view."),
        rule("3", "The button moves on by one seat."),
        rule("4", "Something else."),
    ]
    # Words come before numbers: rules 1 and 2 went on as 2 and 3.
    assert carry_keys(old, new) == [None, "rule-1", "rule-2", None]


def test_a_rule_put_in_other_words_keeps_its_key_by_its_number() -> None:
    assert carry_keys({"rule-9a": rule("9a", "Half is enough.")}, [rule("9a", "All new.")]) == ["rule-9a"]


@given(texts=st.lists(st.sampled_from(["one two", "one two three", "four"]), max_size=5))
def test_no_key_is_carried_twice(texts: list[str]) -> None:
    new = [rule(str(place), text) for place, text in enumerate(texts, start=1)]
    keys = [key for key in carry_keys({"x": rule("1", "one two"), "y": rule("2", "four five")}, new) if key]
    assert len(keys) == len(set(keys))

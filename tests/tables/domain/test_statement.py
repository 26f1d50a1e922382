"""A statement as a document: kept and read again, one fingerprint, nothing lost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables.domain.statement import Column, Document, Section, facts, fingerprint, read

CELLS = st.one_of(st.text(max_size=20), st.integers(-(10**12), 10**12), st.none())
ROWS = st.lists(st.tuples(CELLS, CELLS), max_size=5).map(tuple)
SECTIONS = st.builds(
    Section, title=st.text(max_size=20), columns=st.just((Column("What"), Column("Amount", "money"))), rows=ROWS
)
DOCUMENTS = st.builds(
    Document, title=st.text(max_size=20), currency=st.just("NZD"), sections=st.lists(SECTIONS, max_size=4).map(tuple)
)


@given(DOCUMENTS)
def test_what_is_kept_reads_as_it_was_under_the_same_fingerprint(document: Document):
    again = read(document.content)
    assert again == document
    assert again.fingerprint == fingerprint(document.content)


@given(DOCUMENTS, st.integers(1, 99))
def test_number_and_time_change_the_fingerprint_and_not_what_it_says(document: Document, number: int):
    numbered = Document(document.title, document.currency, document.sections, number, "1 June 2026, 12:00", "Mere")
    assert numbered.says_the_same(document)
    assert numbered.fingerprint != document.fingerprint


def test_one_cent_more_is_another_statement():
    one, other = (Document("S", "NZD", (facts("Net", [("Net", cents)], kind="money"),)) for cents in (100, 101))
    assert not one.says_the_same(other)
    assert one.fingerprint != other.fingerprint


def test_a_row_has_a_cell_for_each_column():
    with pytest.raises(ValueError, match="Prizes"):
        Section("Prizes", (Column("Place"), Column("Prize", "money")), ((1,),))


@pytest.mark.parametrize("content", [{}, {"sections": []}, {"sections": [{"title": "x"}]}])
def test_what_is_no_document_is_not_read(content: dict):
    with pytest.raises((ValueError, KeyError, TypeError)):
        read(content)

"""The starting rulebook, published as version 1, and the public pages that show it."""

import hashlib
import re
import uuid

import pytest
from django.test import Client
from django.urls import reverse

from accounts.permissions import Role
from journal.chain import verify
from journal.errors import NotAllowed, Refused
from journal.models import JournalEntry
from journal.undo import undo
from rulings import reads
from rulings.commands import content_hash, publish_starting_rulebook
from rulings.domain.rule_text import parse_markdown, to_markdown
from rulings.draft_reads import STARTING_RULES
from rulings.models import Rule, RulebookVersion, RuleText
from tests.factories import make_director, make_series, make_user
from tests.rulings.books import make_bare_series, make_published, signed_in

pytestmark = pytest.mark.django_db


# --- publishing -------------------------------------------------------------------------------------------------------


def test_version_1_holds_every_rule_of_the_file_word_for_word_and_is_in_force():
    series = make_bare_series()
    done = publish_starting_rulebook(actor=make_director(series), on=series.pk)
    version = RulebookVersion.objects.get(pk=done.result["version"])
    entry = JournalEntry.objects.get()
    assert (version.number, version.status, version.effective_from) == (1, "in_force", entry.at)
    source = parse_markdown(STARTING_RULES.read_text("utf-8"))
    texts = list(version.texts.select_related("rule"))
    assert [(t.section, t.number, t.text, t.supplement) for t in texts] == [
        (rule.section, rule.number, rule.text, rule.supplement) for rule in source
    ]
    assert {t.number: t.rule.key for t in texts}["9a"] == "rule-9a"
    assert version.content_hash == hashlib.sha256(to_markdown(source).encode()).hexdigest()
    assert entry.stream == series.stream_key
    assert not list(verify())


def test_the_hash_tells_two_texts_apart_and_not_two_readings_of_one():
    rules = parse_markdown("## A\n\n**1.** One.\n\n**2.** Two.\n")
    assert content_hash(rules) == content_hash(parse_markdown("# T\n\n## A\n\n**1.** One.\n**2.** Two."))
    assert content_hash(rules) != content_hash(rules[:1])


@pytest.mark.parametrize("role", list(Role))
def test_directors_and_rules_editors_publish_and_nobody_else(role):
    series = make_bare_series()
    actor = make_user(role=role, series=series)
    if role in (Role.DIRECTOR, Role.EDITOR):
        assert publish_starting_rulebook(actor=actor, on=series.pk).seq == 1
    else:
        with pytest.raises(NotAllowed):
            publish_starting_rulebook(actor=actor, on=series.pk)
        assert not RulebookVersion.objects.exists()


def test_it_is_published_once_and_a_repeated_form_gives_the_same_answer():
    series = make_bare_series()
    director, form = make_director(series), uuid.uuid4()
    first = publish_starting_rulebook(actor=director, on=series.pk, command_id=form)
    assert publish_starting_rulebook(actor=director, on=series.pk, command_id=form).result == first.result
    with pytest.raises(Refused, match="has a rulebook already"):
        publish_starting_rulebook(actor=director, on=series.pk)
    with pytest.raises(Refused, match="cannot be undone"):
        undo(actor=director, entry_id=JournalEntry.objects.get().pk)
    assert RulebookVersion.objects.count() == 1


def test_two_series_have_rules_of_their_own_under_the_same_keys():
    for series in (make_bare_series(), make_bare_series()):
        publish_starting_rulebook(actor=make_director(series), on=series.pk)
    assert Rule.objects.filter(key="rule-9a").count() == 2


def test_the_button_publishes_and_goes_back_to_where_one_may_be():
    series = make_bare_series()
    where = reverse("rulebook_start", args=[series.slug])
    done = signed_in(make_user(role=Role.EDITOR, series=series)).post(where)
    assert (done.status_code, done["Location"]) == (303, reverse("rulebook", args=[series.slug]))
    again = signed_in(make_director(series)).post(where, follow=True)
    assert b"has a rulebook already" in again.content
    assert signed_in(make_user(role=Role.AUDITOR, series=series)).post(where).status_code == 403
    assert Client().post(where).status_code == 302
    assert signed_in(make_director(series)).get(where).status_code == 405


# --- reading ----------------------------------------------------------------------------------------------------------


def test_the_rulebook_shows_every_rule_with_its_anchor_its_permalink_and_its_version():
    series = make_published()
    page = Client().get(reverse("rulebook", args=[series.slug])).content.decode()
    version = RulebookVersion.objects.get(series=series)
    for text in version.texts.all():
        assert f'id="rule-{text.number}"' in page
        assert reverse("rule", args=[series.slug, text.number]) in page
    assert len(re.findall(r">supplement<", page)) == version.texts.filter(supplement=True).count() > 0
    assert "rulebook version 1 · in force since" in page
    assert version.content_hash in page


@pytest.mark.parametrize(
    ("search", "found"),
    [
        ("dead button", set()),
        ("CHECK-raising", {"5"}),
        ("9a", {"9a", "S8"}),
        ("s12", {"S12"}),
        ("  ", None),
        ("zebra", set()),
    ],
)
def test_search_finds_rules_that_hold_every_word_or_the_number(search, found):
    series = make_published()
    book = reads.rulebook(series.pk, search)
    numbers = {rule.number for section in book.sections for rule in section.rules}
    if found is None:
        assert book.found == book.total
    elif found:
        assert numbers == found
    else:
        expected = {
            text.number
            for text in RuleText.objects.filter(version__series=series)
            if all(word in f"{text.section} {text.text}".lower() for word in search.split())
        }
        assert numbers == expected


def test_search_works_by_address_and_in_place():
    series = make_published()
    where = reverse("rulebook", args=[series.slug])
    page = Client().get(where, {"q": "check-raising"}).content.decode()
    assert "1 of " in page
    assert 'id="rule-5"' in page
    assert 'id="rule-6"' not in page
    part = Client().get(where, {"q": "zebra"}, headers={"HX-Request": "true"}).content.decode()
    assert "No rule holds “zebra”" in part
    assert "<!doctype" not in part


def test_a_rule_has_a_page_of_its_own_in_either_case_with_its_neighbours():
    series = make_published()
    for number in ("9a", "9A"):
        page = Client().get(f"/series/{series.slug}/rules/{number}/").content.decode()
        assert "<h1>Rule 9a</h1>" in page
        assert reverse("rule", args=[series.slug, "9"]) in page
        assert reverse("rule", args=[series.slug, "9b"]) in page
    first, last = reads.rule(series.pk, "1"), reads.rule(series.pk, "S21")
    assert (first.before, last.after) == (None, None)
    assert Client().get(f"/series/{series.slug}/rules/999/").status_code == 404


def test_an_unpublished_series_shows_its_rules_to_its_staff_alone():
    series = make_series(published=False)
    where = reverse("rulebook", args=[series.slug])
    assert Client().get(where).status_code == 404
    assert signed_in(make_user("Hana")).get(where).status_code == 404
    assert signed_in(make_user(role=Role.DEALER, series=series)).get(where).status_code == 200
    assert Client().get("/series/nowhere/rules/").status_code == 404


def test_a_series_without_a_rulebook_says_so():
    series = make_bare_series()
    assert b"No rulebook is published yet" in Client().get(reverse("rulebook", args=[series.slug])).content
    assert Client().get(reverse("rule", args=[series.slug, "1"])).status_code == 404


def test_rule_texts_show_markdown_and_never_scripts_or_links():
    html = reads.to_html(
        "A **bold** move.\n\n- one\n- two\n\n<script>alert(1)</script> [x](javascript:alert(1)) <b onclick=x>"
    )
    assert "<strong>bold</strong>" in html
    assert "<li>one</li>" in html
    assert "<script" not in html
    assert "href" not in html
    assert "<b " not in html


def test_the_pages_ask_as_often_for_one_rule_as_for_many(django_assert_num_queries):
    long, short = make_published(), make_series(published=True)
    for series in (long, short):
        with django_assert_num_queries(4):
            Client().get(reverse("rulebook", args=[series.slug]))
        with django_assert_num_queries(5):
            Client().get(reverse("rule", args=[series.slug, "1"]))

"""The editors' pages, by forms alone: what they show, what they refuse and keep, and whom they let in."""

import datetime as dt
import re
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.permissions import Role
from rulings.models import RulebookVersion, RuleChange, RulesNote
from tables.commands.clock import start_clock
from tests.factories import add_players, make_director, make_event, make_user
from tests.rulings.books import Book, make_bare_series, make_editor, make_published, signed_in

pytestmark = pytest.mark.django_db
NZ = ZoneInfo("Pacific/Auckland")


class Desk:
    """An editor at the pages of a book."""

    def __init__(self, book: Book | None = None) -> None:
        self.book = book or Book()
        self.client = signed_in(self.book.editor)

    def where(self, name: str, *args: Any) -> str:
        return reverse(name, args=[self.book.series.slug, *args])

    def page(self, name: str = "rules_editor", *args: Any) -> str:
        response = self.client.get(self.where(name, *args))
        assert response.status_code == 200
        return response.content.decode()

    def post(self, name: str, *args: Any, **sent: Any) -> Any:
        return self.client.post(self.where(name, *args), sent)

    def rule(self, number: str) -> int:
        return self.book.rule(number).rule_id

    def save(self, which: str, /, **given: Any) -> Any:
        """Send a rule's form as it is shown, with some fields changed."""
        rule_id = self.rule(which)
        form = self.client.get(self.where("rules_draft_rule", rule_id)).context["form"]
        shown = {name: form[name].value() for name in form.fields}
        return self.post("rules_draft_rule", rule_id, do="save", **shown | given)


@pytest.fixture
def desk() -> Desk:
    made = Desk()
    assert made.post("rules_draft_start").status_code == 303
    return made


# --- the draft --------------------------------------------------------------------------------------------------------


def test_from_draft_to_announcement_by_forms_alone(desk: Desk) -> None:
    assert "3 unchanged" in desk.page()
    assert "Announce…" not in desk.page()
    done = desk.save("9a", text="Half of a raise is a raise.", meaning="clarified", reason="Said shorter.")
    assert done["Location"] == desk.where("rules_editor")
    new = {"number": "26", "section": "Chips", "text": "Big chips in front.", "reason": "Seen."}
    assert desk.post("rules_draft_new", after=desk.rule("25"), **new).status_code == 303
    page = desk.page()
    for words in ("1 clarified", "1 new", "2 unchanged", "Why: Said shorter.", "ready to be announced", "Announce…"):
        assert words in page
    assert "Half<ins> of</ins> a raise" in desk.page("rules_announce")
    begins = (timezone.now() + dt.timedelta(days=1)).astimezone(NZ).replace(second=0, microsecond=0)
    sent = {"when": "at", "effective_from": f"{begins:%Y-%m-%dT%H:%M}", "note": "Short."}
    done = desk.post("rules_announce", **sent)
    assert done["Location"] == desk.where("rule_changes", 2)
    version = desk.book.version(2)
    assert (version.status, version.effective_from, version.note) == ("announced", begins, "Short.")
    assert "Version 2 is announced" in desk.page()


def test_a_rule_is_shown_in_its_form_as_the_draft_has_it(desk: Desk) -> None:
    assert desk.save("9a", reason="No change.").status_code == 303
    assert desk.book.texts(2) == desk.book.texts(1)


def test_what_is_refused_stands_at_its_field_and_nothing_typed_is_lost(desk: Desk) -> None:
    response = desk.save("9a", number="nine", text="My new words.", reason="Mine.")
    html = response.content.decode()
    assert response.status_code == 422
    assert "Write a number like 9, 9a or S3." in html
    assert "My new words." in html
    response = desk.save("9a", text="My new words.", reason="")
    assert response.status_code == 422
    assert 'id="id_reason_error"' in response.content.decode()
    assert desk.book.texts(2) == desk.book.texts(1)


def test_two_editors_of_one_rule_see_what_the_other_wrote_beside_their_own(desk: Desk) -> None:
    rule_id = desk.rule("9a")
    form = desk.client.get(desk.where("rules_draft_rule", rule_id))
    shown = {name: form.context["form"][name].value() for name in form.context["form"].fields}
    desk.save("9a", text="The other editor’s words.", reason="First.")
    sent = shown | {"text": "My words.", "reason": "Second."}
    response = desk.post("rules_draft_rule", rule_id, do="save", version=form.context["version"], **sent)
    html = response.content.decode()
    assert response.status_code == 409
    assert "This changed while you looked" in html
    assert "My words." in html
    assert "The other editor’s words." in re.sub("<del>[^<]*</del>|</?ins>", "", html)
    again = desk.post("rules_draft_rule", rule_id, do="save", version=response.context["version"], **sent)
    assert again.status_code == 303


def test_rules_are_taken_out_and_put_back(desk: Desk) -> None:
    rule_id = desk.rule("9a")
    refused = desk.post("rules_draft_rule", rule_id, do="remove", reason="")
    assert (refused.status_code, 'id="remove_reason_error"' in refused.content.decode()) == (422, True)
    assert desk.post("rules_draft_rule", rule_id, do="remove", reason="Gone.").status_code == 303
    page = desk.page()
    assert "Taken out" in page
    assert "<del>Half a raise is a raise.</del>" in page
    assert desk.post("rules_draft_rule", rule_id, do="restore").status_code == 303
    assert desk.book.texts(2) == desk.book.texts(1)
    assert desk.client.get(desk.where("rules_draft_rule", 99999)).status_code == 404


def test_a_rule_of_the_supplement_offers_to_be_adopted() -> None:
    series = make_published()
    client = signed_in(make_editor(series))
    client.post(reverse("rules_draft_start", args=[series.slug]))
    draft = RulebookVersion.objects.get(status="draft")
    row = draft.texts.get(number="S1")
    where = reverse("rules_draft_rule", args=[series.slug, row.rule_id])
    page = client.get(where)
    assert "Adopt as a house rule" in page.content.decode()
    adopt = page.context["adopt_form"]
    sent = {"do": "adopt", "number": adopt["number"].value(), "section": adopt["section"].value()}
    assert client.post(where, sent | {"reason": "Agreed."}).status_code == 303
    assert (draft.texts.get(rule=row.rule_id).number, adopt["section"].value()) == ("55", "Miscellaneous Rules")
    house = draft.texts.get(number="2")
    page = client.get(reverse("rules_draft_rule", args=[series.slug, house.rule_id])).content.decode()
    assert "Adopt as a house rule" not in page


def test_faults_are_listed_and_keep_the_announcement_away(desk: Desk) -> None:
    desk.save("1", text="See rule 31.", reason="Why not.")
    page = desk.page()
    assert "Rule 1 refers to rule 31, which does not exist." in page
    assert "Announce…" not in page
    response = desk.post("rules_announce", when="now")
    assert response.status_code == 422
    assert "refers to rule 31" in response.content.decode()


def test_changes_without_a_reason_get_one_together(desk: Desk) -> None:
    fields = {"form-TOTAL_FORMS": 1, "form-INITIAL_FORMS": 0, "form-0-number": "1", "form-0-section": "All"}
    desk.client.post(desk.where("rules_import"), fields | {"form-0-text": "Be kind.", "do": "keep"})
    page = desk.page()
    assert "4 changed rules without a reason" in page
    assert desk.post("rules_draft_explain", reason="").status_code == 422
    assert desk.post("rules_draft_explain", reason="Rewritten.").status_code == 303
    assert "ready to be announced" in desk.page()
    assert set(RuleChange.objects.values_list("reason", flat=True)) == {"Rewritten."}


def test_a_draft_is_discarded_and_begun_from_another_version(desk: Desk) -> None:
    assert desk.post("rules_draft_discard").status_code == 303
    assert "Start a draft from version 1" in desk.page().replace("\n", "")
    assert desk.client.get(desk.where("rules_announce")).status_code == 404
    desk.book.reword("1", "Be kind.")
    desk.client.post(desk.where("rules_draft_start"), {"from": desk.book.version(1).pk})
    assert desk.book.texts(3) == desk.book.texts(1)


def test_a_series_without_rules_begins_with_ours() -> None:
    series = make_bare_series()
    client = signed_in(make_editor(series))
    assert "from the rules that come with the site" in client.get(
        reverse("rules_editor", args=[series.slug])
    ).content.decode()  # fmt: skip
    client.post(reverse("rules_draft_start", args=[series.slug]))
    page = client.get(reverse("rules_draft_new", args=[series.slug]))
    assert set(page.context["form"].fields) == {"number", "section", "after", "text"}
    assert client.post(reverse("rules_announce", args=[series.slug]), {"when": "now"}).status_code == 303
    assert RulebookVersion.objects.get(series=series).status == "in_force"


# --- announcing -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({"when": "at", "effective_from": ""}, "This field is required."),
        ({"when": "at", "effective_from": "soon"}, "Enter a valid date/time."),
        ({"when": "at", "effective_from": "2026-01-01T12:00"}, "This instant has passed."),
        ({"when": "at", "effective_from": "2027-09-26T02:30"}, "may not exist"),  # the clocks go forward
        ({}, "This field is required."),
    ],
)
def test_an_announcement_says_from_when(desk: Desk, sent: dict, said: str) -> None:
    desk.save("1", text="Be kind.", reason="Kinder.")
    response = desk.post("rules_announce", note="Typed already.", **sent)
    html = response.content.decode()
    assert response.status_code == 422
    assert said in html
    assert "Typed already." in html


def test_whoever_announces_is_told_which_events_run(desk: Desk) -> None:
    director = make_director(desk.book.series)
    event = make_event(desk.book.series, name="Night Owl")
    add_players(event, 2, director)
    assert "Night Owl" not in desk.page("rules_announce")
    start_clock(actor=director, on=event.pk)
    assert "Night Owl is running and keeps the rules it began with" in desk.page("rules_announce")


def test_an_announcement_is_cancelled_with_its_reason(desk: Desk) -> None:
    desk.post("rules_draft_discard")
    version = desk.book.reword("1", "Be kind.", timezone.now() + dt.timedelta(hours=1))
    assert desk.post("rules_withdraw", version.pk, reason=" ").status_code == 422
    assert desk.post("rules_withdraw", version.pk, reason="Too soon.").status_code == 303
    version.refresh_from_db()
    assert (version.status, version.withdrawn_reason) == ("withdrawn", "Too soon.")


def test_the_director_writes_the_note_on_a_page() -> None:
    book = Book()
    director, event = make_director(book.series), make_event(book.series)
    add_players(event, 2, director)
    start_clock(actor=director, on=event.pk)
    client, where = signed_in(director), reverse("rules_note", args=[event.pk])
    assert "No other rules have come into force" in client.get(where).content.decode()
    assert client.post(where, {"text": "Words."}).status_code == 422
    book.reword("1", "Be kind.")
    assert client.post(where, {"text": ""}).status_code == 422
    assert client.post(where, {"text": "We play on."})["Location"] == reverse("event", args=[event.pk])
    assert RulesNote.objects.get().author == director
    for role in (Role.FLOOR, Role.EDITOR):
        assert signed_in(make_user(role=role, series=book.series)).get(where).status_code == 403


# --- who gets in ------------------------------------------------------------------------------------------------------

STAFF_PAGES = [
    ("rules_editor", (), "get"), ("rules_draft_new", (), "get"), ("rules_draft_rule", (1,), "get"),
    ("rules_announce", (), "get"), ("rules_import", (), "get"), ("rules_draft_start", (), "post"),
    ("rules_draft_discard", (), "post"), ("rules_draft_explain", (), "post"), ("rules_announce", (), "post"),
    ("rules_draft_rule", (1,), "post"), ("rules_withdraw", (1,), "post"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "args", "method"), STAFF_PAGES)
def test_only_directors_and_rules_editors_open_the_editors_pages(name: str, args: tuple, method: str) -> None:
    book = Book()
    book.draft()
    where = reverse(name, args=[book.series.slug, *(book.rule("1").rule_id for _ in args)])
    for role in Role:
        response = getattr(signed_in(make_user(role=role, series=book.series)), method)(where)
        if role in (Role.DIRECTOR, Role.EDITOR):
            assert response.status_code != 403
            RulebookVersion.objects.filter(status="draft").exists() or book.draft()
        else:
            assert response.status_code == 403
    anonymous = getattr(Client(), method)(where)
    assert (anonymous.status_code, anonymous["Location"].startswith("/accounts/login/")) == (302, True)


def test_the_way_to_the_editors_pages_is_shown_to_editors_alone() -> None:
    book = Book()
    where = reverse("rules_editor", args=[book.series.slug])
    for page in ("rulebook", "rulebook_versions"):
        address = reverse(page, args=[book.series.slug])
        assert where in signed_in(book.editor).get(address).content.decode()
        for client in (Client(), signed_in(make_user(role=Role.FLOOR, series=book.series))):
            assert where not in client.get(address).content.decode()
    assert where in signed_in(book.editor).get(reverse("staff_home")).content.decode()


# --- how often it asks ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "queries"), [("rules_editor", 9), ("rules_announce", 10)])
def test_the_pages_ask_as_often_for_one_change_as_for_three(
    name: str, queries: int, django_assert_num_queries: Any
) -> None:
    for numbers in (("1",), ("1", "9a", "25")):
        desk = Desk()
        desk.book.draft()
        for number in numbers:
            desk.book.change(number, f"Words of {number}.")
        with django_assert_num_queries(queries):
            desk.page(name)

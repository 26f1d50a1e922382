"""Rulebooks for tests: written through the commands, the instants chosen by whoever needs one."""

import datetime as dt
from typing import Any

import time_machine
from django.test import Client

from accounts.models import User
from accounts.permissions import Role
from journal import guard
from rulings.commands import CALENDAR, announce, bring_into_force, publish_starting_rulebook
from rulings.domain.rule_text import RuleText as Text
from rulings.draft_commands import ImportedRule, import_rules, start_draft
from rulings.draft_rule_commands import add_rule, change_rule, remove_rule
from rulings.models import Rule, RulebookVersion, RuleText
from series.models import Series
from tests.factories import PASSWORD, make_director, make_series, make_user

DAY = dt.timedelta(days=1)
SMALL = (("General", "1", "Be fair."), ("General", "9a", "Half a raise is a raise."), ("Chips", "25", "No swaps."))


def make_bare_series(**fields: object) -> Series:
    """A series without a rulebook."""
    series = make_series(**fields)
    with guard.writing():
        RuleText.objects.filter(version__series=series).delete()
        RulebookVersion.objects.filter(series=series).delete()
        Rule.objects.filter(series=series).delete()
    return series


def make_published(**fields: object) -> Series:
    """A series with the rules that come with the site in force."""
    series = make_bare_series(**fields)
    publish_starting_rulebook(actor=make_director(series), on=series.pk)
    return series


def make_editor(series: Series) -> User:
    return make_user("Ngaire", role=Role.EDITOR, series=series)


class Book:
    """A small rulebook with its editor: version 1 of `rules` in force since yesterday."""

    def __init__(self, rules: Any = SMALL, **fields: object) -> None:
        self.series = make_bare_series(**fields)
        self.editor = make_editor(self.series)
        imported = [ImportedRule(number, section, text) for section, number, text in rules]
        with time_machine.travel(dt.datetime.now(dt.UTC) - DAY, tick=False):
            import_rules(actor=self.editor, on=self.series.pk, rules=imported)
            self.announce()

    def version(self, number: int) -> RulebookVersion:
        return RulebookVersion.objects.get(series=self.series, number=number)

    def rule(self, number: str) -> RuleText:
        """The newest text with this number."""
        texts = RuleText.objects.filter(version__series=self.series, number=number)
        return texts.select_related("rule").order_by("-version__number")[0]

    def draft(self) -> None:
        start_draft(actor=self.editor, on=self.series.pk)

    def change(self, which: str, text: str | None = None, /, *, reason: str = "Because.", **given: Any) -> None:
        """Change a rule of the draft; what is not given stays as it is."""
        row = self.rule(which)
        before = RuleText.objects.filter(version=row.version, section=row.section, position__lt=row.position)
        last = before.order_by("-position").first()
        change_rule(
            actor=self.editor,
            on=self.series.pk,
            rule_id=row.rule_id,
            reason=reason,
            **{
                "number": row.number,
                "section": row.section,
                "text": row.text if text is None else text,
                "after": last.rule_id if last else None,
            }
            | given,
        )

    def add(self, number: str, text: str, *, section: str = "General", after: str | None = None) -> None:
        follows = self.rule(after).rule_id if after else None
        add_rule(
            actor=self.editor,
            on=self.series.pk,
            number=number,
            section=section,
            text=text,
            after=follows,
            reason="Needed.",
        )

    def remove(self, number: str, reason: str = "Not needed.") -> None:
        remove_rule(actor=self.editor, on=self.series.pk, rule_id=self.rule(number).rule_id, reason=reason)

    def announce(self, effective_from: dt.datetime | None = None, note: str = "") -> RulebookVersion:
        done = announce(actor=self.editor, on=self.series.pk, effective_from=effective_from, note=note)
        return RulebookVersion.objects.get(pk=done.result["version"])

    def reword(self, number: str, text: str, effective_from: dt.datetime | None = None) -> RulebookVersion:
        """A whole new version that rewords one rule."""
        self.draft()
        self.change(number, text)
        return self.announce(effective_from)

    def carry_out(self) -> None:
        bring_into_force(actor=CALENDAR, on=self.series.pk)

    def texts(self, version: int) -> list[Text]:
        return [row.as_text for row in self.version(version).texts.all()]

    def numbers(self, version: int) -> list[str]:
        return [text.number for text in self.texts(version)]


def signed_in(user: User) -> Client:
    client = Client()
    assert client.login(email=user.email, password=PASSWORD)
    return client

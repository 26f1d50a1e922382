"""What the organiser records under the Gambling Act: operator and purpose, papers, costs, prizes that are goods."""

import datetime as dt
from typing import Any

from accounts.permissions import Permission
from journal.commands import Tx, command
from journal.errors import Refused
from series.commands.events import MOST_CENTS
from series.commands.setup import words
from series.domain.money import format_money
from series.models import Cost, Event, GamblingTerms, GoodsPrize, LicenceDocument, Series

LEAST_YEARS, MOST_YEARS = 1, 99


def _keep(tx: Tx[Any], series: Series, event: Event | None, values: dict[str, Any]) -> GamblingTerms:
    rows = tx.lock(GamblingTerms.objects.filter(series=series, event=event))
    if not rows:
        return tx.add(GamblingTerms(series=series, event=event, **values))
    tx.expect_unchanged(rows[0])
    return tx.change(rows[0], **values)


def _optional(text: str, most: int, field: str) -> str:
    return words(text, most, field, "") if text.strip() else ""


def _operator(operator: str) -> str:
    if operator not in GamblingTerms.Operator.values:
        raise Refused("Choose who operates.", field="operator")
    return operator


@command(Series, "gambling.series", permission=Permission.SET_UP)
def set_series_terms(
    tx: Tx[Series], *, operator: str, operator_name: str = "", purpose: str = "", retention_years: int | None = None
) -> dict[str, Any]:
    """Say who conducts the events of a series, for what purpose, and for how many years money records are kept.

    Raises:
        Refused: at the field that is wrong.
    """
    if retention_years is not None and not LEAST_YEARS <= retention_years <= MOST_YEARS:
        raise Refused(f"Between {LEAST_YEARS} and {MOST_YEARS} years.", field="retention_years")
    values = {
        "operator": _operator(operator),
        "operator_name": _optional(operator_name, 120, "operator_name"),
        "purpose": _optional(purpose, 300, "purpose"),
        "retention_years": retention_years,
    }
    row = _keep(tx, tx.subject, None, values)
    tx.say("Operator of the series: {operator}", operator=row.get_operator_display().lower())
    return {}


@command(Event, "gambling.event", permission=Permission.SET_UP)
def set_event_terms(
    tx: Tx[Event], *, operator: str = "", operator_name: str = "", purpose: str = "", licence_number: str = ""
) -> dict[str, Any]:
    """Say what differs from the series in who conducts this event, what for, and under which licence. Empty: as the
    series.

    Raises:
        Refused: at the field that is wrong.
    """
    values = {
        "operator": _operator(operator) if operator else "",
        "operator_name": _optional(operator_name, 120, "operator_name"),
        "purpose": _optional(purpose, 300, "purpose"),
        "licence_number": _optional(licence_number, 60, "licence_number"),
    }
    row = _keep(tx, tx.subject.series, tx.subject, values)
    tx.say("Operator of the event: {operator}", operator=(row.get_operator_display() or "as the series").lower())
    return {}


@command(Series, "licence.add", permission=Permission.SET_UP)
def add_licence(
    tx: Tx[Series],
    *,
    kind: str,
    number: str,
    issued: dt.date | None = None,
    expires: dt.date | None = None,
    note: str = "",
) -> dict[str, Any]:
    """Record a paper of the organiser. Result: `licence`.

    Raises:
        Refused: at the field that is wrong; it is recorded already.
    """
    if kind not in LicenceDocument.Kind.values:
        raise Refused("Choose what it is.", field="kind")
    number = words(number, 60, "number", "Write its number, or what tells it from others.")
    if issued and expires and expires < issued:
        raise Refused("It cannot expire before it was issued.", field="expires")
    if LicenceDocument.objects.filter(series=tx.subject, kind=kind, number__iexact=number, withdrawn=False).exists():
        raise Refused("This paper is recorded already. Withdraw that record first.", field="number")
    row = tx.add(
        LicenceDocument(
            series=tx.subject,
            kind=kind,
            number=number,
            issued=issued,
            expires=expires,
            note=_optional(note, 200, "note"),
        )
    )
    tx.say("{paper} recorded", paper=row)
    return {"licence": row.pk}


@command(Series, "licence.withdraw", permission=Permission.SET_UP)
def withdraw_licence(tx: Tx[Series], *, licence_id: int) -> dict[str, Any]:
    """Withdraw the record of a paper that was wrong or was replaced.

    Raises:
        Refused: there is no such record.
    """
    row = tx.lock_one(LicenceDocument, "There is no such paper.", pk=licence_id, series=tx.subject, withdrawn=False)
    tx.change(row, withdrawn=True)
    tx.say("{paper} withdrawn", paper=row)
    return {}


def _cents(cents: int, field: str) -> int:
    if not 1 <= cents <= MOST_CENTS:
        raise Refused(f"An amount between one cent and {format_money(MOST_CENTS)}.", field=field)
    return cents


@command(Event, "cost.add", permission=Permission.SET_UP)
def add_cost(tx: Tx[Event], *, what: str, amount_cents: int, receipt: str) -> dict[str, Any]:
    """Record an actual cost of the event with its receipt; also once the event is over. Result: `cost`.

    Raises:
        Refused: at the field that is wrong.
    """
    row = tx.add(
        Cost(
            event=tx.subject,
            what=words(what, 120, "what", "Say what was paid for."),
            amount_cents=_cents(amount_cents, "amount_cents"),
            receipt=words(receipt, 60, "receipt", "Write the number of the receipt or invoice."),
            at=tx.at,
        )
    )
    tx.say(f"Cost recorded: {{cost}}, {format_money(amount_cents)}", cost=row)
    return {"cost": row.pk}


@command(Event, "cost.withdraw", permission=Permission.SET_UP)
def withdraw_cost(tx: Tx[Event], *, cost_id: int) -> dict[str, Any]:
    """Withdraw a cost that was recorded by mistake.

    Raises:
        Refused: there is no such cost.
    """
    row = tx.lock_one(Cost, "There is no such cost.", pk=cost_id, event=tx.subject, withdrawn=False)
    tx.change(row, withdrawn=True)
    tx.say("Cost withdrawn: {cost}", cost=row)
    return {}


@command(Event, "goods.add", permission=Permission.SET_UP)
def add_goods(tx: Tx[Event], *, what: str, retail_cents: int, given_for: str = "") -> dict[str, Any]:
    """Record a prize that is not money, at its retail value (section 17A). Result: `goods`.

    Raises:
        Refused: at the field that is wrong.
    """
    row = tx.add(
        GoodsPrize(
            event=tx.subject,
            what=words(what, 120, "what", "Say what the prize is."),
            retail_cents=_cents(retail_cents, "retail_cents"),
            given_for=_optional(given_for, 120, "given_for"),
            at=tx.at,
        )
    )
    tx.say(f"Prize added: {{goods}}, worth {format_money(retail_cents)}", goods=row)
    return {"goods": row.pk}


@command(Event, "goods.withdraw", permission=Permission.SET_UP)
def withdraw_goods(tx: Tx[Event], *, goods_id: int) -> dict[str, Any]:
    """Withdraw a prize that is not given after all.

    Raises:
        Refused: there is no such prize.
    """
    row = tx.lock_one(GoodsPrize, "There is no such prize.", pk=goods_id, event=tx.subject, withdrawn=False)
    tx.change(row, withdrawn=True)
    tx.say("Prize withdrawn: {goods}", goods=row)
    return {}

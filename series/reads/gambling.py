"""An event against the limits of the Gambling Act, in words: guidance for the organiser, not legal advice."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Sum

from series.domain import gambling_class as act
from series.domain.eligibility import local_date
from series.domain.ledger import Pool, pool_of
from series.domain.licences import State, state
from series.domain.money import format_money
from series.models import Cost, Event, GamblingTerms, GoodsPrize, LedgerLine, LicenceDocument, Series
from series.reads.money import prize_pools, staff_words

RETENTION_YEARS = 7
DEPARTMENT = "Department of Internal Affairs"
ONLINE = (
    "The site takes no payment by internet or phone. Remote interactive gambling is always prohibited (Gambling Act "
    "2003, section 9(2)), and the relief for internet sales is for class 3 lotteries alone. Players hold a place free "
    "of charge and pay at the venue. Before you sell otherwise, talk to the Department of Internal Affairs and keep "
    "its written advice among your papers."
)
SERIES_TOTAL = (
    "Whether a whole series counts as one activity is not confirmed. If it did, these sums would be looked at "
    "together: talk to the Department of Internal Affairs."
)
NO_OPERATOR = (
    "Nobody has said who conducts the event. What holds depends on it: choose it below, or on the page of the series."
)
NO_PURPOSE = (
    "A society raises money for an authorised purpose, and none is written down. Write it, or talk to the Department "
    "of Internal Affairs."
)
STAFF_PAID = (
    "A part of what players pay goes to the staff. Who is not a society may pay nobody for conducting an event, and a "
    "society within limits. Leave the staff’s share out, or talk to the Department of Internal Affairs."
)
NO_COMMISSION = act.ACT + ", section 22: no remuneration for conducting, no commission"
LICENSED = act.SOURCES["licence_required"]


@dataclass(frozen=True)
class Terms:
    """Who conducts an event. `operator` is empty while nobody said it."""

    operator: str
    operator_words: str
    name: str
    purpose: str
    licence_number: str
    retention_years: int


@dataclass(frozen=True)
class Problem:
    """Something in the way, what to do about it, and where it is written."""

    words: str
    source: str = ""


@dataclass(frozen=True)
class Limit:
    """One sum beside the limits of classes 1 and 2, in cents; `series_cents` is that of all events together."""

    what: str
    cents: int
    series_cents: int
    class_1: int
    class_2: int


@dataclass(frozen=True)
class Paper:
    """A paper of the organiser and how it stands on the day asked about."""

    row: LicenceDocument
    state: State

    @property
    def tone(self) -> str:
        return {State.EXPIRED: "stop", State.SOON: "warn", State.NOT_YET: "warn"}.get(self.state, "go")

    @property
    def words(self) -> str:
        said = {State.EXPIRED: "expired", State.SOON: "expires soon", State.NOT_YET: "not yet valid"}
        return said.get(self.state, "valid")


@dataclass(frozen=True)
class GamblingView:
    """An event under the Act. `prizes_now` and `pool` are what the ledger says, `prizes_full` what could come to be."""

    terms: Terms
    result: act.Classification
    limits: tuple[Limit, ...]
    pool: Pool
    prizes_now: int
    prizes_full: int
    goods: tuple[GoodsPrize, ...]
    costs: tuple[Cost, ...]
    fees_full: int
    problems: tuple[Problem, ...]
    papers: tuple[Paper, ...]

    @property
    def class_words(self) -> str:
        """What the class means, without its name."""
        words = act.CLASS_EXPLANATIONS[self.result.gambling_class].removeprefix(f"{self.class_name}: ")
        return words[0].upper() + words[1:]

    @property
    def class_name(self) -> str:
        found = self.result.gambling_class
        return {"casino": "Casino", "none": "No gambling", "no_class": "No class"}.get(str(found), f"Class {found}")

    @property
    def costs_cents(self) -> int:
        return sum(cost.amount_cents for cost in self.costs)

    @property
    def goods_cents(self) -> int:
        return sum(prize.retail_cents for prize in self.goods)


def terms_of(event: Event) -> Terms:
    """Who conducts the event: its own terms where it has some, else those of its series. One query."""
    rows = list(GamblingTerms.objects.filter(series=event.series_id))
    whole = next((row for row in rows if row.event_id is None), None)
    own = next((row for row in rows if row.event_id == event.pk), None)
    return _terms([row for row in (own, whole) if row is not None])


def series_terms(series: Series) -> Terms:
    """Who conducts the events of a series, if they do not say otherwise. One query."""
    return _terms(list(GamblingTerms.objects.filter(series=series, event=None)))


def _terms(rows: Sequence[GamblingTerms]) -> Terms:
    def first(name: str) -> str:
        return next((value for row in rows if (value := getattr(row, name))), "")

    operator = first("operator")
    years = next((row.retention_years for row in rows if row.retention_years), RETENTION_YEARS)
    label = GamblingTerms.Operator(operator).label if operator else ""
    return Terms(operator, str(label), first("operator_name"), first("purpose"), first("licence_number"), years)


def charges_of(event: Event) -> act.Charges:
    """What one place of an event can bring in."""
    rules = event.rules
    return act.Charges(
        buy_in_cents=event.buy_in_cents + rules.bounty_cents,
        fee_cents=event.fee_cents,
        max_reentries=event.max_reentries,
        rebuys=rules.rebuys,
        addon_cents=rules.addons * rules.addon_price_cents,
        rebuy_cents=rules.rebuy_price_cents,
    )


@dataclass(frozen=True)
class EventLine:
    """One event of a series beside the limits, in cents."""

    event: Event
    turnover_cents: int
    prizes_cents: int


def event_lines(series: Series) -> list[EventLine]:
    """The events of a series that are not cancelled, each with what it could turn over and pay. Three queries."""
    events = list(series.events.exclude(status=Event.Status.CANCELLED))
    for event in events:
        event.series = series
    return _lines(events)


def _lines(events: Sequence[Event]) -> list[EventLine]:
    pools = prize_pools(events)
    goods = GoodsPrize.objects.filter(event__in=events, withdrawn=False).order_by()
    values = dict(goods.values_list("event").annotate(total=Sum("retail_cents")))
    return [
        EventLine(
            event,
            act.potential_turnover(charges_of(event), event.capacity),
            _prizes_full(event, pools[event.pk], values.get(event.pk, 0)),
        )
        for event in events
    ]


def _prizes_full(event: Event, pool: Pool, goods_cents: int) -> int:
    """All prizes if every place were sold with everything that can be bought; once over, those there were."""
    rules = event.rules
    if event.status in (Event.Status.FINISHED, Event.Status.CANCELLED):
        return pool.total + goods_cents
    entries = event.capacity * (1 + event.max_reentries)
    paid_in = entries * event.price_shares["prize_pool"]
    paid_in += event.capacity * (rules.rebuys * rules.rebuy_cents + rules.addons * rules.addon_cents)
    full = pool_of(paid_in, pool.added, event.staff_share, event.guarantee_cents)
    return full.total + entries * rules.bounty_cents + goods_cents


def papers(series: Series, on: dt.date) -> list[Paper]:
    """The papers of a series as they stand on a day. One query."""
    rows = LicenceDocument.objects.filter(series=series, withdrawn=False).order_by("kind", "-expires", "pk")
    return [Paper(row, state(row.issued, row.expires, on)) for row in rows]


def gambling_view(event: Event, now: dt.datetime) -> GamblingView:
    """An event against the limits, with every problem in words. Nine queries, however many events the series has."""
    series = event.series
    others = [line for line in event_lines(series) if line.event.pk != event.pk]
    (own,) = _lines([event])
    counted = others if event.status == Event.Status.CANCELLED else [own, *others]
    pool = prize_pools([event])[event.pk]
    goods = tuple(event.goods.filter(withdrawn=False).order_by("pk"))
    bounties = -(event.ledger.filter(account=LedgerLine.Account.BOUNTY).aggregate(t=Sum("amount_cents"))["t"] or 0)
    terms = terms_of(event)
    day = local_date(event.starts_at, series.tz)
    held = papers(series, max(day, local_date(now, series.tz)) if event.finished_at is None else day)
    covering = [paper for paper in held if paper.row.kind == LicenceDocument.Kind.CLASS_3]
    valid = [paper for paper in covering if paper.state in (State.VALID, State.SOON)]
    number = terms.licence_number or (valid[0].row.number if valid else "")
    result = act.classify(
        act.Operator(terms.operator or act.Operator.INDIVIDUAL),
        charges_of(event),
        capacity=event.capacity,
        prizes_cents=own.prizes_cents,
        licence_number=number,
    )
    costs = tuple(event.costs.filter(withdrawn=False).order_by("pk"))
    fees = event.capacity * (
        event.fee_cents * (1 + event.max_reentries)
        + event.rules.rebuys * event.rules.rebuy_fee_cents
        + event.rules.addons * event.rules.addon_fee_cents
    )
    return GamblingView(
        terms=Terms(terms.operator, terms.operator_words, terms.name, terms.purpose, number, terms.retention_years),
        result=result,
        limits=(
            Limit(
                "Potential turnover",
                result.potential_turnover_cents,
                sum(line.turnover_cents for line in counted),
                act.CLASS_1_LIMIT_CENTS,
                act.CLASS_2_TURNOVER_CENTS,
            ),
            Limit(
                "All prizes",
                own.prizes_cents,
                sum(line.prizes_cents for line in counted),
                act.CLASS_1_LIMIT_CENTS,
                act.CLASS_2_PRIZES_CENTS,
            ),
        ),
        pool=pool,
        prizes_now=pool.total + bounties + sum(prize.retail_cents for prize in goods),
        prizes_full=own.prizes_cents,
        goods=goods,
        costs=costs,
        fees_full=fees,
        problems=_problems(terms, result, costs, fees, covering, number, staff_paid=bool(staff_words(event))),
        papers=tuple(held),
    )


def _problems(
    terms: Terms,
    result: act.Classification,
    costs: Sequence[Cost],
    fees: int,
    covering: Sequence[Paper],
    number: str,
    *,
    staff_paid: bool,
) -> tuple[Problem, ...]:
    found = [] if terms.operator else [Problem(NO_OPERATOR)]
    for code in result.problems:
        words = act.PROBLEMS[code]
        if code == "fee_not_allowed":
            spent = sum(cost.amount_cents for cost in costs)
            words += f" Fees can come to {format_money(fees)}; costs with a receipt so far: {format_money(spent)}."
        found.append(Problem(words, act.SOURCES[code]))
    if staff_paid and terms.operator != act.Operator.CASINO:
        found.append(Problem(STAFF_PAID, NO_COMMISSION))
    if terms.operator in (act.Operator.SOCIETY, act.Operator.CORPORATE_SOCIETY) and not terms.purpose:
        found.append(Problem(NO_PURPOSE, act.SOURCES["needs_society"]))
    if result.gambling_class == 3:
        found += [
            Problem(f"{paper.row} does not cover the day of the event: it {_when(paper)}.", LICENSED)
            for paper in covering
            if paper.state in (State.EXPIRED, State.NOT_YET) and number in ("", paper.row.number)
        ]
    return tuple(found)


def _when(paper: Paper) -> str:
    row = paper.row
    if paper.state is State.NOT_YET:
        return f"holds from {row.issued:%-d %B %Y}"
    return f"ended on {row.expires:%-d %B %Y}. Renew it, or talk to the {DEPARTMENT}"

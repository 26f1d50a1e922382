"""The pages of an event and of a series for the staff: which of them somebody may open, and which stand in the bar."""

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from django.db.models import Exists, OuterRef, Q, QuerySet

from accounts.permissions import Permission as P
from series.models import Day, Event

FEW = 6  # so many fit beside each other; with more of them the rare ones go under "More"


_MORE = Q(number__gt=1)


def with_days(events: QuerySet[Event]) -> QuerySet[Event]:
    """Events with `more_days`: whether they have more days than one."""
    return events.annotate(more_days=Exists(Day.objects.filter(_MORE, event=OuterRef("pk"))))


@dataclass(frozen=True)
class BarPage:
    """One page by the name of its address, for who holds one of the permissions. `drafted`: also while the event is
    being set up. `often`: stands in the bar. `by_query`: the event goes into the query, not into the path.
    `sells`: only where the event's terms have one of these (`series.domain.entries`). `bags`: only where an
    event has more days than one, from one to another of which stacks are bagged."""

    name: str
    label: str
    needs: frozenset[P]
    drafted: bool = False
    often: bool = False
    by_query: bool = False
    sells: frozenset[str] = frozenset()
    bags: bool = False

    def of(self, event: Event) -> bool:
        """Whether the event has what the page is about. A query for bags alone, but not of `with_days`."""
        if self.bags:
            known: bool | None = getattr(event, "more_days", None)
            return event.days.filter(_MORE).exists() if known is None else known
        return not self.sells or bool(self.sells & event.entry_rules.keys())


def _page(
    name: str, label: str, *needs: P, drafted: bool = False, often: bool = False, sells: tuple[str, ...] = ()
) -> BarPage:
    return BarPage(name, label, frozenset(needs), drafted, often, sells=frozenset(sells))


# in the order of the bar, then of the menu
PAGES = (
    _page("desk", "Desk", P.REGISTER, P.SIGHT_ID, P.TAKE_MONEY, P.SEE_PLAYERS, often=True),
    _page("floor", "Floor", P.SEE_FLOOR, P.RUN_FLOOR, P.RUN_CLOCK, P.REPORT_HANDS, often=True),
    _page("purchases", "Rebuys", P.SEE_FLOOR, P.TAKE_MONEY, P.REPORT_HANDS, often=True, sells=("rebuys", "addons")),
    _page("staff_draws", "Draws", P.SEE_FLOOR, P.RUN_FLOOR, often=True),
    _page("payouts", "Payouts", P.PAY_OUT, P.SEE_MONEY, often=True),
    _page("bounties", "Bounties", P.RUN_FLOOR, P.PAY_OUT, P.SEE_MONEY, sells=("bounty_cents",)),
    _page("event_money", "Money", P.SEE_MONEY),
    _page("rulings", "Rulings", P.RULE, P.SEE_JOURNAL),
    _page("penalties", "Penalties", P.RULE, P.SEE_JOURNAL),
    BarPage("calculators", "Calculators", frozenset(P), by_query=True),
    _page("chips", "Chips", P.SEE_FLOOR, P.RUN_FLOOR, P.RULE, P.SEE_JOURNAL),
    BarPage("bags", "Bags", frozenset({P.SEE_FLOOR, P.RUN_FLOOR}), bags=True),
    _page("displays", "Screens", P.SEE_FLOOR, P.RUN_FLOOR),
    _page("event_setup", "Set-up", P.SET_UP, P.SEE_JOURNAL, drafted=True, often=True),
    _page("structure", "Structure", P.SET_UP, P.SEE_JOURNAL, drafted=True),
    _page("prize_setup", "Prizes", P.SET_UP, P.SEE_JOURNAL, drafted=True),
    _page("event_statement", "Statement", P.SEE_MONEY, drafted=True),
    _page("gambling", "New Zealand", P.SET_UP, P.SEE_MONEY, P.SEE_JOURNAL, drafted=True),
    _page("event_journal", "Journal", P.SEE_JOURNAL, drafted=True),
)

SERIES_PAGES = (
    _page("series_setup", "Series", P.SET_UP, P.SEE_JOURNAL, often=True),
    _page("series_players", "Players", P.SEE_PLAYERS, often=True),
    _page("series_money", "Money", P.SEE_MONEY, often=True),
    _page("rulebook", "Rules", *P, often=True),
    _page("series_options", "Options", P.SET_UP, P.SEE_JOURNAL),
    _page("series_points", "Points", P.SET_UP, P.SEE_JOURNAL),
    _page("series_gambling", "New Zealand", P.SET_UP, P.SEE_MONEY, P.SEE_JOURNAL),
    _page("staff_roles", "People", P.NAME_STAFF, P.SEE_JOURNAL),
    _page("exclusions", "Exclusions", P.DIRECT),
    _page("series_journal", "Journal", P.SEE_JOURNAL),
)


@dataclass(frozen=True)
class Bar:
    """What the bar shows. The page one is on (`here`) stands in the bar even if it is a rare one."""

    shown: tuple[BarPage, ...]
    more: tuple[BarPage, ...]
    here: str


def opens(name: str, event: Event, may: AbstractSet[str]) -> bool:
    """Whether somebody with these permissions may open the page of this name, for links outside the bar."""
    return any(page.name == name and bool(page.needs & may) and _is_there(page, event) for page in PAGES)


def _is_there(page: BarPage, event: Event) -> bool:
    return (page.drafted or event.status != Event.Status.DRAFT) and page.of(event)


def event_bar(event: Event, may: AbstractSet[str], here: str) -> Bar:
    """The pages of the event that somebody with these permissions may open."""
    return _bar((page for page in PAGES if _is_there(page, event)), may, here)


def series_bar(may: AbstractSet[str], here: str) -> Bar:
    """The pages of a series that somebody with these permissions may open."""
    return _bar(SERIES_PAGES, may, here)


def _bar(pages: Iterable[BarPage], may: AbstractSet[str], here: str) -> Bar:
    open_to_them = tuple(page for page in pages if page.needs & may)
    if len(open_to_them) <= FEW:
        return Bar(open_to_them, (), here)
    shown = tuple(page for page in open_to_them if page.often or page.name == here)
    return Bar(shown, tuple(page for page in open_to_them if not page.often), here)

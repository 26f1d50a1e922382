"""Hand-for-hand play as the domain thinks of it, from its rows."""

from collections.abc import Sequence

from series.models import Day
from tables.domain import hand_for_hand as domain
from tables.models import HandForHand, HandReport


def play_of(day: Day) -> HandForHand | None:
    """The hand-for-hand play that is going on, if any."""
    return HandForHand.objects.filter(day=day).exclude(phase=HandForHand.Phase.NORMAL).first()


def state_of(play: HandForHand, reports: Sequence[HandReport]) -> domain.HandForHand:
    """The state of the round at hand. `reports`: those of its hand, with their tables."""
    return domain.HandForHand(
        phase=domain.Phase(play.phase),
        hand=play.hand,
        since=play.since,
        tables=tuple(
            domain.Progress(report.table.number, report.done_at)
            for report in sorted(reports, key=lambda report: report.table.number)
            if not report.dropped
        ),
    )

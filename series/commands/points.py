"""The formula of a season's points."""

from typing import Any

from accounts.permissions import Permission
from journal.commands import Tx, command
from journal.errors import Refused
from series.domain.formula import FormulaError
from series.domain.points import check
from series.models import Series

MOST_RESULTS = 500


@command(Series, "series.points", permission=Permission.SET_UP)
def set_points(tx: Tx[Series], *, formula: str, best: int | None = None) -> dict[str, Any]:
    """Say what a finish is worth and how many of a player's results count (None: all). Without a formula there is no
    leaderboard. It holds at once, for events that are over as well.

    Raises:
        Refused: at `formula` with the character where it goes wrong, or at `best`.
    """
    series = tx.subject
    tx.expect_unchanged(series)
    formula = " ".join(formula.split())
    if formula:
        try:
            check(formula)
        except FormulaError as error:
            raise Refused(str(error), field="formula", code="formula") from error
    if best is not None and not 1 <= best <= MOST_RESULTS:
        raise Refused(f"Between 1 and {MOST_RESULTS}, or empty for all.", field="best")
    tx.change(series, points_formula=formula, points_best=best)
    tx.say("Season points: {formula}", formula=formula or "none")
    return {}

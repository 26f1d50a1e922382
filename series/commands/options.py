"""The readings of the rules that a series chooses (see `series.domain.options`)."""

from dataclasses import asdict
from typing import Any

from accounts.permissions import Permission
from journal.commands import Tx, command
from journal.errors import Refused
from series.domain.options import Options, differences, options_from, problems
from series.models import Series


@command(Series, "series.options", permission=Permission.SET_UP)
def change_options(tx: Tx[Series], *, options: Options) -> dict[str, Any]:
    """Choose how the series reads its rules. It holds at once, also in events that are being played.

    Raises:
        Refused: at the first option that cannot be so.
    """
    tx.expect_unchanged(tx.subject)
    for name, wrong in problems(options).items():
        raise Refused(wrong, field=name)
    before, after = asdict(options_from(tx.subject.options)), asdict(options)
    changed = [name for name in after if after[name] != before[name]]
    tx.change(tx.subject, options=differences(options))
    tx.say("Options changed: {names}", names=", ".join(name.replace("_", " ") for name in changed))
    return {"changed": changed}

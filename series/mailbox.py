"""Letters that are kept as files in the data folder while no mail server is named."""

from collections.abc import Collection
from pathlib import Path

from django.conf import settings

BETWEEN = "-" * 79  # the line Django's file backend writes after each letter


def forget_letters(addresses: Collection[str]) -> int:
    """Remove every kept letter to one of these addresses; how many there were. A letter lost is no harm, so this may
    come before the transaction that wants it has committed."""
    folder = getattr(settings, "EMAIL_FILE_PATH", None)
    wanted = {address.lower() for address in addresses if address}
    if not folder or not wanted or not Path(folder).is_dir():
        return 0
    removed = 0
    for path in sorted(Path(folder).glob("*.log")):
        letters = path.read_text(encoding="utf-8", errors="surrogateescape").split(BETWEEN)
        kept = [letter for letter in letters if not wanted & _receivers(letter)]
        if len(kept) == len(letters):
            continue
        removed += len(letters) - len(kept)
        if any(letter.strip() for letter in kept):
            path.write_text(BETWEEN.join(kept), encoding="utf-8", errors="surrogateescape")
        else:
            path.unlink()
    return removed


def _receivers(letter: str) -> set[str]:
    """The addresses in a letter's line `To:`."""
    head = letter.strip().partition("\n\n")[0]
    lines = [line for line in head.splitlines() if line.lower().startswith("to:")]
    return {part.strip(" <>,").lower() for line in lines for part in line[3:].replace(",", " ").split()}

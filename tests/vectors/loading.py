"""Reading the cases: every JSON file of one folder."""

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any


class BadVectors(Exception):
    """The folder cannot be used as it is; the message says why."""


@dataclass(frozen=True)
class Case:
    """One case of the collection; `given` and `expect` as the vectors' README describes them."""

    id: str
    kind: str
    given: dict[str, Any]
    expect: dict[str, Any]


def load(folder: Path) -> list[Case]:
    """Return the cases of every *.json file in `folder`, in the order of file names.

    Raises BadVectors if the folder is missing or holds no JSON file, a file is unreadable or empty, a case
    lacks a key or expects nothing, or two cases share an id: a run without cases must never look like a run
    without failures.
    """
    files = sorted(folder.glob("*.json")) if folder.is_dir() else []
    if not files:
        raise BadVectors(f"no JSON files in the vectors folder {folder}")
    cases = [case for file in files for case in _read(file)]
    doubles = [name for name, times in Counter(case.id for case in cases).items() if times > 1]
    if doubles:
        raise BadVectors(f"cases with the same id in {folder}: {', '.join(doubles)}")
    return cases


def _read(file: Path) -> list[Case]:
    try:
        entries = json.loads(file.read_text(encoding="utf-8"))
        cases = [Case(entry["id"], entry["kind"], entry["given"], entry["expect"]) for entry in entries]
    except (ValueError, KeyError, TypeError) as error:
        raise BadVectors(f"{file}: not a list of cases ({type(error).__name__}: {error})") from error
    if not cases or not all(case.expect for case in cases):
        raise BadVectors(f"{file}: no cases, or a case that expects nothing")
    return cases

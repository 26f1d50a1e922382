"""The runner itself: what must fail does fail."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.vectors import adapters
from tests.vectors import test_vectors as runner
from tests.vectors.compare import differences
from tests.vectors.loading import BadVectors, Case, load

CASE = {"id": "x-001", "kind": "nonsense", "given": {}, "expect": {"a": 1}}


def run(folder: Path) -> subprocess.CompletedProcess[str]:
    # No option of the surrounding run is handed on.
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/vectors/test_vectors.py"],
        cwd=Path(__file__).parents[2],
        env=env | {"VECTORS_DIR": str(folder)},
        capture_output=True,
        text=True,
    )


def test_a_kind_nobody_knows_fails_by_name(tmp_path: Path) -> None:
    (tmp_path / "nonsense.json").write_text(json.dumps([CASE]))
    result = run(tmp_path)
    assert result.returncode == 1
    assert "kind 'nonsense' has no adapter" in result.stdout
    assert "test_case[x-001]" in result.stdout


def test_a_folder_without_vectors_does_not_pass(tmp_path: Path) -> None:
    result = run(tmp_path)
    assert result.returncode not in (0, 5)
    assert "no JSON files in the vectors folder" in result.stdout


@pytest.mark.parametrize(
    "content",
    ["", "[]", "{}", "[1]", '[{"id": "a"}]', json.dumps([CASE | {"expect": {}}]), json.dumps([CASE, CASE])],
)
def test_unusable_files_are_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "a.json").write_text(content)
    with pytest.raises(BadVectors, match=r"a\.json|same id"):
        load(tmp_path)


def test_a_missing_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadVectors):
        load(tmp_path / "nowhere")


def test_a_kind_still_to_come_is_skipped_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "STILL_TO_COME", frozenset({"nonsense"}))
    with pytest.raises(pytest.skip.Exception, match="nonsense is still to come"):
        runner.test_case(Case(**CASE))


def test_no_kind_that_has_an_adapter_is_still_to_come() -> None:
    assert runner.STILL_TO_COME.isdisjoint(adapters.ADAPTERS)


def test_a_wrong_answer_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "ADAPTERS", {"nonsense": lambda given: {"a": 2}})
    with pytest.raises(AssertionError, match="a: expected 1, got 2"):
        runner.test_case(Case(**CASE))


def test_a_second_adapter_for_a_kind_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adapters, "ADAPTERS", {})
    adapters.adapter("min_raise")(lambda given: given)
    with pytest.raises(ValueError, match="two adapters"):
        adapters.adapter("min_raise")(lambda given: given)


@pytest.mark.parametrize(
    ("expect", "answer"),
    [
        ({"a": 1}, {"a": 1, "more": 2}),
        ({"sits_out": [3, 5]}, {"sits_out": [5, 3]}),
        ({"hands": [{"button": 2}]}, {"hands": [{"button": 2, "big_blind": 4}]}),
        (
            {"pots": [{"amount": 9, "eligible": ["A", "B"]}]},
            {"pots": [{"amount": 9, "eligible": ("B", "A")}]},
        ),
        ({"awards": {"2": 50}}, {"awards": {2: 50}}),
        ({"amounts": [51, 49], "tolerance_cents": 1}, {"amounts": [50, 50]}),
    ],
)
def test_answers_that_meet(expect: dict, answer: dict) -> None:
    assert differences(expect, answer) == []


@pytest.mark.parametrize(
    ("expect", "answer"),
    [
        ({"a": 1}, {}),
        ({"a": 1}, {"a": True}),
        ({"a": 1}, {"a": 1.0}),
        ({"a": None}, {}),
        ({"order": [3, 5]}, {"order": [5, 3]}),
        ({"sits_out": [3, 5]}, {"sits_out": [3, 5, 5]}),
        ({"sits_out": []}, {"sits_out": None}),
        ({"hands": [{"button": 2}]}, {"hands": [{"button": 2}, {"button": 3}]}),
        ({"hands": [{"button": 2}]}, {"hands": [{}]}),
        ({"returned": {}}, {"returned": {"A": 5}}),
        ({"amounts": [51, 49], "tolerance_cents": 1}, {"amounts": [53, 47]}),
        ({"amounts": [51, 49], "tolerance_cents": 1}, {"amounts": [51, 48]}),
        ({"amounts": [51, 49], "tolerance_cents": 0}, {"amounts": [50, 50]}),
    ],
)
def test_answers_that_do_not_meet(expect: dict, answer: dict) -> None:
    assert differences(expect, answer)

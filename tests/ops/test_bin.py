"""bin/run and bin/test explain in one line what the machine lacks."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TOOLS = ("sh", "dirname", "cmp", "touch", "cp", "rm")


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """The scripts in a folder of their own, with a space in its name and no .venv."""
    folder = tmp_path / "a clone"
    shutil.copytree(ROOT / "bin", folder / "bin")
    for name in ("requirements.txt", "requirements-dev.txt"):
        (folder / name).write_text("")
    cut = (
        "import pathlib, sys; p = pathlib.Path(sys.prefix, 'fonts'); p.mkdir(exist_ok=True); "
        "(p / 'inter.woff').touch(); print('cut the font')"
    )
    (folder / "bin" / "webfont.py").write_text(cut)  # the real one needs the package
    return folder


def run(clone: Path, script: str, python: str | None, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a script on a machine that has the usual tools and, as `python3`, the given shell code."""
    programs = clone / "programs"
    programs.mkdir(exist_ok=True)
    for tool in TOOLS:
        if not (programs / tool).exists():
            (programs / tool).symlink_to(str(shutil.which(tool)))
    if python is not None:
        (programs / "python3").write_text(f"#!/bin/sh\n{python}\n")
        (programs / "python3").chmod(0o755)
    return subprocess.run(
        [str(clone / "bin" / script), *arguments],
        env={"PATH": str(programs), "HOME": "", "PIP_NO_INDEX": "1"},
        cwd="/",
        capture_output=True,
        text=True,
        timeout=60,
    )


@pytest.mark.parametrize(
    ("python", "words"),
    [
        (None, "needs Python 3.11 or newer; this machine has none"),
        (
            'case "$1" in --version) echo Python 3.9.2;; *) exit 1;; esac',
            "needs Python 3.11 or newer; this machine has Python 3.9.2",
        ),
        ('case "$2" in *ensurepip*) exit 1;; esac', "sudo apt install python3-venv"),
    ],
)
@pytest.mark.parametrize("script", ["run", "test"])
def test_what_is_missing_is_said_in_one_line(clone: Path, script: str, python: str | None, words: str) -> None:
    done = run(clone, script, python)
    assert done.returncode == 1
    assert words in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (clone / ".venv").exists()


def test_a_half_made_environment_is_made_again_and_a_whole_one_is_kept(clone: Path) -> None:
    (clone / "manage.py").write_text("import sys; print('started with', *sys.argv[1:])")
    (clone / ".venv" / "bin").mkdir(parents=True)
    (clone / ".venv" / "bin" / "python").symlink_to("/bin/false")
    real = f'exec "{os.path.realpath(sys.executable)}" "$@"'

    first = run(clone, "run", real, "--no-demo")
    assert first.returncode == 0, first.stderr
    assert "Making .venv" in first.stdout
    assert first.stdout.splitlines()[-1] == "started with up --no-demo"

    second = run(clone, "run", real)
    assert second.stdout == "started with up\n"

    (clone / "requirements.txt").write_text("# renewed\n")
    renewed = run(clone, "run", real)
    assert "Installing" in renewed.stdout
    assert "cut the font" in renewed.stdout, "it comes from a package"
    assert len(renewed.stdout.splitlines()) <= 5

    (clone / "requirements.txt").write_text("no-such-thing==1 --hash=sha256:" + "0" * 64 + "\n")
    failed = run(clone, "run", real)
    assert failed.returncode != 0
    assert "no-such-thing" in failed.stderr
    assert "started with" not in failed.stdout

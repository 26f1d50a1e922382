"""Install what a file pins with pip, and say in one line how far it is; all that pip said only if it fails."""

import subprocess
import sys
import time


def main(wanted: str) -> int:
    with open(wanted, encoding="utf-8") as pins:
        total = sum("==" in line and not line.startswith((" ", "#")) for line in pins)
    pip = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check", "--require-hashes"]
    pip += ["--progress-bar", "off", "-r", wanted]
    started, seen, said = time.monotonic(), 0, []
    with subprocess.Popen(pip, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as running:
        for line in running.stdout or ():
            said.append(line)
            if line.startswith(("Collecting ", "Requirement already satisfied")):
                seen += 1
                _show(f"  {min(seen, total)} of {total} packages read")
            elif line.startswith("Installing collected"):
                _show("  all packages read, now putting them in place")
    if running.returncode:
        print("\n" + "".join(said), file=sys.stderr)
        print("pip could not install this. Is there a network? Start it again to go on.", file=sys.stderr)
    else:
        _show(f"  done after {time.monotonic() - started:.0f} s")
        print()
    return running.returncode


def _show(words: str) -> None:
    """One line that is written over on a terminal; in a file only the last one counts."""
    if sys.stdout.isatty() or words.startswith("  done"):
        print(f"\r{words:<60}", end="", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

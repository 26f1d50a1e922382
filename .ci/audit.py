"""Fails on a known vulnerability in what the site installs. Says loudly what could not be looked up."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

with tempfile.TemporaryDirectory() as folder:
    report = Path(folder) / "audit.json"
    options = f"--disable-pip --progress-spinner off --format json --output {report}".split()
    command = [sys.executable, "-m", "pip_audit", "--requirement", "requirements.txt", *options]
    subprocess.run(command, stderr=subprocess.DEVNULL)
    packages = json.loads(report.read_text())["dependencies"] if report.exists() and report.stat().st_size else []

vulnerable = [package for package in packages if package.get("vulns")]
for package in vulnerable:
    for known in package["vulns"]:
        print(
            f"{package['name']} {package['version']}: {known['id']}, mended in {known['fix_versions'] or 'no version'}"
        )
looked_up = [package for package in packages if "skip_reason" not in package]
if not looked_up:
    print("NOT CHECKED: the service that knows the vulnerabilities cannot be reached from here.")
else:
    print(f"{len(looked_up)} of {len(packages)} packages looked up, {len(vulnerable)} with a known vulnerability")
sys.exit(bool(vulnerable))

"""A project in a folder of its own that `harness run` runs, as a user would have it."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

REMOVED = ("CI", "PYTEST_ADDOPTS", "NO_COLOR", "FORCE_COLOR", "BUILD_NUMBER")


class Project:
    """Files, and the commands that are run in their folder."""

    def __init__(self, folder: Path, configuration: str = "") -> None:
        self.folder = folder
        folder.mkdir(exist_ok=True)
        self.write("pyproject.toml", configuration)

    def write(self, name: str, text: str) -> Path:
        """Write one file."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def popen(self, *arguments: str, **environment: str) -> "subprocess.Popen[str]":
        """Start `harness`."""
        inherited = {
            name: value
            for name, value in os.environ.items()
            if name not in REMOVED and not name.startswith("PYTEST_")
        }
        return subprocess.Popen(
            [sys.executable, "-m", "harness.cli", *arguments],
            cwd=self.folder,
            env=inherited | environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def harness(
        self, *arguments: str, seconds: float = 100.0, **environment: str
    ) -> "subprocess.CompletedProcess[str]":
        """Run `harness` to its end."""
        with self.popen(*arguments, **environment) as process:
            try:
                output, _ = process.communicate(timeout=seconds)
            finally:
                process.kill()
        return subprocess.CompletedProcess(arguments, process.returncode, output, "")

    def record(self, name: str = "unit") -> Mapping[str, Any]:
        """Read the record that was written."""
        text = (self.folder / ".harness" / "records" / f"{name}.json").read_text(encoding="utf-8")
        found: Mapping[str, Any] = json.loads(text)
        return found

    def files(self, name: str = "unit") -> dict[str, Mapping[str, Any]]:
        """Return the file records by file."""
        return {one["file"]: one for one in self.record(name)["files"]}

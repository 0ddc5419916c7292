"""A pytest run in the background, with what it has printed so far, for tests of the plugin."""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.lib.events import wait_for_file

SECONDS = 60.0


class SuiteRun:
    """One running pytest; its standard output and standard error are one text."""

    def __init__(self, process: "subprocess.Popen[bytes]", output: Path) -> None:
        self.process = process
        self.pid = process.pid
        self._output = output

    def has_said(self, words: str) -> str:
        """Wait until it has printed `words`; return all that it has printed."""
        return wait_for_file(self._output, SECONDS, holding=words)

    def ends(self) -> tuple[int, str]:
        """Wait for its end; return its exit code and all that it has printed."""
        return self.process.wait(SECONDS), self._output.read_text()


@contextmanager
def running_suite(
    folder: Path, *arguments: str, environment: Mapping[str, str] | None = None
) -> Iterator[SuiteRun]:
    """Run pytest on the suite in `folder`; it ends with the block at the latest."""
    number = len(list(folder.glob("*.output")))
    output = folder / f"{number}.output"
    with output.open("wb") as file:
        process = subprocess.Popen(
            [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments],
            cwd=folder,
            env={**os.environ, **(environment or {})},
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=file,
        )
    try:
        yield SuiteRun(process, output)
    finally:
        process.kill()
        process.wait()

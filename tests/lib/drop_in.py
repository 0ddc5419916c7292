"""Runs one suite twice, without the plugin and with it, and holds the two results together."""

import contextlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from harness.browser.binary import find
from tests.lib import outcome_log

ROOT = Path(__file__).resolve().parents[2]
SUITES = Path(__file__).parent / "drop_in_suite"
# Where a suite reads which browser to name: stock Playwright has no download here.
CHROMIUM_VARIABLE = "SUITE_CHROMIUM"
BOUND_SECONDS = 280
# What the plugin adds on purpose to the folder of a failed test.
OURS = "evidence"


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What a suite's author sees: outcome per node id, exit code, artefacts, terminal."""

    outcomes: Mapping[str, str]
    exit_code: int
    artefacts: Sequence[str]
    text: str

    def count(self, outcome: str) -> int:
        """Return how many node ids ended so."""
        return sum(1 for one in self.outcomes.values() if one == outcome)

    def but_passed(self) -> dict[str, str]:
        """Return everything that did not pass."""
        return {node: end for node, end in self.outcomes.items() if end != "passed"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """The same suite, run by pytest-playwright alone and with the plugin installed."""

    stock: Run
    ours: Run

    def agreed(self) -> Run:
        """Assert that nothing differs, and return what both say."""
        for what in ("outcomes", "exit_code", "artefacts"):
            stock, ours = getattr(self.stock, what), getattr(self.ours, what)
            if stock != ours:
                # The difference first and last: a CI keeps the ends of a long output.
                story = f"{what} differ\n- stock: {stock}\n- ours:  {ours}"
                ends = [f"{name}:\n{run.text[-3000:]}" for name, run in self._runs()]
                pytest.fail("\n\n".join([story, *ends, story]), pytrace=False)
        return self.ours

    def _runs(self) -> list[tuple[str, Run]]:
        return [("stock", self.stock), ("ours", self.ours)]


class Suite:
    """A suite in two copies, each with a folder of its own to write into."""

    def __init__(self, folder: Path, source: str | Mapping[str, str]) -> None:
        self._folder = folder
        for copy in ("stock", "ours"):
            if isinstance(source, str):
                shutil.copytree(SUITES / source, folder / copy)
            else:
                for name, text in source.items():
                    path = folder / copy / name
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_text(text, encoding="utf-8")

    def both(self, *arguments: str, under: Sequence[str] = (), **environment: str) -> Pair:
        """Run both copies one after the other, each `under` a command of its own."""
        with self._start("stock", ("-p", "no:lanewright", *arguments), environment, under) as run:
            stock = self._finish("stock", run)
        with self._start("ours", arguments, environment, under) as run:
            ours = self._finish("ours", run)
        return Pair(stock=stock, ours=ours)

    def ours(self, *arguments: str, **environment: str) -> Run:
        """Run with the plugin only."""
        with self._start("ours", arguments, environment) as ours:
            return self._finish("ours", ours)

    @contextlib.contextmanager
    def _start(
        self,
        copy: str,
        arguments: Sequence[str],
        environment: Mapping[str, str],
        under: Sequence[str] = (),
    ) -> "Iterator[subprocess.Popen[bytes]]":
        folder = self._folder / copy
        folder.mkdir(exist_ok=True)
        base = {
            name: value
            for name, value in os.environ.items()
            if name not in ("DISPLAY", "WAYLAND_DISPLAY", "PWDEBUG", "PYTEST_ADDOPTS")
            and not name.startswith("PYTEST_XDIST")
        }
        with (self._folder / f"{copy}.txt").open("wb") as output:
            process = subprocess.Popen(
                [*under, sys.executable, "-m", "pytest", "-p", "tests.lib.outcome_log",
                 "-p", "no:cacheprovider", "-p", "no:hypothesispytest",
                 f"--rootdir={folder}", "-rA", "--color=no",
                 *arguments],
                cwd=folder,
                env=base
                | {
                    "CI": "",
                    "PYTHONPATH": str(ROOT),
                    CHROMIUM_VARIABLE: str(find().path),
                    outcome_log.VARIABLE: str(self._folder / f"{copy}.json"),
                }
                | dict(environment),
                stdout=output,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
            )  # fmt: skip
        try:
            yield process
        finally:
            process.terminate()
            process.wait()

    def _finish(self, copy: str, process: "subprocess.Popen[bytes]") -> Run:
        exit_code = process.wait(BOUND_SECONDS)
        log = self._folder / f"{copy}.json"
        output = self._folder / copy / "test-results"
        return Run(
            outcomes=json.loads(log.read_text(encoding="utf-8")) if log.exists() else {},
            exit_code=exit_code,
            artefacts=sorted(
                str(path.relative_to(output))
                for path in output.rglob("*")
                if path.is_file() and not path.name.startswith(OURS)
            ),
            text=(self._folder / f"{copy}.txt").read_text(encoding="utf-8", errors="replace"),
        )

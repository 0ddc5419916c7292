"""`harness lanes --check`: does pytest's own collection agree with the classification?"""

import os
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import msgspec

from harness.model.identifiers import Lane, most_demanding
from harness.model.lane_fixtures import REPORT_VARIABLE
from harness.plan.roster import RosterEntry
from harness.report.safe_text import one_line

COLLECT_SECONDS = 300.0
_WITHOUT_TESTS = 5
_SHOWN_LINES = 40
_COMMAND = (
    *(sys.executable, "-m", "pytest", "--collect-only", "-q"),
    *("-p", "harness.pytest_plugin.collected_lanes"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What a person should correct. `file` is empty when it is not about one file."""

    file: str
    message: str

    def __str__(self) -> str:
        return f"{one_line(self.file)}: {self.message}" if self.file else self.message


class CollectedTest(msgspec.Struct, frozen=True):
    """One test that pytest collected: the absolute path of its file, its id there, its lane."""

    file: str
    test: str
    lane: Lane


class Collection(msgspec.Struct, frozen=True):
    """What pytest collected: modules by absolute path, and tests."""

    modules: tuple[str, ...] = ()
    tests: tuple[CollectedTest, ...] = ()


def compare(
    entries: Iterable[RosterEntry], collection: Collection, root: Path, known: frozenset[str]
) -> list[Finding]:
    """Return a finding for each entry that pytest does not know or finds more demanding.

    `known` are the files of the whole roster; a file with tests that is not among them is a
    finding too, since no run would ever start it.
    """
    tests: dict[str, list[CollectedTest]] = {}
    for test in collection.tests:
        tests.setdefault(os.path.realpath(test.file), []).append(test)
    modules = {os.path.realpath(path) for path in collection.modules}
    findings = []
    for entry in entries:
        path = os.path.realpath(root / entry.file)
        if path not in modules and path not in tests:
            findings.append(Finding(file=entry.file, message="pytest does not collect this file"))
        for test in tests.get(path, []):
            if most_demanding((entry.lane, test.lane)) is not entry.lane:
                message = f"classified as {entry.lane}, but pytest finds {test.test} {test.lane}"
                findings.append(Finding(file=entry.file, message=message))
                break
    in_roster = {os.path.realpath(root / file) for file in known}
    findings += [
        Finding(file=os.path.relpath(path, root), message="pytest collects tests that no lane has")
        for path in tests
        if path not in in_roster
    ]
    return findings


def collect(root: Path) -> tuple[Collection, list[Finding]]:
    """Let pytest collect in a child, for at most `COLLECT_SECONDS`; findings say how it failed."""
    from harness.process.tool import run_tool

    with tempfile.TemporaryDirectory(prefix="harness-lanes-") as folder:
        report = Path(folder) / "collected.json"
        environment = {**os.environ, REPORT_VARIABLE: str(report)}
        try:
            finished = run_tool(_COMMAND, root, environment, COLLECT_SECONDS)
        except TimeoutError as error:
            return Collection(), [Finding(file="", message=f"pytest could not collect: {error}")]
        collection = _read(report)
    failed = finished.exit_code not in (0, _WITHOUT_TESTS)
    if collection is not None and not failed:
        return collection, []
    output = (finished.output + finished.errors).decode(errors="backslashreplace").strip()
    shown = "\n".join(f"    {line}" for line in output.splitlines()[-_SHOWN_LINES:])
    message = f"pytest could not collect (exit code {finished.exit_code})\n{shown}"
    return collection or Collection(), [Finding(file="", message=message)]


def _read(report: Path) -> Collection | None:
    try:
        return msgspec.json.decode(report.read_bytes(), type=Collection)
    except (OSError, msgspec.MsgspecError):
        return None

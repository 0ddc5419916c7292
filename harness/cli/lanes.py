"""`harness lanes`: which lane every test file belongs to, and why."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.cli.project import project_root
from harness.cli.roster import choose, load_classification
from harness.config.reader import load
from harness.errors import ExitCode
from harness.model.identifiers import Lane
from harness.plan.classification import Classification
from harness.plan.roster import LeftOut, Roster, RosterEntry
from harness.report.glances import plural
from harness.report.safe_text import one_line

if TYPE_CHECKING:
    from harness.cli.lane_check import Finding

SCHEMA = "lanewright.lanes"
SCHEMA_VERSION = 1


@click.command(
    epilog="Exit codes: 0 classified, 1 --check found something to correct, 2 a PATH without a "
    "test file or a configuration that cannot be read, 4 there is no test file."
)
@click.option("--lane", type=click.Choice([lane.value for lane in Lane]), help="Only this lane.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.option("--check", is_flag=True, help="Compare with what pytest collects.")
@click.argument("paths", metavar="[PATH]...", nargs=-1)
def command(lane: str | None, as_json: bool, check: bool, paths: tuple[str, ...]) -> int:
    """Say which lane every test file belongs to, and why.

    Files are read, not imported. With --check, pytest collects them once, and every file is named
    that cannot be parsed, whose marks contradict its fixtures, or that pytest sees otherwise.
    """
    root = project_root()
    classification = load_classification(root, load(root))
    entries = [
        entry
        for entry in choose(classification.roster.entries, paths, root)
        if lane is None or entry.lane == lane
    ]
    findings = _check(classification, entries, root) if check else []
    if as_json:
        document = _document(classification.roster, entries, findings if check else None)
        click.echo(_shown(json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False)))
    else:
        _print(entries, classification.roster.left_out, findings, check)
    if findings:
        return ExitCode.FAILED
    return ExitCode.PASSED if classification.roster.entries else ExitCode.EMPTY


def _check(
    classification: Classification, entries: Sequence[RosterEntry], root: Path
) -> "list[Finding]":
    from harness.cli.lane_check import Finding, collect, compare

    all_entries = classification.roster.entries
    chosen = {entry.file for entry in entries}
    known = frozenset(entry.file for entry in all_entries)
    # What is wrong with a conftest or a helper concerns every choice.
    findings = [
        Finding(file=found.file, message=found.message)
        for found in classification.contradictions
        if found.file in chosen or found.file not in known
    ]
    collection, failures = collect(root)
    findings += failures
    if not failures:
        findings += compare(entries, collection, root, known)
    return findings


def _document(
    roster: Roster, entries: Sequence[RosterEntry], findings: "Sequence[Finding] | None"
) -> dict[str, object]:
    document: dict[str, object] = {
        "schema": SCHEMA,
        "version": SCHEMA_VERSION,
        "roster_hash": roster.roster_hash,
        "counts": _counts(entries),
        "files": [
            {"file": entry.file, "lane": entry.lane.value, "reason": entry.reason}
            for entry in entries
        ],
        "left_out": [{"file": one.file, "reason": one.reason} for one in roster.left_out],
    }
    if findings is not None:
        document["findings"] = [
            {"file": found.file or None, "message": found.message} for found in findings
        ]
    return document


def _print(
    entries: Sequence[RosterEntry],
    left_out: Sequence[LeftOut],
    findings: "Sequence[Finding]",
    check: bool,
) -> None:
    lines = [f"{entry.file}: {entry.lane} ({entry.reason})" for entry in entries]
    lines += [f"{one.file}: in no lane ({one.reason})" for one in left_out]
    counts = ", ".join(f"{count} {name}" for name, count in _counts(entries).items())
    lines.append(f"{plural(len(entries), 'file')}: {counts}")
    lines += [line for found in findings for line in f"check: {found}".split("\n")]
    if check and not findings:
        lines.append("check: pytest's collection agrees")
    # A name may hold anything, even what looks like a line of this output.
    click.echo("\n".join(one_line(line) for line in lines))


def _counts(entries: Sequence[RosterEntry]) -> dict[str, int]:
    return {lane.value: sum(entry.lane is lane for entry in entries) for lane in Lane}


def _shown(text: str) -> str:
    """A file name that is no UTF-8 is shown with escapes."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")

"""The figures of a measurement, as a table for people and documentation, and as JSON."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tools.compatibility.outcomes import COUNTED, Comparison
from tools.compatibility.suites import Suite

_HEAD = (
    "| suite | tests | without: passed/failed/skipped/error | with | same | seconds (ratio) |\n"
    "|---|---|---|---|---|---|"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One suite's comparison, with when and with which versions it was made."""

    suite: Suite
    comparison: Comparison
    date: str
    versions: tuple[str, ...]
    seconds_without: tuple[float, ...]
    seconds_with: tuple[float, ...]


def as_table(measured: Sequence[Measured]) -> str:
    """Return a Markdown table, then one line for each test that was not the same everywhere."""
    rows = [_HEAD, *map(_row, measured)]
    findings = [
        f"{one.suite.name}: {finding}" for one in measured for finding in one.comparison.findings
    ]
    versions = [f"{one.date}, {one.suite.name}: {', '.join(one.versions)}" for one in measured]
    return "\n".join(["", *rows, "", *versions, *findings])


def _row(one: Measured) -> str:
    comparison = one.comparison
    cells = (
        f"{one.suite.distribution} {one.suite.version}",
        str(comparison.tests),
        _counts(comparison.without),
        _counts(comparison.with_plugin),
        "yes" if comparison.same else "no",
        f"{_seconds(one.seconds_without)} → {_seconds(one.seconds_with)} ({comparison.ratio:.2f})",
    )
    return f"| {' | '.join(cells)} |"


def _counts(runs: Sequence[Mapping[str, int]]) -> str:
    """Return the counts of each run, once where all runs agree."""
    texts = ["/".join(str(counts[name]) for name in COUNTED) for counts in runs]
    return ", ".join(dict.fromkeys(texts))


def _seconds(runs: Sequence[float]) -> str:
    return ", ".join(f"{seconds:.0f}" for seconds in runs)


def as_json(measured: Sequence[Measured]) -> str:
    """Return every figure with sorted keys; `schema` and `version` say what it is."""
    return json.dumps(
        {
            "schema": "lanewright-compatibility",
            "version": 1,
            "suites": [_facts(one) for one in measured],
        },
        sort_keys=True,
        indent=2,
        allow_nan=False,
    )


def _facts(one: Measured) -> dict[str, object]:
    comparison = one.comparison
    return {
        "suite": one.suite.name,
        "distribution": one.suite.distribution,
        "distribution_version": one.suite.version,
        "date": one.date,
        "versions": list(one.versions),
        "tests": comparison.tests,
        "same": comparison.same,
        "ratio": round(comparison.ratio, 3),
        "counts_without": [dict(counts) for counts in comparison.without],
        "counts_with": [dict(counts) for counts in comparison.with_plugin],
        "seconds_without": [round(seconds, 1) for seconds in one.seconds_without],
        "seconds_with": [round(seconds, 1) for seconds in one.seconds_with],
        "findings": [
            {
                "kind": finding.kind.value,
                "test": finding.test,
                "without": list(finding.without),
                "with": list(finding.with_plugin),
                "reason": finding.reason,
            }
            for finding in comparison.findings
        ],
    }

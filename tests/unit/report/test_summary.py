"""The end of a run: failures first, and what it did not check."""

from typing import Any

import pytest

from harness.model.status import Phase, Status
from harness.records.tier_record import Counts, Host, HostLoad, ShardOf, Skip
from harness.report.not_checked import not_checked
from harness.report.summary import summary
from tests.lib.run_example import EVERY_STATUS, bad_record, file_record, not_run, tier_record

TITLES = (
    "Not passed:",
    "Leaked processes:",
    "Slowest files:",
    "Skipped, and not declared in [tool.harness.allowed_skips]:",
    "Skipped, declared:",
    "Browser tests that drove no browser:",
    "Not checked by this run:",
)


def section(lines: list[str], title: str) -> list[str]:
    start = lines.index(title) + 1
    return lines[start : lines.index("", start)]


def test_a_run_that_passed_is_short() -> None:
    record = tier_record(file_record(), file_record("tests/test_b.py"))

    assert summary(record, predicted_seconds=62.0) == [
        "",
        "Not checked by this run: nothing",
        "Time: 1 min 11 s, expected 1 min 02 s (+15 %)",
        "passed: 2 files; tests: 2 passed; 71.3 s",
    ]


def test_sections_stand_in_their_order_failures_first() -> None:
    lines = summary(EVERY_STATUS)
    assert [line for line in lines if line in TITLES] == list(TITLES)


def test_a_failure_shows_status_test_evidence_and_the_command() -> None:
    block = section(summary(EVERY_STATUS), "Not passed:")
    assert block == [
        "  failed  tests/browser/test_room.py (test_opens[dark])",
        "    test: test_opens[dark]",
        "      | AssertionError: assert 'T' == 'another'",
        "      | tests/browser/test_room.py:14: in test_opens",
        "      |     assert page.title() == 'another'",
        "      | page errors: ReferenceError: door is not defined",
        "    leaked: process 4711: python -m http.server (left its session)",
        "    see: output/test_room/evidence.html",
        "    see: output/test_room/evidence.png",
        "    run it again: python -m pytest 'tests/browser/test_room.py::test_opens[dark]'",
    ]


def test_each_file_that_did_not_pass_has_one_command() -> None:
    lines = summary(EVERY_STATUS)
    assert len([line for line in lines if line.startswith("    run it again: ")]) == 5


def test_the_slowest_five_come_slowest_first() -> None:
    files = [file_record(f"tests/test_{n}.py", seconds=float(n)) for n in range(1, 7)]
    lines = summary(tier_record(*files, bad_record(Status.CRASHED, "tests/c.py", seconds=99.0)))

    assert section(lines, "Slowest files:") == [
        "    1 min 39 s  tests/c.py",
        "         6.0 s  tests/test_6.py",
        "         5.0 s  tests/test_5.py",
        "         4.0 s  tests/test_4.py",
        "         3.0 s  tests/test_3.py",
    ]


def test_skips_are_grouped_by_reason_undeclared_ones_apart() -> None:
    skips = [Skip(id=f"tests/test_a.py::test_{name}", reason="later") for name in "abcd"]
    declared = Skip(id="tests/test_a.py", reason="", declared=True)
    lines = summary(tier_record(file_record(skips=(*skips, declared))))

    assert section(lines, TITLES[3]) == [
        "  4 x later: tests/test_a.py::test_a, tests/test_a.py::test_b, tests/test_a.py::test_c "
        "and 1 more"
    ]
    assert section(lines, TITLES[4]) == ["  1 x without a reason: tests/test_a.py"]


def test_browser_tests_that_drove_no_browser_are_named() -> None:
    assert section(summary(EVERY_STATUS), TITLES[5]) == [
        "  tests/browser/test_links.py: test_count"
    ]


def test_what_was_not_checked_is_said_with_reason_and_count() -> None:
    assert not_checked(EVERY_STATUS) == [
        "1 file that had no turn, the run was stopped before it began: tests/browser/test_audio.py",
        "1 file left out, not named by this run: tests/browser/test_other.py",
        "6 tests without a result, in files that did not end well",
        "3 skipped tests",
        "2 deselected tests: tests/browser/test_links.py",
    ]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"shard": ShardOf(index=2, total=4)}, ["the files of the other 3 shards of 4"]),
        ({"shard": ShardOf(index=1, total=1)}, []),
        (
            {"phase": Phase.PARALLEL},
            ["files that run alone (this was the parallel phase only)"],
        ),
        (
            {"phase": Phase.ISOLATED},
            ["files that run beside others (this was the isolated phase only)"],
        ),
    ],
)
def test_a_part_of_a_lane_says_what_the_other_parts_hold(
    given: dict[str, Any], expected: list[str]
) -> None:
    assert not_checked(tier_record(file_record(), **given)) == expected


def test_an_empty_shard_says_so_in_its_last_line() -> None:
    lines = summary(tier_record(shard=ShardOf(index=4, total=4), seconds=0.2))
    assert lines[-1] == "passed: shard 4/4 has no file to run; 0.2 s"


def test_a_run_of_nothing_is_empty() -> None:
    record = tier_record(not_run(omitted=True, reason="not named by this run"), seconds=0.2)
    assert summary(record)[-1] == "empty: no file was run; 0.2 s"


def test_the_last_line_counts_files_by_status_and_tests_by_outcome() -> None:
    assert summary(EVERY_STATUS)[-1] == (
        "failed: 7 files (1 passed, 1 failed, 1 timeout, 1 crashed, 1 interrupted, 1 not_run, "
        "1 empty); tests: 8 passed, 1 failed, 3 skipped, 2 deselected; 71.3 s"
    )


def test_under_ci_an_undeclared_skip_is_refused_and_elsewhere_it_is_not() -> None:
    skip = Skip(id="tests/test_a.py::test_b", reason="later")
    record = tier_record(file_record(skips=(skip,), counts=Counts(passed=1, skipped=1)))

    assert summary(record, in_ci=True)[-1].startswith("refused: ")
    assert summary(record)[-1].startswith("passed: ")


def test_a_declared_empty_file_is_listed_and_is_no_failure() -> None:
    skip = Skip(id="tests/test_b.py::test_b", reason="needs macOS", declared=True)
    quiet = file_record(
        "tests/test_b.py", status=Status.EMPTY, skips=(skip,), counts=Counts(skipped=1)
    )
    lines = summary(tier_record(file_record(), quiet))

    assert "Not passed:" not in lines
    assert lines[-1] == ("passed: 2 files (1 passed, 1 empty); tests: 1 passed, 1 skipped; 71.3 s")


def test_the_load_of_the_host_is_told_with_a_failure_and_unknown_is_no_zero() -> None:
    assert "Host: 2 of 4 processors, load 1.2 before, 4.1 at most, 3.1 after" in summary(
        EVERY_STATUS
    )
    nowhere = Host(cpus=1, available_parallelism=1, loadavg_1m=HostLoad())
    lines = summary(tier_record(bad_record(Status.FAILED), host=nowhere))
    assert "Host: 1 of 1 processor, load unknown" in lines


def test_without_estimates_there_is_nothing_to_compare() -> None:
    assert "Time: 1 min 11 s, with no estimate to compare" in summary(tier_record(file_record()))

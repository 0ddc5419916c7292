"""Exit codes: documented once, and ordered when several apply."""

import itertools
import re
from pathlib import Path

import pytest

from harness.errors import (
    BrowserGone,
    ExitCode,
    HarnessError,
    OwnershipError,
    PreconditionError,
    StartError,
    UsageError,
    most_severe,
)

DOCUMENT = Path(__file__).parents[2] / "docs" / "exit-codes.md"


def test_the_documented_exit_codes_are_exactly_those_of_the_enum() -> None:
    rows = re.findall(r"^\| (\d+) \| `(\w+)` \|", DOCUMENT.read_text(), re.MULTILINE)

    assert [(int(code), name) for code, name in rows] == [
        (code.value, code.name) for code in ExitCode
    ]


def test_the_documented_precedence_is_the_one_that_most_severe_follows() -> None:
    [line] = re.findall(r"^(\d+(?:, \d+){2,})$", DOCUMENT.read_text(), re.MULTILINE)
    documented = [ExitCode(int(code)) for code in line.split(", ")]

    assert set(documented) == set(ExitCode) - {ExitCode.USAGE}
    for stronger, weaker in itertools.combinations(documented, 2):
        assert most_severe([weaker, stronger]) is stronger


def test_a_fault_of_the_harness_outranks_a_signal_and_a_signal_a_failure() -> None:
    assert most_severe([ExitCode.FAILED, ExitCode.INTERRUPTED, ExitCode.FAULT]) == 6
    assert most_severe([ExitCode.FAILED, ExitCode.INTERRUPTED]) == 130


def test_a_failure_outranks_an_empty_run_and_an_empty_run_a_pass() -> None:
    assert most_severe([ExitCode.PASSED, ExitCode.EMPTY, ExitCode.FAILED]) == 1
    assert most_severe([ExitCode.PASSED, ExitCode.EMPTY]) == 4


def test_nothing_at_all_is_a_pass() -> None:
    assert most_severe([]) == 0


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (HarnessError, 6),
        (UsageError, 2),
        (PreconditionError, 5),
        (OwnershipError, 6),
        (StartError, 1),
        (BrowserGone, 1),
    ],
)
def test_each_error_stands_for_one_exit_code(error: type[HarnessError], code: int) -> None:
    assert error("what, where and what next").exit_code == code

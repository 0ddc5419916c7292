"""What became of one test of a file run, as JUnit and other views of single tests need it."""

from dataclasses import dataclass
from enum import StrEnum


class Outcome(StrEnum):
    """The last word on one test. An error is one of its set-up, teardown or collection."""

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    SKIPPED = "skipped"
    XFAILED = "xfailed"
    XPASSED = "xpassed"


@dataclass(frozen=True, slots=True, kw_only=True)
class TestResult:
    """One finished test.

    `id` is its node id, `FILE::CLASS::NAME[PARAMETERS]`. A test whose call passed and whose
    teardown did not is an ERROR. `message` is one line, `text` the bounded report; both may hold
    any character. `seconds` covers set-up, call and teardown.
    """

    __test__ = False
    id: str
    outcome: Outcome
    seconds: float
    message: str = ""
    text: str = ""
    skip_reason: str = ""

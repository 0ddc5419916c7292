"""docs/output.md and the code say the same."""

import re
from pathlib import Path

from harness.model.test_result import Outcome
from harness.report.junit_cases import Kind
from harness.report.markers import FORMS

ROOT = Path(__file__).parents[3]
DOCUMENT = (ROOT / "docs" / "output.md").read_text()


def _rows(head: str) -> list[str]:
    table = DOCUMENT.split(f"| {head} |", 1)[1].split("\n\n", 1)[0]
    return re.findall(r"^\| `(.+?)` \|", table, re.MULTILINE)


def test_the_documented_markers_are_exactly_those_that_exist() -> None:
    assert _rows("marker") == list(FORMS.values())


def test_the_documented_outcomes_are_exactly_those_that_exist() -> None:
    assert _rows("outcome of a test") == [outcome.value for outcome in Outcome]


def test_the_documented_elements_are_those_that_are_written() -> None:
    table = DOCUMENT.split("| outcome of a test |", 1)[1].split("\n\n", 1)[0]
    assert set(re.findall(r"`<(\w+)>`", table)) == {kind.value for kind in Kind}


def test_the_readme_of_the_room_is_short() -> None:
    readme = ROOT / "harness" / "report" / "README.md"
    assert len(readme.read_text().splitlines()) <= 40

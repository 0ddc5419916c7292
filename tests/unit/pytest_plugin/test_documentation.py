"""docs/evidence.md and the code say the same."""

import re
from pathlib import Path

from harness.browser import masking
from harness.pytest_plugin import evidence, witness_names

ROOT = Path(__file__).parents[3]
DOCUMENT = (ROOT / "docs" / "evidence.md").read_text()


def _rows(head: str) -> list[str]:
    table = DOCUMENT.split(f"| {head} |", 1)[1].split("\n\n", 1)[0]
    return re.findall(r"^\| `([\w ]+)` \|", table, re.MULTILINE)


def test_the_documented_verdicts_are_exactly_those_that_exist() -> None:
    assert _rows("verdict") == [seen.value for seen in witness_names.Seen]


def test_the_documented_properties_are_exactly_those_that_are_reported() -> None:
    assert sorted(_rows("property")) == sorted(witness_names.PROPERTIES)


def test_the_documented_sections_are_those_of_the_report() -> None:
    titles = re.findall(r"^ *-{5,} (.+?) -{5,}$", DOCUMENT, re.MULTILINE)
    assert titles == [evidence.SECTION, evidence.TEARDOWN_SECTION]


def test_the_documented_names_of_secrets_are_those_that_are_masked() -> None:
    text = " ".join(DOCUMENT.split())
    words = re.findall(r"`(\w+)`", text.split("it contains ")[1].split(", or ends with")[0])
    ends = re.findall(r"`(\w+)`", text.split("or ends with ")[1].split(". A value")[0])
    assert [*words, *ends] == [*masking.SECRET_WORDS, *masking.SECRET_ENDS]


def test_the_readme_links_to_it() -> None:
    assert "(docs/evidence.md)" in (ROOT / "README.md").read_text()

"""docs/public-reports.md names every report, and tests that exist."""

import ast
import re
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
DOCUMENT = (DOCS / "public-reports.md").read_text(encoding="utf-8")
REPORTS = 37
_LINK = re.compile(r"\[(\w+)\]\((\.\./tests/[\w/]+\.py)\)")


def rows() -> list[list[str]]:
    """Return the cells of every report's row."""
    lines = [line for line in DOCUMENT.splitlines() if line.startswith("| [")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


def functions_in(path: Path) -> set[str]:
    """Return the names of the functions at the top of a file."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_every_report_has_a_row_of_its_own() -> None:
    links = [re.fullmatch(r"\[[^]]+\]\((https://github\.com/\S+)\)", row[0]) for row in rows()]
    assert len({link[1] for link in links if link}) == len(links) == REPORTS


def test_every_row_says_what_went_wrong_and_what_happens_here() -> None:
    assert [row[0] for row in rows() if len(row) != 4 or not all(row)] == []


def test_every_row_names_tests_that_exist_where_it_says() -> None:
    missing = []
    for row in rows():
        named = _LINK.findall(row[3])
        assert ", ".join(f"[{name}]({path})" for name, path in named) == row[3]
        missing += [
            name for name, path in named if name not in functions_in((DOCS / path).resolve())
        ]
    assert missing == []


def test_every_test_of_a_report_is_in_the_document() -> None:
    files = DOCS.parent.glob("tests/*/test_public_reports_*.py")
    written = {name for path in files for name in functions_in(path) if name.startswith("test_")}
    named = {name for row in rows() for name, _ in _LINK.findall(row[3])}
    assert written
    assert written - named == set()

"""`harness lanes` says which lane every test file has, and `--check` asks pytest."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from harness.cli.lane_check import CollectedTest, Collection, collect, compare
from harness.cli.roster import load_classification, load_roster
from harness.config.schema import Config
from harness.model.identifiers import Lane, TestFile
from harness.plan.roster import RosterEntry
from tests.lib.project_text import write

PROJECT = {
    "pyproject.toml": "[tool.pytest.ini_options]\naddopts = '--import-mode=importlib'\n",
    "tests/conftest.py": "import pytest\n@pytest.fixture\ndef site(serve): ...\n",
    "tests/test_a.py": "def test_a(): ...\n",
    "tests/test_s.py": "def test_s(site): ...\n",
    "tests/deep/test_b.py": "def test_b(page): ...\n",
}


def lanes(root: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run the command in a folder."""
    here = str(Path(__file__).parents[3])
    return subprocess.run(
        [sys.executable, "-m", "harness.cli", "lanes", *arguments],
        cwd=root,
        env={**os.environ, "PYTHONPATH": here, "COLUMNS": "80"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with one file in each lane."""
    write(tmp_path, PROJECT)
    return tmp_path


def test_every_file_has_a_line_with_its_reason_and_counts_end_the_list(project: Path) -> None:
    result = lanes(project)
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines() == [
        "tests/deep/test_b.py: browser (fixture 'page' in test_b)",
        "tests/test_a.py: unit (needs no server and no browser)",
        "tests/test_s.py: server (fixture 'site' in test_s, which asks for 'serve')",
        "3 files: 1 unit, 1 server, 1 browser",
    ]


def test_a_lane_and_paths_choose(project: Path) -> None:
    assert lanes(project, "--lane", "server").stdout.splitlines() == [
        "tests/test_s.py: server (fixture 'site' in test_s, which asks for 'serve')",
        "1 file: 0 unit, 1 server, 0 browser",
    ]
    chosen = lanes(project, "./tests/deep/", str(project / "tests" / "test_a.py")).stdout
    assert chosen.splitlines()[-1] == "2 files: 1 unit, 0 server, 1 browser"


def test_a_path_without_a_test_file_is_a_usage_error_that_says_what_next(project: Path) -> None:
    result = lanes(project, "tests/test_a.py", "tests/nothing.py")
    assert result.returncode == 2
    assert "no test file at tests/nothing.py" in result.stderr
    assert "harness lanes" in result.stderr


def test_the_document_has_a_schema_and_sorted_keys(project: Path) -> None:
    result = lanes(project, "--json", "--lane", "browser")
    document = json.loads(result.stdout)
    assert list(document) == ["counts", "files", "left_out", "roster_hash", "schema", "version"]
    assert (document["schema"], document["version"]) == ("lanewright.lanes", 1)
    assert document["counts"] == {"unit": 0, "server": 0, "browser": 1}
    assert document["files"] == [
        {
            "file": "tests/deep/test_b.py",
            "lane": "browser",
            "reason": "fixture 'page' in test_b",
        }
    ]
    assert document["roster_hash"] == load_roster(project, Config()).roster_hash


def test_a_project_without_test_files_is_empty(tmp_path: Path) -> None:
    assert lanes(tmp_path).returncode == 4


def test_a_pytest_configuration_that_cannot_be_read_is_a_usage_error(project: Path) -> None:
    (project / "pytest.ini").write_text("nonsense\n")
    result = lanes(project)
    assert result.returncode == 2
    assert "pytest.ini" in result.stderr


def test_the_check_passes_where_pytest_sees_the_same(project: Path) -> None:
    result = lanes(project, "--check")
    assert result.returncode == 0, result.stdout
    assert result.stdout.splitlines()[-1] == "check: pytest's collection agrees"


# Every way to a fixture, or around one, and the lane that both must see.
WAYS = {
    "conftest.py": """
        import pytest
        from tests.more import imported
        pytest_plugins = ["tests.plug"]
        @pytest.fixture
        def site(logged_in): ...
        @pytest.fixture
        def logged_in(page): ...
    """,
    "tests/plug.py": "import pytest\n@pytest.fixture(name='plugged')\ndef _plugged(serve): ...\n",
    "tests/more.py": "import pytest\n@pytest.fixture\ndef imported(context): ...\n",
    "tests/base.py": """
        import pytest
        class Base:
            @pytest.fixture(autouse=True)
            def ready(self, serve): ...
            def test_inherited(self): ...
    """,
    "tests/own/conftest.py": "import pytest\n@pytest.fixture\ndef page(): ...\n",
    "tests/own/test_unit_own.py": "def test_x(site): ...\n",
    "tests/over/conftest.py": "import pytest\n@pytest.fixture\ndef page(page): ...\n",
    "tests/over/test_browser_over.py": "def test_x(page): ...\n",
    "tests/auto/conftest.py": "import pytest\n@pytest.fixture(autouse=True)\ndef a(serve): ...\n",
    "tests/auto/test_server_auto.py": "def test_x(): ...\n",
    "tests/test_browser_chain.py": "def test_x(site): ...\n",
    "tests/test_browser_imported.py": "def test_x(imported): ...\n",
    "tests/test_server_plugged.py": "def test_x(plugged): ...\n",
    "tests/test_server_inherited.py": "from tests.base import Base\nclass TestX(Base): ...\n",
    "tests/test_unit_parameter.py": """
        import pytest
        @pytest.mark.parametrize("page", [1])
        def test_x(page): ...
    """,
    "tests/test_unit_masked.py": """
        import pytest
        @pytest.fixture
        def shown(page): ...
        @pytest.mark.parametrize("page", [1])
        def test_x(shown, page): ...
    """,
    "tests/test_browser_module_mark.py": """
        import pytest
        pytestmark = pytest.mark.usefixtures("site")
        class TestX:
            def test_x(self): ...
    """,
    "tests/test_unit_unittest.py": """
        import unittest
        class Some(unittest.TestCase):
            def test_x(self, page=None): ...
    """,
    "tests/test_unit_default.py": "def test_x(page=None): ...\n",
    "tests/test_unit_class_override.py": """
        import pytest
        class TestX:
            @pytest.fixture
            def page(self): ...
            class TestInner:
                def test_x(self, site): ...
    """,
    "pytest.ini": "[pytest]\npythonpath = .\naddopts = -n 2 -x --import-mode=importlib\n",
}


def test_pytest_sees_the_lanes_that_the_fixtures_say(tmp_path: Path) -> None:
    write(tmp_path, WAYS)
    roster = load_roster(tmp_path, Config())
    expected = {
        path: Lane(path.rpartition("/")[2].split("_")[1]) for path in WAYS if "/test_" in path
    }
    assert {entry.file: entry.lane for entry in roster.entries} == expected
    collection, failures = collect(tmp_path)
    assert failures == []
    seen = {os.path.relpath(test.file, tmp_path): test.lane for test in collection.tests}
    assert seen == expected


def test_the_check_names_what_only_running_code_can_know(project: Path) -> None:
    write(
        project,
        {
            "tests/conftest.py": """
                import pytest
                def pytest_ignore_collect(collection_path):
                    return True if collection_path.name == "test_ignored.py" else None
                @pytest.fixture
                def site(serve): ...
            """,
            "tests/test_ignored.py": "def test_i(): ...\n",
            "tests/test_marked.py": "import pytest\n@pytest.mark.unit\ndef test_m(page): ...\n",
            "tests/test_dynamic.py": """
                import pytest
                LANE = "brow" + "ser"
                @getattr(pytest.mark, LANE)
                def test_d(): ...
            """,
        },
    )
    result = lanes(project, "--check")
    assert result.returncode == 1
    assert [line for line in result.stdout.splitlines() if line.startswith("check:")] == [
        "check: tests/test_marked.py: mark 'unit' on test_m, but fixture 'page' in test_m",
        "check: tests/test_dynamic.py: classified as unit, but pytest finds test_d browser",
        "check: tests/test_ignored.py: pytest does not collect this file",
    ]


def test_a_collection_that_fails_is_shown(project: Path) -> None:
    write(project, {"tests/test_bad.py": "import no_such_module\n", "tests/test_p.py": "if:\n"})
    result = lanes(project, "--check", "--json")
    assert result.returncode == 1
    findings = json.loads(result.stdout)["findings"]
    assert findings[0] == {
        "file": "tests/test_p.py",
        "message": "cannot be parsed (line 1: invalid syntax)",
    }
    assert findings[1]["file"] is None
    assert "pytest could not collect (exit code 2)" in findings[1]["message"]
    assert "no_such_module" in findings[1]["message"]


def test_tests_that_no_lane_has_are_a_finding(tmp_path: Path) -> None:
    entry = RosterEntry(file=TestFile("test_a.py"), lane=Lane.BROWSER, reason="")
    known = str(tmp_path / "test_a.py")
    stranger = str(tmp_path / "other.py")
    collection = Collection(
        modules=(known, stranger),
        tests=(
            CollectedTest(file=known, test="test_a", lane=Lane.UNIT),
            CollectedTest(file=stranger, test="test_o", lane=Lane.UNIT),
        ),
    )
    findings = compare([entry], collection, tmp_path, frozenset({entry.file}))
    assert [str(finding) for finding in findings] == [
        "other.py: pytest collects tests that no lane has"
    ]


def test_what_a_conftest_ignores_is_in_no_lane(project: Path) -> None:
    (project / "tests/conftest.py").write_text("collect_ignore = ['deep']\n")
    (project / "conftest.py").write_text("collect_ignore_glob = ['*_s.py']\n")
    roster = load_roster(project, Config())
    assert [entry.file for entry in roster.entries] == ["tests/test_a.py"]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("tests/test_a.py", "def test_a(page): ...\n"),
        ("tests/conftest.py", "import pytest\n@pytest.fixture(autouse=True)\ndef x(page): ...\n"),
        ("conftest.py", "import pytest\n@pytest.fixture(autouse=True)\ndef x(page): ...\n"),
        ("pytest.ini", "[pytest]\nusefixtures = page\n"),
    ],
)
def test_a_change_anywhere_is_seen_the_next_time(project: Path, path: str, text: str) -> None:
    def lane() -> str:
        roster = load_roster(project, Config())
        return {str(entry.file): entry.lane.value for entry in roster.entries}["tests/test_a.py"]

    assert [lane(), lane()] == ["unit", "unit"]
    (project / path).write_text(text)
    assert [lane(), lane()] == ["browser", "browser"]


def test_what_is_remembered_is_what_was_found(project: Path) -> None:
    (project / "tests/test_m.py").write_text(
        "import pytest\n@pytest.mark.unit\ndef test_m(page): ...\n"
    )
    first = load_classification(project, Config())
    assert (project / ".harness" / "roster.msgpack").is_file()
    assert load_classification(project, Config()) == first

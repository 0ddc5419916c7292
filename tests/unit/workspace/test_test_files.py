"""The test files that are found are those that pytest collects, each once."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from harness.config.pytest_ini import read_pytest_ini
from harness.errors import UsageError
from harness.workspace.test_files import find_test_files
from tests.lib.project_text import write

TEST = "def test_it(): pass\n"


def found(root: Path) -> tuple[str, ...]:
    return find_test_files(root, read_pytest_ini(root))


def collected(root: Path) -> tuple[str, ...]:
    """Return the files that pytest itself collects."""
    report = root / "collected.json"
    result = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "--collect-only", "-q"),
            *("-p", "harness.pytest_plugin.collected_lanes", "--import-mode=importlib"),
        ],
        cwd=root,
        env={**os.environ, "HARNESS_COLLECTED_LANES": str(report)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    modules = json.loads(report.read_text())["modules"]
    return tuple(sorted(os.path.relpath(module, root) for module in modules))


def test_pytest_and_the_walk_find_the_same_files(tmp_path: Path) -> None:
    names = [
        "tests/unit/test_a.py", "tests/unit/b_test.py", "tests/unit/helper.py",
        "tests/unit/test_c.txt", "tests/test_[x].py", "tests/größe/test_ü b.py",
        "tests/node_modules/test_no.py", "tests/.hidden/test_no.py", "tests/build/test_no.py",
        "tests/x.egg/test_no.py", "tests/env/test_no.py",
        "tests/__pycache__/test_no.py", "more/deep/named_check.py",
        "elsewhere/test_no.py", "tests/deep/a/b/c/test_deep.py",
    ]  # fmt: skip
    write(tmp_path, dict.fromkeys(names, TEST))
    write(
        tmp_path,
        {
            "tests/env/pyvenv.cfg": "",
            "pytest.ini": "[pytest]\ntestpaths = tests tests/unit more/*/named_check.py\n",
        },
    )
    expected = (
        "more/deep/named_check.py",
        "tests/deep/a/b/c/test_deep.py",
        "tests/größe/test_ü b.py",
        "tests/test_[x].py",
        "tests/unit/b_test.py",
        "tests/unit/test_a.py",
    )
    assert found(tmp_path) == expected
    assert collected(tmp_path) == expected


def test_what_addopts_ignores_is_a_test_file_all_the_same(tmp_path: Path) -> None:
    """An option that keeps a plain pytest short must not take a file out of every lane."""
    write(tmp_path, {"test_a.py": TEST, "test_b.py": TEST})
    write(tmp_path, {"pytest.ini": "[pytest]\naddopts = --ignore=test_b.py --ignore-glob=*_a.py"})
    assert found(tmp_path) == ("test_a.py", "test_b.py")


def test_a_pattern_with_a_folder_matches_anywhere_in_the_path(tmp_path: Path) -> None:
    write(tmp_path, dict.fromkeys(["a/checks/one.py", "a/one.py", "checks/two.py"], TEST))
    write(tmp_path, {"pytest.ini": "[pytest]\npython_files = checks/*.py\n"})
    assert found(tmp_path) == ("a/checks/one.py", "checks/two.py")
    assert collected(tmp_path) == found(tmp_path)


def test_a_named_folder_is_looked_at_although_it_is_excluded(tmp_path: Path) -> None:
    write(tmp_path, dict.fromkeys(["build/tests/test_a.py", "build/test_no.py"], TEST))
    write(tmp_path, {"pytest.ini": "[pytest]\ntestpaths = build/tests\n"})
    assert found(tmp_path) == ("build/tests/test_a.py",)
    assert collected(tmp_path) == found(tmp_path)


def test_testpaths_that_match_nothing_mean_the_whole_project(tmp_path: Path) -> None:
    write(tmp_path, {"test_a.py": TEST, "pytest.ini": "[pytest]\ntestpaths = nowhere\n"})
    assert found(tmp_path) == ("test_a.py",)


def test_a_symbolic_link_to_a_test_file_is_not_a_second_one(tmp_path: Path) -> None:
    write(tmp_path, {"tests/test_real.py": TEST})
    (tmp_path / "tests/test_a_link.py").symlink_to("test_real.py")
    (tmp_path / "linked").symlink_to("tests")
    assert found(tmp_path) == ("tests/test_real.py",)


def test_a_link_to_a_file_that_is_no_test_by_name_comes_once(tmp_path: Path) -> None:
    write(tmp_path, {"shared/cases.py": TEST})
    (tmp_path / "test_b.py").symlink_to("shared/cases.py")
    (tmp_path / "test_a.py").symlink_to("shared/cases.py")
    assert found(tmp_path) == ("test_a.py",)


def test_links_in_a_circle_end(tmp_path: Path) -> None:
    write(tmp_path, {"tests/test_a.py": TEST})
    (tmp_path / "tests/again").symlink_to("..")
    assert found(tmp_path) == ("tests/test_a.py",)


def test_testpaths_outside_of_the_project_are_refused(tmp_path: Path) -> None:
    write(
        tmp_path, {"other/test_a.py": TEST, "here/pytest.ini": "[pytest]\ntestpaths = ../other\n"}
    )
    with pytest.raises(UsageError, match="outside of"):
        found(tmp_path / "here")


def test_an_empty_project_has_no_test_files(tmp_path: Path) -> None:
    assert found(tmp_path) == ()

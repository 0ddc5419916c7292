"""The commands of tools/dev.py: what each one runs, and what it says."""

import subprocess
import sys
from pathlib import Path

import pytest

from tools import dev

SCRIPT = dev.ROOT / "tools" / "dev.py"


def test_the_tests_run_after_lint_types_and_layers_and_lane_by_lane() -> None:
    assert [step.name for step in dev.steps_of_test()] == [
        "ruff check",
        "ruff format",
        "mypy",
        "lint-imports",
        "lanes",
        "lane unit",
        "lane server",
        "lane browser",
    ]


def test_the_lanes_run_through_the_harness_itself() -> None:
    lanes = [step.command[1:] for step in dev.steps_of_test() if step.name.startswith("lane ")]

    assert lanes == [
        ("run", "--lane", "unit", "--workers", "2"),
        ("run", "--lane", "server", "--workers", "2"),
        ("run", "--lane", "browser", "--workers", "2"),
    ]


def test_soak_runs_the_soak_tests_as_often_as_asked() -> None:
    assert [(step.name, step.command[3:]) for step in dev.steps_of_soak(2)] == [
        ("soak 1 of 2", ("--output=test-results/soak-1", "-m", "soak or matrix", *dev.FOLDERS)),
        ("soak 2 of 2", ("--output=test-results/soak-2", "-m", "soak or matrix", *dev.FOLDERS)),
    ]


def test_acceptance_runs_the_browser_lane_of_the_demo() -> None:
    [step] = dev.steps_of_accept(["tests/browser/test_demo_page.py"])

    assert step.command[4:] == ("-m", "browser", "tests/browser/test_demo_page.py")


def test_every_step_runs_a_program_of_the_projects_own_environment() -> None:
    steps = [*dev.steps_of_test(), *dev.steps_of_soak(1), *dev.steps_of_bench()]

    assert {Path(step.command[0]).parent for step in steps} == {dev.ROOT / ".venv" / "bin"}


def test_soak_runs_three_times_unless_told_otherwise() -> None:
    assert dev.parse_arguments(["soak"]).times == 3
    assert dev.parse_arguments(["soak", "--times", "5"]).times == 5


@pytest.mark.parametrize(
    "arguments", [[], ["tset"], ["soak", "--times", "0"], ["soak", "--times", "x"]]
)
def test_bad_usage_ends_with_2(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        dev.parse_arguments(arguments)

    assert caught.value.code == 2


def test_the_help_names_every_command_and_works_from_any_folder(tmp_path: Path) -> None:
    shown = subprocess.run(
        [sys.executable, "-I", SCRIPT, "--help"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )

    for command in ("setup", "test", "accept", "soak", "bench"):
        assert f"python3 tools/dev.py {command}" in shown.stdout


def test_an_older_python_is_told_which_one_is_needed() -> None:
    source = SCRIPT.read_text()
    pretend = "import sys; sys.version_info = (3, 9, 1); exec(sys.stdin.read())"

    refused = subprocess.run(
        [sys.executable, "-c", pretend], input=source, capture_output=True, text=True, check=False
    )

    assert refused.returncode == 1
    assert refused.stderr.startswith("tools/dev.py needs Python 3.11 or newer, and ")
    assert "is 3.9; run it with a newer python3" in refused.stderr

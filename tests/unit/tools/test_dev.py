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
        "pytest unit",
        "pytest server",
        "pytest browser",
        "pytest browser, matrix",
    ]


def test_each_lane_has_an_output_folder_of_its_own_and_leaves_out_the_soak_tests() -> None:
    lanes = [step.command[3:] for step in dev.steps_of_test() if step.name.startswith("pytest")]

    assert lanes == [
        ("--output=test-results/unit", "-n", "2", "-m", "not soak", "tests/unit"),
        ("--output=test-results/server", "-m", "not soak", "tests/server"),
        (
            "--output=test-results/browser",
            "-n",
            "2",
            "-m",
            "not soak and not matrix",
            "tests/browser",
        ),
        ("--output=test-results/matrix", "-m", "matrix and not soak", "tests/browser"),
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

"""The command line teaches, refuses by name, and pays only for what it uses."""

import os
import subprocess
import sys

import pytest

from harness.cli.app import COMMANDS
from harness.errors import ExitCode

HEAVY = ("playwright", "aiohttp", "pytest", "psutil", "asyncio", "rich", "subprocess")


def harness(*arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    """Run the command as a person does, in 80 columns."""
    return subprocess.run(
        [sys.executable, "-m", "harness.cli", *arguments],
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, "COLUMNS": "80", **environment},
        timeout=60,
    )


def test_help_names_every_command_and_fits_80_columns() -> None:
    result = harness("--help")
    assert result.returncode == 0
    assert all(name in result.stdout for name in COMMANDS)
    assert max(map(len, result.stdout.splitlines())) <= 80
    assert result.stderr == ""


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_every_command_explains_itself_and_its_exit_codes(command: str) -> None:
    result = harness(command, "--help")
    assert result.returncode == 0
    assert "Exit codes:" in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 80


def test_an_unknown_command_is_a_usage_error() -> None:
    result = harness("nonsense")
    assert result.returncode == ExitCode.USAGE
    assert "nonsense" in result.stderr


def test_an_unknown_option_is_a_usage_error() -> None:
    result = harness("doctor", "--nonsense")
    assert result.returncode == ExitCode.USAGE
    assert "--nonsense" in result.stderr


def test_no_command_at_all_shows_the_help() -> None:
    result = harness()
    assert result.returncode == ExitCode.USAGE
    assert "doctor" in result.stdout + result.stderr


def test_help_imports_nothing_heavy() -> None:
    program = (
        "import sys\nfrom harness.cli.app import group\n"
        "group.main(['--help'], standalone_mode=False)\n"
        f"sys.exit(','.join(n for n in {HEAVY!r} if n in sys.modules) or 0)"
    )
    result = subprocess.run(
        [sys.executable, "-c", program], check=False, capture_output=True, text=True, timeout=60
    )
    assert result.stderr == ""
    assert result.returncode == 0


def test_a_reader_that_leaves_early_is_no_traceback() -> None:
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "w") as nobody:
        result = subprocess.run(
            [sys.executable, "-m", "harness.cli", "--help"],
            check=False, stdout=nobody, stderr=subprocess.PIPE, text=True, timeout=60,
        )  # fmt: skip
    assert "Traceback" not in result.stderr

"""`harness doctor` proves its browser by launching it."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from harness.errors import ExitCode
from tests.lib import fake_browsers

pytestmark = pytest.mark.browser


def doctor(
    *arguments: str, folder: Path | None = None, **environment: str
) -> "subprocess.CompletedProcess[str]":
    """Run `harness doctor`, in `folder` or here."""
    return subprocess.run(
        [sys.executable, "-m", "harness.cli", "doctor", *arguments],
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        timeout=100,
        cwd=folder,
    )


def test_every_candidate_is_listed_and_the_chosen_one_has_started() -> None:
    result = doctor("--json")
    assert result.returncode == 0, result.stderr
    document: dict[str, Any] = json.loads(result.stdout)
    assert (document["schema"], document["version"]) == ("lanewright.doctor", 1)
    assert "Chrome/" in document["browser"]["version"]
    usable = [row for row in document["candidates"] if row["outcome"] == "usable"]
    assert usable[0]["binary"] == document["browser"]["path"]
    assert document["versions"]["playwright"]
    assert all(row["consequence"] for row in document["capabilities"])
    assert result.stdout == json.dumps(document, indent=2, sort_keys=True) + "\n"


def test_the_text_says_what_a_run_goes_without() -> None:
    result = doctor(DISPLAY="", WAYLAND_DISPLAY="")
    assert result.returncode == 0
    assert "display: --headed cannot work" in result.stdout
    assert "starts: " in result.stdout


def test_no_browser_is_a_precondition_and_says_where_it_looked() -> None:
    result = doctor(HARNESS_CHROMIUM="/no/such/browser")
    assert result.returncode == ExitCode.PRECONDITION
    assert "HARNESS_CHROMIUM: /no/such/browser: missing" in result.stdout
    assert "every browser test: skipped by name" in result.stdout


def test_a_browser_that_does_not_start_is_a_precondition_with_its_own_words(
    tmp_path: Path,
) -> None:
    path = fake_browsers.exits_with(tmp_path, 1, "libnothing.so is missing")
    result = doctor("--json", HARNESS_CHROMIUM=str(path))
    assert result.returncode == ExitCode.PRECONDITION
    assert "libnothing.so is missing" in json.loads(result.stdout)["browser"]["problem"]


def test_the_projects_own_configuration_is_what_is_launched_with(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.harness]\nbrowser_args = ["-x"]\nbogus = 1\n')
    result = doctor(folder=tmp_path)
    assert result.returncode == ExitCode.USAGE
    assert "tool.harness.bogus" in result.stderr

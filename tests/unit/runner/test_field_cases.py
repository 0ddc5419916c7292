"""Inputs from the field on which public runners answer wrongly, with the answer they must get."""

import os
import random
import shutil
import tomllib
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.lib.scratch_project import Project

CASES = Path(__file__).parents[2] / "lib" / "runner_cases"
EXPECTED: dict[str, Any] = tomllib.loads((CASES / "expected.toml").read_text(encoding="utf-8"))
# The cases' own budget, and room for an interpreter to start on a busy machine.
ROOM_SECONDS = 4.0
BUDGET_SECONDS = EXPECTED.pop("budget_seconds") + ROOM_SECONDS
# What the cases leave behind is a `sleep` with one of these.
SLEEPS = ("600", "601", "602")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """All cases in one run, in an order that has nothing to do with their names."""
    folder = tmp_path_factory.mktemp("cases")
    project = Project(folder, f"[tool.harness.budgets]\nunit = {BUDGET_SECONDS}\n")
    for case in CASES.glob("*.py"):
        shutil.copy(case, folder)
    any_order = random.Random(7)
    durations = {name: any_order.uniform(1, 9) for name in EXPECTED}
    project.write("order.json", str(durations).replace("'", '"'))
    done = project.harness("run", "--workers", "2", "--durations", "order.json", "--junit", "j.xml")
    assert done.returncode == 1, done.stdout[-3000:]
    return project


@pytest.fixture(scope="module")
def records(project: Project) -> dict[str, Mapping[str, Any]]:
    return project.files()


@pytest.mark.parametrize("name", EXPECTED)
def test_a_case_gets_the_status_that_its_evidence_supports(
    name: str, records: dict[str, Mapping[str, Any]]
) -> None:
    expected, record = EXPECTED[name], records[name]
    assert record["status"] == expected["status"], record
    for outcome, count in expected.get("counts", {}).items():
        assert record["counts"][outcome] == count
    assert len(record["leaked"]) >= expected.get("leaked", 0)
    evidence = record["failure_evidence"]
    if "test" in expected:
        assert evidence["test"] == f"{name}::{expected['test']}"
    if "evidence" in expected:
        assert expected["evidence"] in str(evidence)
    if "within_seconds" in expected:
        assert record["seconds"] < expected["within_seconds"] + ROOM_SECONDS


def test_every_file_is_recorded_once(
    project: Project, records: dict[str, Mapping[str, Any]]
) -> None:
    files = [one["file"] for one in project.record()["files"]]
    assert sorted(files) == sorted(EXPECTED)
    assert project.record()["complete"] is True


def test_no_process_of_the_run_exists_afterwards(records: dict[str, Mapping[str, Any]]) -> None:
    assert records
    left = [
        process.info["cmdline"]
        for process in psutil.process_iter(["cmdline"])
        if process.info["cmdline"] and process.info["cmdline"][:1] == ["sleep"]
    ]
    assert [command for command in left if command[1] in SLEEPS] == []


def test_junit_can_be_read_and_hides_no_file_that_did_not_pass(project: Project) -> None:
    suites = {suite.get("name"): suite for suite in ET.parse(project.folder / "j.xml").getroot()}
    assert set(suites) == set(EXPECTED)
    good = {
        name
        for name, suite in suites.items()
        if suite.get("failures") == "0" and suite.get("errors") == "0"
    }
    assert good == {"test_marker_typo.py"}


def test_the_flood_is_kept_within_a_bound(project: Project) -> None:
    [folder] = [
        path
        for path in (project.folder / ".harness" / "runs").glob("*/files/*")
        if path.name.startswith("test_floods_output")
    ]
    assert os.path.getsize(folder / "output.txt") < 5_000_000

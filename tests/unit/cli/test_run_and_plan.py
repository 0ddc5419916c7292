"""`harness plan` and `harness run` as a user calls them."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.lib.scratch_project import Project

PASSING = "def test_it(): pass\n"
FAILING = "def test_it(): assert False, 'on purpose'\n"
SKIPPING = "import pytest\n@pytest.mark.skip(reason='no GPU here')\ndef test_it(): pass\n"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "project")


def order(text: str) -> list[str]:
    """Return the files of a plan as it was printed."""
    return re.findall(r"^ +\d+\. (\S+) ", text, re.MULTILINE)


def test_a_plan_is_longest_first_with_new_files_before_and_isolated_ones_after(
    project: Project,
) -> None:
    project.write(
        "pyproject.toml",
        '[tool.harness.isolated]\n"test_alone.py" = "measures time"\n'
        '[tool.harness.locks]\n"test_b.py" = ["port 25"]\n'
        '[tool.harness.budgets]\nunit = 30\n"test_a.py" = 90\n',
    )
    for name in ("a", "b", "c", "alone", "new"):
        project.write(f"test_{name}.py", PASSING)
    project.write("seconds.json", '{"test_a.py": 1, "test_b.py": 3, "test_c.py": 2, '
                                  '"test_alone.py": 9}')  # fmt: skip
    done = project.harness("plan", "--lane", "unit", "--durations", "seconds.json")
    assert done.returncode == 0
    assert done.stdout.splitlines()[1:] == [
        "    1. test_new.py (no estimate; at most 30 s)",
        "    2. test_b.py (about 3.0 s; at most 30 s; locks port 25)",
        "    3. test_c.py (about 2.0 s; at most 30 s)",
        "    4. test_a.py (about 1.0 s; at most 90 s)",
        "    5. test_alone.py (about 9.0 s; at most 30 s; alone: measures time)",
    ]


def test_every_shard_has_the_same_digest_and_together_they_are_the_lane(project: Project) -> None:
    for number in range(5):
        project.write(f"test_{number}.py", PASSING * (number + 1))
    whole = project.harness("plan", "--lane", "unit", "--shards", "7", "--json")
    plans = json.loads(whole.stdout)["plans"]
    single = project.harness("plan", "--lane", "unit", "--shard", "2/7", "--json")
    assert json.loads(single.stdout)["plans"] == [plans[1]]
    assert len({plan["plan_digest"] for plan in plans}) == 1
    files = [row["file"] for plan in plans for row in plan["parallel"]]
    assert sorted(files) == [f"test_{number}.py" for number in range(5)]
    matrix = json.loads(project.harness("plan", "--shards", "7", "--github-matrix").stdout)
    assert [row["shard"] for row in matrix["include"]] == [f"{n}/7" for n in range(1, 6)]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["plan", "--shard", "3/2"], "expected I/N with 1 <= I <= N <= 10000"),
        (["plan", "--shard", "1/2", "--shards", "3"], "speak of different divisions"),
        (["plan", "nowhere"], "nowhere"),
        (["plan", "--durations", "none.json"], "none.json: the durations cannot be read"),
        (["run", "--durations", "bad.json"], "bad.json: this is no tier record"),
        (["run", "--rerun", "failed"], "run without --rerun first"),
        (["run", "--parallel-only", "--isolated-only"], "exclude each other"),
        (["run", "--output", "pyproject.toml"], "is a file"),
        (["run", "--output", "."], "holds files that are not ours"),
        (["run", "--deadline", "0"], "--deadline"),
        (["run", "--deadline", "nan"], "--deadline nan is no number of seconds"),
        (["run", "--junit", "test_a.py"], "test_a.py is there already and is no XML"),
        (["plan", "--shard", "٣/٤"], "expected I/N"),
        (["plan", "--shards", "100000000"], "100000000 is not in the range"),
    ],
)
def test_bad_usage_says_what_is_wrong_and_starts_nothing(
    project: Project, arguments: list[str], words: str
) -> None:
    project.write("test_a.py", PASSING)
    project.write("bad.json", '{"test_a.py": -1}')
    done = project.harness(*arguments)
    assert done.returncode == 2
    assert words in done.stdout
    assert "Traceback" not in done.stdout
    assert not list(project.folder.glob(".harness/runs/*/files/*"))


def test_a_name_that_is_no_test_file_any_more_is_refused(project: Project) -> None:
    project.write(
        "pyproject.toml",
        '[tool.harness.isolated]\n"test_gone.py" = "was slow"\n'
        '[tool.harness.budgets]\n"test_b.py" = 3\n',
    )
    project.write("test_a.py", PASSING)
    done = project.harness("run")
    assert done.returncode == 3
    assert "[tool.harness.isolated] names test_gone.py" in done.stdout
    assert "[tool.harness.budgets] names test_b.py" in done.stdout


def test_a_dry_run_prints_the_plan_and_dispatches_nothing(project: Project) -> None:
    project.write("test_a.py", PASSING)
    done = project.harness("run", "--dry-run")
    assert (done.returncode, order(done.stdout)) == (0, ["test_a.py"])
    assert not (project.folder / ".harness" / "runs").exists()


def test_failed_files_run_again_alone_until_they_pass(project: Project) -> None:
    project.write("test_a.py", PASSING)
    project.write("test_b.py", FAILING)
    assert project.harness("run").returncode == 1
    assert project.harness("run", "--rerun", "failed").returncode == 1
    project.write("test_b.py", PASSING)
    done = project.harness("run", "--rerun", "failed")
    assert done.returncode == 0
    again = project.files("unit.rerun")
    assert again["test_b.py"]["status"] == "passed"
    assert again["test_b.py"]["selection"] == "named"
    assert again["test_b.py"]["attempt"] == 3
    assert again["test_a.py"]["dispatch"] == "omitted"
    assert again["test_a.py"]["reason"]
    assert project.files()["test_b.py"]["status"] == "failed"
    nothing = project.harness("run", "--rerun", "failed")
    assert nothing.returncode == 4
    assert "nothing" in nothing.stdout


def test_phases_have_records_of_their_own(project: Project) -> None:
    project.write("pyproject.toml", '[tool.harness.isolated]\n"test_b.py" = "alone"\n')
    project.write("test_a.py", PASSING)
    project.write("test_b.py", PASSING)
    assert project.harness("run", "--parallel-only", "--record", "r.json").returncode == 0
    assert project.harness("run", "--isolated-only", "--record", "r.json").returncode == 0
    parallel = json.loads((project.folder / "r.parallel.json").read_text())
    isolated = json.loads((project.folder / "r.isolated.json").read_text())
    assert [one["file"] for one in parallel["files"]] == ["test_a.py"]
    assert [one["file"] for one in isolated["files"]] == ["test_b.py"]
    assert parallel["plan_digest"] == isolated["plan_digest"]


def test_json_is_the_only_thing_on_standard_output(project: Project) -> None:
    project.write("test_a.py", PASSING)
    (project.folder / "r").mkdir()
    with project.popen("run", "--json", "--record", "r") as run:
        text, _ = run.communicate(timeout=60)
    document = next(line for line in text.splitlines() if line.startswith("{"))
    assert json.loads(document) == json.loads((project.folder / "r" / "unit.json").read_text())


@pytest.mark.parametrize(
    ("ci", "declared", "code"),
    [("", "", 4), ("true", "", 3), ("true", '"reason:no GPU*" = "no machine has one"', 4)],
)
def test_a_run_that_executed_nothing_never_passes(
    project: Project, ci: str, declared: str, code: int
) -> None:
    project.write("pyproject.toml", f"[tool.harness.allowed_skips]\n{declared}\n")
    project.write("test_a.py", SKIPPING)
    done = project.harness("run", CI=ci)
    assert done.returncode == code
    assert "harness: empty: test_a.py" in done.stdout


@pytest.mark.parametrize(
    ("ci", "declared", "code"),
    [("", "", 4), ("true", "", 3), ("true", '"test_b.py" = "needs a device"', 0)],
)
def test_an_empty_file_beside_others_needs_a_declaration(
    project: Project, ci: str, declared: str, code: int
) -> None:
    project.write("pyproject.toml", f"[tool.harness.allowed_skips]\n{declared}\n")
    project.write("test_a.py", PASSING)
    project.write("test_b.py", "VALUE = 1\n")
    assert project.harness("run", CI=ci).returncode == code


def test_a_browser_lane_without_a_browser_is_a_precondition_in_ci(project: Project) -> None:
    project.write("test_a.py", "def test_it(page): pass\n")
    done = project.harness("run", CI="true", HARNESS_CHROMIUM="/no/such/browser")
    assert done.returncode == 5
    assert "the browser lane has no browser, and CI is set" in done.stdout


def test_what_a_run_did_not_check_is_said(project: Project) -> None:
    project.write("test_a.py", PASSING)
    project.write("test_b.py", PASSING)
    done = project.harness("run", "test_a.py")
    assert done.returncode == 0
    assert "harness: passed: test_a.py" in done.stdout.splitlines()
    assert "Not checked by this run:" in done.stdout
    assert "test_b.py" in done.stdout.split("Not checked by this run:")[1]


def test_the_next_run_starts_with_what_took_longest(project: Project) -> None:
    project.write("test_a.py", PASSING)
    project.write("test_b.py", "import time\ndef test_it(): time.sleep(5)\n")
    assert project.harness("run", "-w", "1").returncode == 0
    assert order(project.harness("plan", "--lane", "unit").stdout) == ["test_b.py", "test_a.py"]


def test_a_broken_history_is_named_and_done_without(project: Project) -> None:
    project.write("test_a.py", PASSING)
    project.write(".harness/history.sqlite", "this is no database" * 100)
    done = project.harness("run")
    assert done.returncode == 0
    assert "history.sqlite cannot be used" in done.stdout


def test_a_run_without_a_test_file_is_empty(project: Project) -> None:
    done = project.harness("run")
    assert done.returncode == 4
    assert "harness: unknown:" in done.stdout


def test_a_shard_without_a_file_passes_and_says_so(project: Project) -> None:
    project.write("test_a.py", PASSING)
    codes = [
        project.harness("run", "--lane", "unit", "--shard", f"{number}/2").returncode
        for number in (1, 2)
    ]
    assert codes == [0, 0]
    counts = [len(project.record(f"unit.{number}-of-2")["files"]) for number in (1, 2)]
    assert sorted(counts) == [0, 1]


def test_durations_of_other_machines_are_taken_over_from_records(project: Project) -> None:
    project.write("test_a.py", PASSING)
    project.write("test_b.py", FAILING)
    assert project.harness("history").returncode == 4
    assert project.harness("run", "--record", "ci.json").returncode == 1
    (project.folder / ".harness" / "history.sqlite").unlink()
    for _ in range(2):
        assert project.harness("history", "--import", "ci.json").returncode == 0
    document = json.loads(project.harness("history", "--json").stdout)
    assert [row["file"] for row in document["files"]] == ["test_a.py"]
    assert project.harness("history", "--import", "pyproject.toml").returncode == 2


def test_the_schema_of_a_record_is_that_of_its_type(project: Project) -> None:
    schema = json.loads(project.harness("schema", "tier").stdout)
    assert schema["$ref"] == "#/$defs/TierRecord"
    assert schema["$defs"]["TierRecord"]["additionalProperties"] is False


@pytest.mark.parametrize("closed", ["exec >&-", "exec >/dev/full", "exec 2>&-"])
def test_a_stream_that_takes_nothing_changes_no_status(project: Project, closed: str) -> None:
    project.write("test_a.py", PASSING)
    done = subprocess.run(
        ["sh", "-c", f"{closed}; exec '{sys.executable}' -m harness.cli run"],
        check=False, cwd=project.folder, stdin=subprocess.DEVNULL,
        env={**os.environ, "CI": ""},
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0
    assert "Traceback" not in done.stdout + done.stderr
    assert project.files()["test_a.py"]["status"] == "passed"


def test_the_error_of_a_file_that_cannot_be_collected_is_in_its_evidence(project: Project) -> None:
    project.write("test_a.py", "def test_(:\n")
    assert project.harness("run").returncode == 1
    record = project.files("browser")["test_a.py"]
    assert record["failure_evidence"]["cause"] == "collection"
    assert "SyntaxError" in record["failure_evidence"]["sections"][0]["lines"][-1]


def test_addopts_neither_leaves_a_file_out_nor_adds_one(project: Project) -> None:
    project.write("pytest.ini", "[pytest]\naddopts = --ignore=test_b.py test_a.py\n")
    project.write("test_a.py", PASSING)
    project.write("test_b.py", FAILING)
    assert project.harness("run").returncode == 1
    files = project.files()
    assert {name: one["status"] for name, one in files.items()} == {
        "test_a.py": "passed",
        "test_b.py": "failed",
    }
    assert [one["counts"]["collected"] for one in files.values()] == [1, 1]


def test_what_addopts_ignores_is_no_finding_of_a_check(project: Project) -> None:
    project.write("pytest.ini", "[pytest]\naddopts = --ignore=test_b.py\n")
    project.write("test_a.py", PASSING)
    project.write("test_b.py", PASSING)
    assert project.harness("lanes", "--check").returncode == 0


def test_a_name_that_is_not_utf8_is_refused_before_anything_runs(project: Project) -> None:
    project.write("test_a.py", PASSING)
    (project.folder / os.fsdecode(b"test_\xff.py")).write_text(PASSING)
    done = project.harness("run")
    assert done.returncode == 3
    assert "test files whose names are not UTF-8: 'test_\\udcff.py'" in done.stdout
    assert not list(project.folder.glob(".harness/runs/*/files/*"))


def test_a_report_that_was_asked_for_and_cannot_be_written_is_a_fault(project: Project) -> None:
    project.write("test_a.py", PASSING)
    done = project.harness("run", "--junit", "/proc/no/such/j.xml")
    assert done.returncode == 6
    assert "the JUnit file /proc/no/such/j.xml cannot be written" in done.stdout
    assert project.files()["test_a.py"]["status"] == "passed"


@pytest.mark.parametrize("damage", ["write_text('garbage\\n')", "unlink()"])
def test_a_test_that_damages_the_log_of_its_run_gets_no_claim(
    project: Project, damage: str
) -> None:
    project.write(
        "test_a.py",
        "from pathlib import Path\n"
        "def test_it():\n"
        f"    for log in Path('.harness/runs').glob('*/run.jsonl'): log.{damage}\n",
    )
    done = project.harness("run")
    assert done.returncode == 6
    assert "was changed or removed while it ran" in done.stdout
    assert "Traceback" not in done.stdout
    assert project.record()["complete"] is False

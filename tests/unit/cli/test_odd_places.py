"""Where commands are started and what they are told to write to: odd places are refused by name."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner

from harness.cli import history, lanes, plan, run
from harness.cli.project import project_root
from harness.config.problems import ConfigError
from harness.config.reader import load
from harness.errors import HarnessError, PreconditionError, UsageError
from harness.records.state_folder import state_folder
from tests.lib.scratch_project import Project

PASSING = "def test_it(): pass\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    (folder / "deep/er").mkdir(parents=True)
    (folder / "pyproject.toml").write_text("[tool.harness]\nzygote = false\n")
    (folder / "test_a.py").write_text(PASSING)
    (folder / "deep/er/test_b.py").write_text(PASSING)
    monkeypatch.chdir(folder)
    return folder


def refused(arguments: Sequence[str]) -> HarnessError:
    with pytest.raises(HarnessError) as caught:
        run.command.main(list(arguments), standalone_mode=False)
    return caught.value


def test_a_folder_inside_a_configured_project_is_refused(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project / "deep/er")
    for command in (run, plan, lanes, history):
        with pytest.raises(UsageError) as caught:
            command.command.main([], standalone_mode=False)
        assert f"run in {project}, and name deep/er to narrow it down" in str(caught.value)


def test_a_folder_with_a_pyproject_of_its_own_is_a_project(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "deep/pyproject.toml").write_text("")
    monkeypatch.chdir(project / "deep")
    assert project_root() == project / "deep"


def test_a_folder_below_one_that_does_not_configure_the_harness_is_a_project(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "pyproject.toml").write_text("[tool.other]\n")
    monkeypatch.chdir(project / "deep")
    assert project_root() == project / "deep"


def test_a_configuration_that_is_no_file_is_refused(project: Path) -> None:
    path = project / "pyproject.toml"
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(ConfigError, match="expected a file, found something else"):
        load(project)
    path.unlink()
    path.symlink_to("nowhere.toml")
    with pytest.raises(ConfigError, match="links to a file that is not there"):
        load(project)


@pytest.mark.parametrize(
    ("record", "words"),
    [
        ("pyproject.toml", "--record pyproject.toml: name a file in .json"),
        ("/dev/full", "--record /dev/full: name a file in .json"),
        ("package.json", "--record package.json is there already and is no tier record"),
        ("pipe.json", "--record pipe.json is there already and is no tier record"),
    ],
)
def test_a_record_never_takes_the_place_of_something_else(
    project: Path, record: str, words: str
) -> None:
    (project / "package.json").write_text('{"name": "x"}')
    os.mkfifo(project / "pipe.json")
    error = refused(["--record", record])
    assert isinstance(error, UsageError)
    assert words in str(error)
    assert (project / "package.json").read_text() == '{"name": "x"}'


def test_output_of_several_lanes_is_not_mixed_with_other_files(project: Path) -> None:
    (project / "test_b.py").write_text("def test_b(page): pass\n")
    error = refused(["--output", "deep"])
    assert str(error) == "deep holds files that are not ours; name a new or an empty folder"


def test_a_state_folder_that_is_a_file_is_named_and_left_alone(project: Path) -> None:
    (project / ".harness").write_text("mine")
    error = refused([])
    assert isinstance(error, PreconditionError)
    assert str(error).startswith(f"{project}/.harness is no folder")
    assert (project / ".harness").read_text() == "mine"


def test_nothing_is_added_to_what_a_linked_state_folder_holds(project: Path) -> None:
    (project / "elsewhere").mkdir()
    (project / ".harness").symlink_to("elsewhere")
    assert state_folder(project) == project / ".harness"
    assert list((project / "elsewhere").iterdir()) == []


@pytest.mark.parametrize(
    ("option", "words"),
    [
        (
            "--record",
            "test_a.py/x.json cannot be written: test_a.py: File exists. Nothing was started",
        ),
        ("--output", "test_a.py/x.json cannot hold the output of this run: Not a directory"),
    ],
)
def test_a_place_that_cannot_be_written_is_a_precondition(
    project: Path, option: str, words: str
) -> None:
    error = refused([option, "test_a.py/x.json"])
    assert isinstance(error, PreconditionError)
    assert words in str(error)


def test_a_folder_that_cannot_be_read_is_named(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.scandir

    def scandir(path: str) -> object:
        # Root reads everything: only a fault in place of the call shows what others meet.
        if str(path).endswith("deep"):
            raise PermissionError(13, "Permission denied", path)
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    error = refused([])
    assert isinstance(error, PreconditionError)
    assert str(error).startswith(f"{project}/deep: Permission denied. Test files, conftests")


def test_a_name_cannot_forge_a_line(project: Path) -> None:
    (project / "test_x\nharness: passed: test_y.py").write_text("")
    (project / "test_x\nharness: passed: test_z.py").write_text(PASSING)
    shown = CliRunner().invoke(lanes.command, []).output
    assert "test_x\\nharness: passed: test_z.py: unit" in shown
    assert not [line for line in shown.splitlines() if line.startswith("harness: ")]


def test_an_empty_history_says_how_it_is_filled(project: Path) -> None:
    result = CliRunner().invoke(history.command, [], standalone_mode=False)
    assert (result.return_value, result.stdout) == (4, "")
    assert result.stderr == "harness: no duration is known; `harness run` notes what passed\n"


def test_what_a_conftest_keeps_out_is_named_by_every_command(tmp_path: Path) -> None:
    project = Project(tmp_path / "project")
    project.write("conftest.py", "collect_ignore = ['test_old.py']\n")
    project.write("test_old.py", PASSING)
    project.write("test_new.py", PASSING)
    told = "excluded by collect_ignore in conftest.py"
    assert f"test_old.py: in no lane ({told})" in project.harness("lanes").stdout
    assert f"  in no lane: test_old.py ({told})" in project.harness("plan").stdout
    done = project.harness("run", "--lane", "unit")
    assert f"1 file in no lane, {told}: test_old.py" in done.stdout
    assert project.record()["left_out"] == [{"file": "test_old.py", "reason": told}]


def test_a_document_that_cannot_be_delivered_is_a_fault(tmp_path: Path) -> None:
    project = Project(tmp_path / "project")
    project.write("test_a.py", PASSING)
    with open("/dev/full", "w", encoding="ascii") as full:
        done = subprocess.run(
            [sys.executable, "-m", "harness.cli", "run", "--json", "--lane", "unit"],
            cwd=project.folder,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 6
    assert "the JSON document cannot be written: [Errno 28] No space left" in done.stderr


def test_a_module_that_skips_itself_is_told_in_its_own_words(tmp_path: Path) -> None:
    project = Project(tmp_path / "project")
    project.write(
        "test_a.py",
        "import pytest\npytest.skip('no GPU', allow_module_level=True)\ndef test_it(): pass\n",
    )
    text = project.harness("run", "--lane", "unit").stdout
    assert "harness: empty: test_a.py (its one test was skipped)" in text
    assert "  1 x no GPU: test_a.py" in text

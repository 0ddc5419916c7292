"""A family's control group: escapees of a killed warden end, where the kernel permits it."""

import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.errors import OwnershipError
from harness.process import cgroup
from harness.process.client import Family
from harness.process.spec import FamilySpec, new_scratch
from tests.lib import witness
from tests.lib.events import wait_until

PERMITTED = cgroup.Group.create("probe")
if PERMITTED is not None:
    PERMITTED.remove()
needs_groups = pytest.mark.skipif(
    PERMITTED is None, reason="no writable version 2 control group here; `harness doctor` says so"
)
# Sheds every sign that a family is known by: environment, session, group, parent.
ESCAPEE = (
    "import os, sys, time\n"
    "if os.fork() == 0:\n"
    "    os.setsid()\n"
    "    os.environ.clear()\n"
    "    if os.fork() == 0:\n"
    "        code = 'import os, time; print(os.getpid(), flush=True); time.sleep(600)'\n"
    "        os.execve(sys.executable, [sys.executable, '-c', code], {})\n"
    "    os._exit(0)\n"
    "time.sleep(600)\n"
)


@pytest.fixture
def root(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="hn-", dir="/tmp") as folder:
        monkeypatch.setenv("HARNESS_STATE_DIR", folder)
        yield Path(folder)


def _family_with_escapee() -> tuple[Family, witness.Identity]:
    identifier, _ = new_scratch()
    family = Family(
        FamilySpec(label="a family", command=[sys.executable, "-c", ESCAPEE], scratch=identifier)
    )
    assert family.wait_for(lambda: b"\n" in family.output.text().encode(), 20)
    escapee = witness.identity(int(family.output.text().split()[0]))
    assert escapee is not None
    return family, escapee


@needs_groups
def test_every_member_is_in_the_group_from_its_first_instruction(root: Path) -> None:
    family, escapee = _family_with_escapee()
    with family:
        assert family.group is not None
        members = (family.group / "cgroup.procs").read_text().split()
        assert {str(family.pid), str(escapee.pid)} <= set(members)
        assert str(family.warden_pid) not in members
    assert not family.group.exists()


@needs_groups
def test_a_group_that_a_member_made_goes_with_its_family(root: Path) -> None:
    """As that of a warden which was itself killed, inside a family's own run."""
    family, _ = _family_with_escapee()
    assert family.group is not None
    (family.group / "inner" / "innermost").mkdir(parents=True)
    family.end()
    assert not family.group.exists()


@needs_groups
def test_an_escapee_of_a_killed_warden_is_ended_by_the_owner(root: Path) -> None:
    family, escapee = _family_with_escapee()
    os.kill(family.warden_pid, signal.SIGKILL)
    with pytest.raises(OwnershipError, match="ended without an exit report"):
        family.end()
    wait_until(lambda: not witness.alive(escapee, count_zombies=False), 2, "the escapee to end")
    assert family.group is not None
    assert not family.group.exists()


@needs_groups
def test_a_group_whose_warden_lives_is_nobody_elses_to_end(root: Path) -> None:
    family, escapee = _family_with_escapee()
    with family:
        assert family.group is not None
        assert cgroup.end(str(family.group)) is None
        cgroup.end_abandoned()
        assert witness.alive(escapee)
        assert family.group.exists()


@needs_groups
def test_the_next_start_ends_what_a_dead_warden_and_a_dead_owner_left(root: Path) -> None:
    family, escapee = _family_with_escapee()
    os.kill(family.warden_pid, signal.SIGKILL)
    assert family.wait_for_warden(5)
    cgroup.end_abandoned()
    wait_until(lambda: not witness.alive(escapee, count_zombies=False), 2, "the escapee to end")
    assert family.group is not None
    assert not family.group.exists()
    with pytest.raises(OwnershipError):
        family.end()


@pytest.mark.parametrize("missing", ["no version 2 hierarchy", "not writable"])
def test_without_permission_a_family_goes_without(
    missing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parent = None if missing == "no version 2 hierarchy" else str(tmp_path / "nowhere")
    monkeypatch.setattr(cgroup, "base", lambda: parent)
    assert cgroup.Group.create("none") is None
    cgroup.end_abandoned()


def test_a_folder_that_is_no_control_group_is_left_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cgroup, "base", lambda: str(tmp_path))
    assert cgroup.Group.create("none") is None
    assert list(tmp_path.iterdir()) == []

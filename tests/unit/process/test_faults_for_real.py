"""Faults of the verifier and of a kill, made by the kernel and not by a patch."""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.lib.script_owner import as_user, running_script

END_SECONDS = 30.0
NOBODY = 65534
SOMEBODY = 23456


_PROBE = "import subprocess, sys, harness.process.guard; subprocess.run([sys.executable, '-c', ''])"
ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def nobodys_folder() -> Iterator[Path]:
    """A folder of another user's; pytest's own are closed to others."""
    with tempfile.TemporaryDirectory(prefix="hn-", dir="/tmp") as folder:
        os.chown(folder, NOBODY, NOBODY)
        yield Path(folder)


@pytest.fixture
def nobodys_python() -> list[str]:
    """The command of a Python that another user can run; root's own often lies in its home."""
    if os.getuid() != 0 or shutil.which("setpriv") is None:
        pytest.skip("only root can become another user, with setpriv(1)")
    for python in (sys.executable, "/usr/bin/python3"):
        command = [*as_user(NOBODY), python]
        probe = subprocess.run(
            [*command, "-c", _PROBE], check=False, env={"PYTHONPATH": str(ROOT)}, cwd="/",
            capture_output=True,
        )  # fmt: skip
        if probe.returncode == 0:
            return command
    pytest.skip("another user can run no Python here, or cannot reach this checkout")


_NO_DESCRIPTORS = """
import resource
from harness.errors import OwnershipError
from harness.process import verifier
from harness.process.client import Family
from harness.process.ownership import live_families
from harness.process.spec import FamilySpec, new_scratch

identifier, scratch = new_scratch()
family = Family(FamilySpec(label="it", command=["/bin/sleep", "600"],
                           environment=dict(os.environ), scratch=identifier))
_, most = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (64, most))
taken = []
while True:
    try:
        taken.append(os.open("/dev/null", os.O_RDONLY))
    except OSError:
        break
questions = (
    lambda: verifier.is_gone(family.leader),
    lambda: verifier.survivors(leader=family.leader, family=family.identifier),
    lambda: verifier.verify_gone(label="it", leader=family.leader, family=None, scratch=None),
)
for ask in questions:
    try:
        ask()
    except OwnershipError as error:
        print(error)
for number in taken:
    os.close(number)
print(verifier.is_gone(family.leader), family.end().reason, scratch.exists())
"""


def test_an_owner_without_descriptors_calls_nothing_gone(tmp_path: Path) -> None:
    with running_script(tmp_path, _NO_DESCRIPTORS) as owner:
        assert owner.stage.wait(END_SECONDS) == 0, owner.stage.output()
        assert owner.stage.descendants() == []
        lines = owner.stage.output().splitlines()
    full = "[Errno 24] Too many open files"
    assert re.fullmatch(
        rf"/proc/(\d+)/stat cannot be read \({re.escape(full)}: '/proc/\1/stat'\), "
        r"so pid \1 is not known to be gone",
        lines[0],
    )
    unlisted = f"/proc cannot be listed ({full}: '/proc'), so nothing is known to be gone"
    no_table = f"no process table: {full}: '/proc'"
    assert lines[1:] == [no_table, unlisted, no_table, unlisted, no_table, "False asked False"]


_PRIVATE_ENTRIES = """
import subprocess
from harness.errors import OwnershipError
from harness.process import verifier
from harness.process.client import Family
from harness.process.guard import Guard
from harness.process.report import ProcessIdentity
from harness.process.spec import FamilySpec, new_scratch

try:
    verifier.is_gone(ProcessIdentity(pid=1, start_ticks=1))
except OwnershipError as error:
    print(str(error).splitlines()[0])
    print(str(error).splitlines()[1].strip())
guard = Guard.start()
stray = subprocess.Popen(["sleep", "600"], start_new_session=True)
identifier, scratch = new_scratch()
family = Family(FamilySpec(label="it", command=["/bin/sh", "-c", "setsid sleep 600 & sleep 600"],
                           environment=dict(os.environ), scratch=identifier))
print(family.end().reason, scratch.exists())
print([process.command for process in guard.sweep()], stray.wait())
guard.stop()
"""


def test_the_private_entry_of_another_user_is_not_gone_and_hides_no_end_of_our_own(
    nobodys_python: list[str], nobodys_folder: Path
) -> None:
    hide = 'mount -t proc -o hidepid=1 proc /proc || exit 77; exec "$@"'
    command = ["unshare", "--mount", "/bin/sh", "-c", hide, "sh", *nobodys_python]
    with running_script(nobodys_folder, _PRIVATE_ENTRIES, command=command, uid=NOBODY) as owner:
        code = owner.stage.wait(END_SECONDS)
        output = owner.stage.output()
        assert owner.stage.descendants() == []
    if code == 77 or "unshare failed" in output:
        pytest.skip(f"no private mount here: {output}")
    refused, head, *rows = output.splitlines()
    assert refused == (
        "/proc/1/stat cannot be read ([Errno 1] Operation not permitted: '/proc/1/stat'), "
        "so pid 1 is not known to be gone"
    )
    assert head == "PID  PPID  PGID S COMMAND"
    assert rows == ["asked False", "['sleep 600'] -9"]
    assert code == 0


_UNKILLABLE = """
import harness.process.client as client
from harness.errors import OwnershipError
from harness.process.client import Family
from harness.process.ownership import live_families
from harness.process.spec import FamilySpec, new_scratch

client.END_SECONDS = 3.5
identifier, scratch = new_scratch()
family = Family(FamilySpec(label="it", command=["/bin/sh", "-c", os.environ["COMMAND"]],
                           environment=dict(os.environ), scratch=identifier))
assert family.wait_for(lambda: "up" in family.output.text(), 20)
try:
    family.end()
except OwnershipError as error:
    publish(error=str(error), owned=family in live_families(), scratch=scratch.exists())
os.read(0, 1)
report = family.end()
print(report.refused, report.problems, live_families(), scratch.exists())
"""


def test_a_kill_that_the_kernel_refuses_keeps_ownership_and_scratch_until_the_exit(
    nobodys_python: list[str], nobodys_folder: Path
) -> None:
    """A member becomes another user through a setuid program: its owner may not signal it."""
    setuid = nobodys_folder / "setpriv"
    shutil.copy(shutil.which("setpriv") or "", setuid)
    setuid.chmod(0o4755)
    go = nobodys_folder / "go"
    os.mkfifo(go)
    command = ["/bin/sh", "-c", f'exec "$@" < {go}', "sh", *nobodys_python]
    member = f"{setuid} --reuid={SOMEBODY} --clear-groups sh -c 'echo up; exec sleep 600'"
    with (
        running_script(
            nobodys_folder,
            _UNKILLABLE,
            command=command,
            uid=NOBODY,
            COMMAND=f"{member} & sleep 600",
        ) as owner,
        go.open("w") as going,
    ):
        facts = owner.facts()
        [survivor] = [one for one in owner.stage.descendants() if one.command == "sleep 600"]
        refusal = f"{survivor.pid}: [Errno 1] Operation not permitted"
        assert f"pid {survivor.pid} (still alive, kill refused {refusal})" in facts["error"]
        assert "it has not ended within" in facts["error"]
        assert (facts["owned"], facts["scratch"]) == (True, True)
        os.kill(survivor.pid, signal.SIGKILL)
        going.write("go")
        going.close()
        assert owner.stage.wait(END_SECONDS) == 0, owner.stage.output()
        assert owner.stage.output() == f"({refusal!r},) () () False\n"
        assert owner.stage.descendants() == []

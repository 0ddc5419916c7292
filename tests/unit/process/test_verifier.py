"""The verifier fails closed."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from harness.errors import OwnershipError
from harness.process import table, verifier
from harness.process.report import ProcessIdentity


def identity_of(pid: int) -> ProcessIdentity:
    entry = verifier.read_stat(pid)
    assert entry is not None
    return ProcessIdentity(pid=pid, start_ticks=entry.start_ticks)


@pytest.mark.parametrize("number", [errno.EMFILE, errno.EACCES, errno.EIO])
def test_an_unreadable_entry_is_not_gone_and_is_raised_with_a_table(
    monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    target = Path(f"/proc/{os.getpid()}/stat")
    read = Path.read_bytes

    def refuse(path: Path) -> bytes:
        if path == target:
            raise OSError(number, os.strerror(number), str(path))
        return read(path)

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(OwnershipError) as caught:
        verifier.is_gone(ProcessIdentity(pid=os.getpid(), start_ticks=1))
    assert os.strerror(number) in str(caught.value)
    assert "PID  PPID" in str(caught.value)


def test_an_error_without_a_table_says_why_there_is_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*_: object) -> list[str]:
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(os, "listdir", refuse)
    assert table.describe() == "no process table: [Errno 24] Too many open files"
    with pytest.raises(OwnershipError, match=r"cannot be listed .*Too many open files"):
        verifier.survivors(leader=None, family="none")


@pytest.mark.parametrize("number", [errno.ENOENT, errno.ENOTDIR, errno.ESRCH])
def test_only_three_errors_mean_that_a_process_is_gone(
    monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def refuse(path: Path) -> bytes:
        raise OSError(number, os.strerror(number), str(path))

    monkeypatch.setattr(Path, "read_bytes", refuse)
    assert verifier.is_gone(ProcessIdentity(pid=os.getpid(), start_ticks=1))


def test_a_zombie_is_reported_as_dead_but_not_reaped() -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        identity = identity_of(process.pid)
        with pytest.raises(OwnershipError, match="dead but not reaped"):
            verifier.verify_gone(label="it", leader=identity, family=None, scratch=None)
    verifier.verify_gone(label="it", leader=identity, family=None, scratch=None)


def test_a_recycled_number_is_not_the_process_that_had_it() -> None:
    real = identity_of(os.getpid())
    other = ProcessIdentity(pid=real.pid, start_ticks=real.start_ticks - 1)
    assert verifier.is_gone(other)
    assert not verifier.is_gone(real)


@pytest.mark.parametrize("sign", ["environment", "scratch path", "process group or session"])
def test_a_member_is_known_by_each_of_its_signs(sign: str) -> None:
    family = "c0ffee42"
    command = [sys.executable, "-c", "import time; print(flush=True); time.sleep(60)"]
    command += [f"--user-data-dir=/x/{family}/profile"] if sign == "scratch path" else []
    environment = {"HARNESS_FAMILY": family} if sign == "environment" else {}
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, start_new_session=True
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        leader = (
            ProcessIdentity(pid=process.pid, start_ticks=1) if sign.startswith("process") else None
        )
        try:
            [survivor] = verifier.survivors(leader=leader, family=family)
            assert (survivor.pid, survivor.sign) == (process.pid, sign)
        finally:
            process.kill()


def test_a_scratch_that_is_still_there_is_a_failure(tmp_path: Path) -> None:
    with pytest.raises(OwnershipError, match="its scratch is still there"):
        verifier.verify_gone(label="it", leader=None, family="none", scratch=tmp_path)

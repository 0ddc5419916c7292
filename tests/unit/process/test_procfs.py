"""Single facts of a process."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from harness.process import procfs

ROOT = Path(__file__).resolve().parents[3]


def test_a_command_name_with_spaces_and_parentheses_does_not_shift_the_fields() -> None:
    tail = " ".join(["S", "7", "8", "9", *["0"] * 15, "4242", "0"])
    entry = procfs.parse_stat(f"12 (a) S 1) (b) {tail}".encode())
    assert (entry.pid, entry.state, entry.parent) == (12, "S", 7)
    assert (entry.group, entry.session, entry.start_ticks) == (8, 9, 4242)


def test_this_process_is_found_with_its_parent_and_group() -> None:
    entry = procfs.stat(os.getpid())
    assert entry is not None
    assert (entry.pid, entry.parent, entry.group) == (os.getpid(), os.getppid(), os.getpgrp())


def test_a_process_that_is_gone_has_no_facts() -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    assert procfs.stat(process.pid) is None
    assert procfs.command(process.pid) is None
    assert procfs.environment_value(process.pid, "PATH") is None
    assert not procfs.is_warden(process.pid)


def test_a_process_without_a_command_line_has_its_name_in_brackets(tmp_path: Path) -> None:
    program = tmp_path / "short-name"
    program.write_text("#!/bin/sh\nexit 0\n")
    program.chmod(0o700)
    zombie = subprocess.Popen([str(program)])
    os.waitid(os.P_PID, zombie.pid, os.WEXITED | os.WNOWAIT)
    assert procfs.command(zombie.pid) == ""
    assert procfs.named(zombie.pid) == "[short-name]"
    zombie.wait()
    assert procfs.named(zombie.pid) is None


def test_an_entry_that_cannot_be_read_is_not_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("builtins.open", refuse)
    with pytest.raises(PermissionError):
        procfs.stat(os.getpid())


def test_an_environment_variable_is_read_whole_and_by_exact_name() -> None:
    with subprocess.Popen(
        ["/bin/sh", "-c", "echo; read nothing"],
        stdin=subprocess.PIPE,
        env={"NAME": "a=b", "NAMES": "other", "PATH": os.defpath},
        stdout=subprocess.PIPE,
    ) as process:
        try:
            assert process.stdout is not None
            process.stdout.readline()
            assert procfs.environment_value(process.pid, "NAME") == "a=b"
            assert procfs.environment_value(process.pid, "NAM") is None
        finally:
            process.kill()


def test_a_zombie_child_is_among_the_children() -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        assert process.pid in procfs.children(os.getpid())
        entry = procfs.stat(process.pid)
        assert entry is not None
        assert entry.state == "Z"


def test_a_warden_imports_no_module_that_would_double_its_start() -> None:
    heavy = ("typing", "collections", "re", "enum", "dataclasses", "contextlib", "subprocess")
    program = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r})\n"
        "import harness.process.warden\n"
        f"sys.exit(','.join(name for name in {heavy!r} if name in sys.modules) or 0)"
    )
    result = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program], check=False, capture_output=True, text=True
    )
    assert (result.returncode, result.stderr) == (0, "")

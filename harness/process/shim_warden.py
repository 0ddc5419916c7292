"""A warden in the place of a program that a library starts by its path.

`Shim` writes the program file that leads here. The library is the owner: its process's end, or
the end of the program's standard input, ends the family. To its starter the warden is the program:
it passes on the polite signals and ends as the program ended. News goes into a record file.
"""

from __future__ import annotations

import _signal as signals
import os
import sys

from harness.process import procfs, reaper, spawner, wire
from harness.process.record_line import RecordLine
from harness.process.warden import Warden, become_deaf_subreaper

# Closing browsers in good order takes the driver a tenth of a second for each; one that hangs
# keeps it for half a minute.
_GRACE_SECONDS = 10.0
_CANNOT_EXECUTE = 127
_PASSED_ON = (signals.SIGTERM, signals.SIGINT, signals.SIGHUP)
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


def main() -> NoReturn:
    """Entry: `<package parent> <records folder> <ends with stdin: 0|1> <program> ...`."""
    owner = os.getppid()
    records, program = sys.argv[3], sys.argv[5:]
    ends_with_input = sys.argv[4] in program
    owner_handle = _owner_handle(owner)
    become_deaf_subreaper()
    if os.getpgrp() != os.getpid():
        # One that leads a group already has been given it by its starter.
        os.setsid()
    identifier = os.urandom(4).hex()
    line = RecordLine(
        _open_record(records, identifier), 0 if ends_with_input else -1, _GRACE_SECONDS
    )
    warden = Warden(line, owner_handle)
    warden.spec = _spec(records, identifier, owner, program)
    for number in _PASSED_ON:
        signals.signal(number, lambda number, _: _pass_on(warden, number))
    warden.run()
    if line.refusal:
        os.write(2, f"{program[0]}: {line.refusal}\n".encode(errors="backslashreplace"))
        os._exit(_CANNOT_EXECUTE)
    _end_like(warden.leader_status)


def _pass_on(warden: Warden, number: int) -> None:
    if warden.leader is not None and not warden.leader_reaped:
        reaper.kill(warden.leader, number)


def _owner_handle(owner: int) -> int:
    try:
        handle = os.pidfd_open(owner)
    except (OSError, AttributeError):
        handle = -1
    if os.getppid() != owner:
        # It died while this process was being started, so nobody is left to work for.
        os._exit(_CANNOT_EXECUTE)
    return handle


def _open_record(folder: str, identifier: str) -> int:
    """Open the record; without its folder, which went with the run that made it, there is none."""
    try:
        record = os.open(
            os.path.join(folder, identifier),
            os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC,
            0o600,
        )
    except OSError:
        record = os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)
    pid = os.getpid()
    opened = {"event": "opened", "pid": pid, "start_ticks": spawner.start_ticks(pid)}
    os.write(record, wire.pack(opened))
    return record


def _spec(records: str, identifier: str, owner: int, program: list[str]) -> wire.Message:
    root = os.path.dirname(os.path.dirname(records))
    umask = os.umask(0)
    os.umask(umask)
    try:
        directory = os.getcwd()
    except OSError:
        directory = "/"
    environment = {
        **os.environ,
        procfs.FAMILY_VARIABLE: identifier,
        "TMPDIR": os.path.join(root, identifier, "tmp"),
    }
    return {
        "do": "start",
        "label": os.path.basename(program[0]),
        "identifier": identifier,
        "stdio": "inherited",
        "polite_signal": 0,
        "owner": owner,
        "command": program,
        "environment": environment,
        "directory": directory,
        "scratch": identifier,
        "root": root,
        "umask": umask,
        "grace_seconds": 0.0,
        "orphan_grace_seconds": 0.0,
        "leader_ends_family": True,
        "sweep_token": "",
        "janitor": False,
    }


def _end_like(status: int | None) -> NoReturn:
    """End as a program ended that had this wait status, so that its starter sees the same."""
    if status is None:
        os._exit(_CANNOT_EXECUTE)
    number = status & 0x7F
    if number:
        if number != signals.SIGKILL:
            signals.signal(number, signals.SIG_DFL)
        os.kill(os.getpid(), number)
    os._exit(os.waitstatus_to_exitcode(status) if number == 0 else 128 + number)

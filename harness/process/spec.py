"""What a warden is told to start and own."""

import contextlib
import os
import secrets
import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from harness.errors import UsageError
from harness.process import procfs, scratch, wire


@dataclass(frozen=True, slots=True, kw_only=True)
class FamilySpec:
    """What a warden is to start and own.

    `command` empty means a guard, which owns by `sweep_token` and adoption. `listen` is a
    descriptor that the leader finds at number 3; `side_pipe` gives it 3 (reads) and 4
    (writes) instead. `grace_seconds` bounds the polite end, `orphan_grace_seconds` the same
    when the owner is gone. A family with `leader_ends_family` ends when its leader does.
    `scratch` is an identifier from `new_scratch`, None for no scratch. What the leader prints
    is appended to the file `output`, where one is named, instead of being sent to the owner.
    What is alive `settle_seconds` after the leader's own end is reported as `outlived`.
    """

    label: str
    command: Sequence[str] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    directory: str = "/"
    scratch: str | None = None
    side_pipe: bool = False
    listen: int = -1
    grace_seconds: float = 0.0
    orphan_grace_seconds: float = 0.0
    leader_ends_family: bool = True
    output: str | None = None
    settle_seconds: float = 0.0
    sweep_token: str = ""


def new_scratch() -> tuple[str, Path]:
    """Return an unused scratch identifier and the path that its warden will make for it.

    Raises UsageError when the folder that was named for it is too long for sockets below it.
    """
    identifier, root = secrets.token_hex(4), scratch.root()
    length = len(os.fsencode(root))
    if length > scratch.LONGEST_ROOT_BYTES:
        raise UsageError(
            f"{scratch.ROOT_VARIABLE}={root} is {length} bytes long; at most "
            f"{scratch.LONGEST_ROOT_BYTES} leave room for a browser's socket below it"
        )
    return identifier, Path(root) / identifier


def start_message(spec: FamilySpec, identifier: str, line_inode: int) -> wire.Message:
    """Return the order that makes a warden start `spec` under the name `identifier`.

    `line_inode` is that of the owner's end of the line to the warden.
    """
    return {
        "do": "start",
        "label": spec.label,
        "identifier": identifier,
        "stdio": "owned" if spec.output is None else "file",
        "output": spec.output,
        "settle_seconds": spec.settle_seconds,
        "polite_signal": int(signal.SIGTERM),
        "owner": os.getpid(),
        "command": list(spec.command),
        "environment": {**spec.environment, procfs.FAMILY_VARIABLE: identifier},
        "directory": spec.directory,
        "scratch": spec.scratch,
        "root": scratch.root(),
        "side_pipe": spec.side_pipe,
        "listen": spec.listen,
        "umask": _umask(),
        "grace_seconds": spec.grace_seconds,
        "orphan_grace_seconds": spec.orphan_grace_seconds,
        "leader_ends_family": spec.leader_ends_family,
        "sweep_token": spec.sweep_token,
        "line_inode": line_inode,
        "janitor": _first_of_this_process(),
    }


def _umask() -> int:
    # Reading the umask means setting it; /proc tells without a moment's change.
    with contextlib.suppress(OSError), open("/proc/self/status", encoding="ascii") as file:
        for line in file:
            if line.startswith("Umask:"):
                return int(line.split()[1], 8)
    return 0o022


_cleaned_by: set[int] = set()


def _first_of_this_process() -> bool:
    first = os.getpid() not in _cleaned_by
    _cleaned_by.add(os.getpid())
    return first

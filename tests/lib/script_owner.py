"""A Python program of a user's own as the owner, on a stage, with a scratch root of its own."""

import json
import os
import shutil
import sys
import tempfile
import textwrap
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.lib import witness
from tests.lib.events import wait_for_file
from tests.lib.stage import Stage

_ROOT = Path(__file__).resolve().parents[2]
START_SECONDS = 60.0
GONE_SECONDS = 1.0
_PRELUDE = """\
import json, os, sys

def publish(**facts):
    with open("state.draft", "w") as file:
        json.dump(facts, file)
    os.rename("state.draft", "state.json")

"""


class ScriptOwner:
    """A running program that calls `publish(**facts)` once what it owns is alive."""

    def __init__(self, stage: Stage, folder: Path, scratch_root: Path) -> None:
        self.stage = stage
        self.scratch_root = scratch_root
        self._folder = folder

    def facts(self) -> dict[str, Any]:
        """Wait for what the program publishes; return it with every process that lives then."""
        text = wait_for_file(self._folder / "state.json", START_SECONDS)
        facts: dict[str, Any] = json.loads(text)
        facts["identities"] = [one.identity for one in self.stage.descendants()]
        return facts

    def left_behind(
        self, facts: dict[str, Any], *, ignore: Sequence[int] = (), seconds: float = GONE_SECONDS
    ) -> list[str]:
        """Return what lives or lies about after `seconds` at most, but for the pids in `ignore`."""
        until = time.monotonic() + seconds
        gone = witness.wait_until_gone(
            seconds, pids=facts["identities"], paths=[self.scratch_root], ignore=ignore
        )
        while (scratch := list(self.scratch_root.glob("[!.]*"))) and time.monotonic() < until:
            time.sleep(0.005)
        return [str(one) for one in gone.survivors] + [f"scratch {path}" for path in scratch]


def as_user(uid: int) -> list[str]:
    """Return what makes the rest of a command run as this user, with its group and no other."""
    return ["setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups"]


@contextmanager
def running_script(
    tmp_path: Path,
    program: str,
    command: Sequence[str] = (sys.executable,),
    *,
    uid: int | None = None,
    **environment: str,
) -> Iterator[ScriptOwner]:
    """Run `program`, with `publish` defined, as `command` followed by the script's path.

    It runs in `tmp_path`, which with its scratch root is given to `uid`: `command` becomes that
    user by itself. Whatever it has started is ended when the block is left.
    """
    script = tmp_path / "owner.py"
    script.write_text(_PRELUDE + textwrap.dedent(program))
    # Not below tmp_path: a socket's path below it has room for 108 bytes only.
    scratch_root = Path(tempfile.mkdtemp(prefix="hn-", dir="/tmp"))
    environment = {
        **os.environ,
        "PYTHONPATH": str(_ROOT),
        "PYTHONDONTWRITEBYTECODE": "1",
        "HARNESS_STATE_DIR": str(scratch_root),
        **environment,
    }
    if uid is not None:
        os.chown(scratch_root, uid, uid)
        os.chown(tmp_path, uid, uid)
    try:
        with Stage(
            [*command, str(script)], cwd=tmp_path, env=environment, log=tmp_path / "log.txt"
        ) as stage:
            yield ScriptOwner(stage, tmp_path, scratch_root)
    finally:
        shutil.rmtree(scratch_root, ignore_errors=True)

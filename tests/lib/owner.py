"""Run the owner project under a stage and ask the witness what is left of it."""

import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.lib import witness
from tests.lib.events import wait_for_file
from tests.lib.fake_servers import ok_server
from tests.lib.stage import Stage

_PROJECT = Path(__file__).parent / "owner_project"
_ROOT = Path(__file__).resolve().parents[2]
START_SECONDS = 90.0
GONE_SECONDS = 1.0


class Owner:
    """One running owner: its stage, where it keeps scratch, and what it said of itself."""

    def __init__(self, stage: Stage, folder: Path, scratch_root: Path) -> None:
        self.stage = stage
        self.scratch_root = scratch_root
        self._folder = folder

    def household(self) -> dict[str, Any]:
        """Wait until everything is alive; return the facts that the suite has published."""
        facts: dict[str, Any] = json.loads(
            wait_for_file(self._folder / "state.json", START_SECONDS)
        )
        facts["identities"] = [witness.identity(pid) for pid in facts["pids"]]
        return facts

    def neighbour(self) -> int:
        """Return the pid of the owner's unrelated child."""
        pid: int = json.loads((self._folder / "neighbour.json").read_text())["pid"]
        return pid

    def neighbour_end(self) -> int:
        """Return how the owner reaped its unrelated child: 7 when nobody had touched it."""
        text = wait_for_file(self._folder / "neighbour_end.json", 10.0)
        returncode: int = json.loads(text)["returncode"]
        return returncode

    def left_behind(self, facts: dict[str, Any], seconds: float = GONE_SECONDS) -> list[str]:
        """Return what is left after `seconds` at most: processes, zombies, scratch, ports."""
        until = time.monotonic() + seconds
        gone = witness.wait_until_gone(
            tokens=[facts["token"]],
            paths=[*facts["scratches"], str(self.scratch_root)],
            groups=facts["groups"],
            pids=[identity for identity in facts["identities"] if identity],
            deadline_seconds=seconds,
        )
        while (left := self._belongings(facts)) and time.monotonic() < until:
            time.sleep(0.005)
        return [str(sighting) for sighting in gone.survivors] + left

    def _belongings(self, facts: dict[str, Any]) -> list[str]:
        left = [f"scratch {path}" for path in self.scratch_root.glob("[!.]*")]
        if witness.is_listening(facts["port"]):
            left.append(f"port {facts['port']} is still listening")
        return left


@contextmanager
def running_owner(
    tmp_path: Path, scenario: str, arguments: Sequence[str] = (), **environment: str
) -> Iterator[Owner]:
    """Start the owner project with a scenario; its scratch root is private to this run."""
    project = tmp_path / "project"
    shutil.copytree(_PROJECT, project, ignore=shutil.ignore_patterns("__pycache__"))
    (project / "pytest.ini").write_text("[pytest]\n")
    state = tmp_path / "state.json"
    # Not below tmp_path: a socket's path below it has room for 108 bytes only.
    scratch_root = Path(tempfile.mkdtemp(prefix="hn-", dir="/tmp"))
    environment = {
        **os.environ,
        "PYTHONPATH": str(_ROOT),
        "PYTHONDONTWRITEBYTECODE": "1",
        "HARNESS_STATE_DIR": str(scratch_root),
        "OWNER_STATE": str(state),
        "OWNER_SCENARIO": scenario,
        "OWNER_SERVER": json.dumps(ok_server()),
        **environment,
    }
    command = [
        sys.executable, "main.py", str(state), "-p", "no:cacheprovider", "suite.py", *arguments
    ]  # fmt: skip
    try:
        with Stage(command, cwd=project, env=environment, log=tmp_path / "log.txt") as stage:
            yield Owner(stage, tmp_path, scratch_root)
    finally:
        shutil.rmtree(scratch_root, ignore_errors=True)

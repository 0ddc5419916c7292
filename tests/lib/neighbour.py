"""A browser next door: owned through the harness by a process that nobody ends or signals."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.lib import witness
from tests.lib.events import wait_for_file
from tests.lib.http import fetch
from tests.lib.stage import Stage

_ROOT = Path(__file__).resolve().parents[2]
_START_SECONDS = 60.0
_PROGRAM = """
import json, os, signal
from harness.browser.launch import launch
with launch() as chromium:
    chromium.version
    facts = json.dumps({"pid": chromium.pid, "port": int(chromium.http_url.rpartition(":")[2])})
    draft = os.environ["NEIGHBOUR_FACTS"] + ".draft"
    with open(draft, "w") as file:
        file.write(facts)
    os.rename(draft, os.environ["NEIGHBOUR_FACTS"])
    signal.pause()
"""


class Neighbour:
    """A running browser; `scratch_root` is where others may keep their scratch as well."""

    def __init__(self, stage: Stage, scratch_root: Path, facts: dict[str, int]) -> None:
        self.scratch_root = scratch_root
        self.scratches = frozenset(scratch_root.glob("[!.]*"))
        self._stage = stage
        self._port = facts["port"]
        self._family = [one.identity for one in stage.descendants()]
        self.ports = {self._port}

    @property
    def pids(self) -> list[int]:
        """Everything of it that runs now; a browser starts helpers as it goes."""
        return [self._stage.pid, *(one.pid for one in self._stage.descendants())]

    def problems(self) -> list[str]:
        """Return what has happened to it: nothing may."""
        gone = [
            f"the neighbour's process {who.pid} is gone"
            for who in self._family
            if not witness.alive(who, count_zombies=False)
        ]
        lost = [
            f"the neighbour's scratch {path} is gone"
            for path in self.scratches
            if not (path / "record").exists()
        ]
        if not gone and fetch(self._port, "/json/version").status != 200:
            gone = ["the neighbour does not answer"]
        return gone + lost

    def start_another(self) -> None:
        """Start and end one more browser in the same place, as anybody's next run would."""
        program = "from harness.browser.launch import launch; launch().close()"
        environment = _environment(self.scratch_root)
        subprocess.run([sys.executable, "-c", program], env=environment, check=True, timeout=60)


def _environment(scratch_root: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(_ROOT), "HARNESS_STATE_DIR": str(scratch_root)}


@contextmanager
def neighbouring_browser() -> Iterator[Neighbour]:
    """Run one; nothing of it is left afterwards, and none of its scratch root."""
    scratch_root = Path(tempfile.mkdtemp(prefix="hn-", dir="/tmp"))
    try:
        facts = scratch_root / ".facts"
        environment = {**_environment(scratch_root), "NEIGHBOUR_FACTS": str(facts)}
        command = [sys.executable, "-c", _PROGRAM]
        with Stage(command, env=environment, log=scratch_root / ".log") as stage:
            known = json.loads(wait_for_file(facts, _START_SECONDS))
            yield Neighbour(stage, scratch_root, known)
    finally:
        shutil.rmtree(scratch_root, ignore_errors=True)

"""Run the owner project under a stage and ask the witness what is left of it.

Judges by the kernel alone: every process that an owner starts, however it detaches, stays below
its stage. Shares no code with the harness.
"""

import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.lib import witness
from tests.lib.fake_servers import ok_server
from tests.lib.neighbour import Neighbour
from tests.lib.stage import Stage

_PROJECT = Path(__file__).parent / "owner_project"
_ROOT = Path(__file__).resolve().parents[2]
_PYTEST = ("pytest", "-p", "no:cacheprovider", "-p", "no:benchmark", "-p", "no:hypothesispytest")
START_SECONDS = 40.0
GONE_SECONDS = 1.0
_PAUSE_SECONDS = 0.003

Facts = dict[str, Any]


class Owner:
    """One running owner: its stage, where it keeps things, and what it said of itself.

    `households` is how many of its processes have a browser and a server each.
    """

    def __init__(self, stage: Stage, folder: Path, places: "Places", households: int) -> None:
        self.stage = stage
        self.folder = folder
        self.places = places
        self.households = households

    # -- what it said -------------------------------------------------------------------

    def all_said(self, name: str) -> list[Facts]:
        """Wait until each household has published this; return the facts in their order."""
        return [self.said(f"{name}-{number}") for number in range(self.households)]

    def said(self, name: str, seconds: float = START_SECONDS) -> Facts:
        """Wait until the owner has published this, and return the facts."""
        path = self.folder / f"{name}.json"
        self.wait_until(path.exists, seconds, f"publish {path.name}")
        facts: Facts = json.loads(path.read_text())
        return facts

    def wait_until(self, happened: Callable[[], object], seconds: float, what: str) -> None:
        """Wait until the owner has done something; AssertionError when it ends before."""
        ended = False
        until = time.monotonic() + seconds
        while not happened():
            if ended or time.monotonic() >= until:
                why = "ended before it did" if ended else f"in {seconds} s did not"
                raise AssertionError(f"the owner {why} {what}: {self.situation()}")
            ended = witness.identity(self.stage.owner_pid) is None
            time.sleep(_PAUSE_SECONDS)

    def known(self, name: str) -> list[Facts]:
        """Return what the households have published of this so far."""
        paths = [self.folder / f"{name}-{number}.json" for number in range(self.households)]
        return [json.loads(path.read_text()) for path in paths if path.exists()]

    def own_child(self) -> int:
        """Return the pid of the owner's child that is nobody else's business."""
        pid: int = self.said("neighbour")["pid"]
        return pid

    def own_childs_end(self) -> int:
        """Return how the owner reaped that child: 7 when nobody had touched it."""
        returncode: int = self.said("neighbour_end", 10.0)["returncode"]
        return returncode

    # -- what there is ------------------------------------------------------------------

    def processes(self, of: str) -> list[witness.Sighting]:
        """Return its live processes with this in their command line."""
        return [one for one in self.stage.descendants() if of in one.command and one.state != "Z"]

    def family_of(self, number: int) -> list[witness.Identity]:
        """Return all that comes of one household: what descends from its process, and its orphans.

        Its process itself is left out: somebody else has to reap that one.
        """
        pid = self.all_said("household")[number]["pid"]
        found = {one.identity for one in witness.descendants(pid)}
        waiting = self.known("waiting")
        orphans = waiting[number]["escapees"] + waiting[number]["forked"] if waiting else []
        return [*found, *filter(None, map(witness.identity, orphans))]

    def left_behind(
        self, *, not_counted: Sequence[int] = (), seconds: float = GONE_SECONDS
    ) -> list[str]:
        """Return what is left `seconds` after the owner's end: processes, zombies, files, ports.

        Its own child and the pids in `not_counted` may be there. Returns at the first moment
        at which two looks in a row found nothing.
        """
        spared = [self.own_child(), *not_counted]
        until = self.stage.ended_at + seconds
        empty_looks = 0
        while True:
            left = self._survivors(spared) + self.places.left_behind() + self._listening()
            empty_looks = 0 if left else empty_looks + 1
            if empty_looks == 2:
                return []
            if left and time.monotonic() >= until:
                return [*left, self.situation()]
            time.sleep(_PAUSE_SECONDS)

    def _survivors(self, spared: Sequence[int]) -> list[str]:
        below = self.stage.descendants()
        elsewhere = witness.find(
            paths=[self.places.scratch_root, self.places.temporary],
            ignore=[*spared, *self.places.neighbour.pids, *(one.pid for one in below)],
        )
        return [str(one) for one in (*below, *elsewhere) if one.pid not in spared]

    def _listening(self) -> list[str]:
        ports = [facts["port"] for facts in (*self.known("household"), *self.known("waiting"))]
        return [f"port {port} is listening" for port in ports if witness.is_listening(port)]

    def situation(self) -> str:
        """Say what is going on, for a message."""
        below = "\n".join(map(str, self.stage.descendants()))
        return f"below the stage:\n{below}\noutput of the owner:\n{self.stage.output()[-6000:]}"


class Places:
    """Where an owner keeps things: a scratch root that it shares with a neighbour, a TMPDIR."""

    def __init__(self, neighbour: Neighbour, temporary: Path) -> None:
        self.neighbour = neighbour
        self.scratch_root = neighbour.scratch_root
        self.temporary = temporary

    def left_behind(self) -> list[str]:
        """Return every scratch that is not the neighbour's, and all that is in TMPDIR."""
        scratches = set(self.scratch_root.glob("[!.]*")) - self.neighbour.scratches
        return [
            *(f"scratch {path}" for path in sorted(scratches)),
            *(f"in TMPDIR: {path.name}" for path in sorted(self.temporary.iterdir())),
        ]


@contextmanager
def running_owner(
    folder: Path,
    neighbour: Neighbour,
    arguments: Sequence[str],
    *,
    households: int = 1,
    zygote: bool = True,
    settings: str = "",
    browser: Callable[[Path], Path] | None = None,
    environment: Mapping[str, str] | None = None,
) -> Iterator[Owner]:
    """Start `main.py` of the owner project with these arguments; a pytest one with `pytest_of`.

    `browser` builds, in the folder that it is given, the program to run instead of Chromium.
    On leaving, all that is left of the owner is killed, and its files are removed.
    """
    project = folder / "project"
    shutil.copytree(_PROJECT, project, ignore=shutil.ignore_patterns("__pycache__"))
    table = f"[tool.harness]\nzygote = {str(zygote).lower()}\n{settings}"
    (project / "pyproject.toml").write_text(table)
    (project / "pytest.ini").write_text("[pytest]\n")
    # Not below `folder`: a socket's path below it has room for 108 bytes only.
    temporary = Path(tempfile.mkdtemp(prefix="ht-", dir="/tmp"))
    variables = {
        **os.environ,
        "PYTHONPATH": str(_ROOT),
        "PYTHONDONTWRITEBYTECODE": "1",
        "TMPDIR": str(temporary),
        "HARNESS_STATE_DIR": str(neighbour.scratch_root),
        "OWNER_FOLDER": str(folder),
        "OWNER_SERVER": json.dumps(ok_server()),
        "OWNER_HOUSEHOLDS": str(households),
        "OWNER_ZYGOTE": str(zygote).lower(),
        **(environment or {}),
    }
    if browser is not None:
        variables["HARNESS_CHROMIUM"] = str(browser(folder))
    command = [sys.executable, "main.py", *arguments]
    try:
        with Stage(command, cwd=project, env=variables, log=folder / "log.txt") as stage:
            yield Owner(stage, folder, Places(neighbour, temporary), households)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
        for left in set(neighbour.scratch_root.glob("[!.]*")) - neighbour.scratches:
            shutil.rmtree(left, ignore_errors=True)


def pytest_of(file: str, *arguments: str) -> list[str]:
    """Return the arguments of an owner that runs pytest on this file.

    The folder that pytest keeps for `tmp_path` is its own, outside of TMPDIR: xdist makes one
    for each worker, and leaves it for people to look at.
    """
    return [*_PYTEST, "--basetemp=base", file, *arguments]

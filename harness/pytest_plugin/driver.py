"""Playwright's node driver under a warden, and so every browser that it launches by itself."""

import contextlib
import importlib.util
import os
from pathlib import Path

from harness.errors import OwnershipError
from harness.process.ownership import END_SECONDS
from harness.process.report import EndedProcess, describe_status
from harness.process.shim import Shim, StartedFamily
from harness.pytest_plugin.driver_stop import DriverStops

# Playwright's own variable for the node that runs its driver.
VARIABLE = "PLAYWRIGHT_NODEJS_PATH"
# The node behind a shim of ours, for a run inside of this one.
_NODE_VARIABLE = "HARNESS_NODE"
_NAME = "lanewright-node"
# The argument that makes it a driver, which ends when its client closes the connection.
_DRIVER = "run-driver"
_LABEL = "Playwright's driver"


class OwnedDriver:
    """Makes this process and its children start Playwright's driver under a warden each."""

    def __init__(self, shim: Shim | None, before: dict[str, str | None]) -> None:
        self._shim = shim
        self._before = before
        self._mourned: set[str] = set()
        self._stops = DriverStops(self._end_untold)

    @classmethod
    def install(cls, folder: Path) -> "OwnedDriver":
        """Put the shim into `folder` and its path into the environment until `restore`.

        Does nothing without Playwright. Raises PreconditionError where no file can be executed
        in `folder`.
        """
        before = {name: os.environ.get(name) for name in (VARIABLE, _NODE_VARIABLE)}
        node = _node()
        if node is None:
            return cls(None, before)
        shim = Shim.create(folder, _NAME, node, ends_with_input=_DRIVER)
        os.environ[_NODE_VARIABLE] = node
        os.environ[VARIABLE] = str(shim.path)
        driver = cls(shim, before)
        driver._stops.install()
        return driver

    def restore(self) -> None:
        """Put back what the environment held, where it is still ours."""
        self._stops.restore()
        if self._shim is None or os.environ.get(VARIABLE) != str(self._shim.path):
            return
        for name, value in self._before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value

    def end_stopped(self) -> bool:
        """End every driver that is stopped: no call to it would ever return. True if one was."""
        stopped = [family for family in self._families() if family.stopped]
        for family in stopped:
            family.kill()
        return bool(stopped)

    def obituaries(self) -> list[str]:
        """Say of each driver that a signal has ended which one, once."""
        found = []
        for family in self._families():
            status = family.report.leader_status if family.report else None
            if status is None or status & 0x7F == 0 or family.identifier in self._mourned:
                continue
            self._mourned.add(family.identifier)
            assert family.leader is not None
            found.append(f"{_LABEL} (pid {family.leader.pid}) was {describe_status(status)}.")
        return found

    def finish(self) -> tuple[list[EndedProcess], list[str]]:
        """End what is still running; return what was left behind, and what went wrong."""
        left_behind: list[EndedProcess] = []
        problems: list[str] = []
        for family in self._families():
            if family.runs and family.leader is not None:
                left_behind.append(
                    EndedProcess(
                        pid=family.leader.pid,
                        start_ticks=family.leader.start_ticks,
                        command=_LABEL,
                        how="still running",
                    )
                )
                family.kill()
        for family in self._families():
            if not family.wait(END_SECONDS):
                problems.append(f"{_LABEL}: its warden has not ended after {END_SECONDS:g} s")
        for family in self._families():
            try:
                family.verify_gone(_LABEL)
            except OwnershipError as error:
                problems.append(str(error))
        return left_behind, problems

    def _end_untold(self, warden_pid: int) -> None:
        """End a driver whose owner has stopped it, when a forked child keeps that from it."""
        # Without its record, which goes with the run, it is the guard's.
        with contextlib.suppress(OSError):
            for family in self._families():
                if family.warden and family.warden.pid == warden_pid and not family.asked:
                    self._mourned.add(family.identifier)
                    family.kill()

    def _families(self) -> list[StartedFamily]:
        return [] if self._shim is None else self._shim.families()


def _node() -> str | None:
    """Return the node that Playwright would run, None without Playwright or without a node."""
    named = os.environ.get(VARIABLE)
    if named:
        inner = os.environ.get(_NODE_VARIABLE)
        return inner if inner and os.path.basename(named) == _NAME else named
    spec = importlib.util.find_spec("playwright")
    if spec is None or spec.origin is None:
        return None
    node = Path(spec.origin).parent / "driver" / "node"
    return str(node) if node.is_file() else None

"""Bring an owner to the state of its row, and know by observation that it is there."""

import os
import signal
from collections.abc import Callable, Sequence
from pathlib import Path

from harness.browser import binary
from tests.lib import fake_browsers, witness
from tests.lib.events import wait_until
from tests.lib.matrix import State
from tests.lib.owner import START_SECONDS, Owner
from tests.lib.quiet import quiet

_SPINNING_TICKS = 5
_STOP_SECONDS = 10.0


def browser_for(state: State) -> Callable[[Path], Path] | None:
    """Return what builds the program that this state needs instead of Chromium, if any."""
    real = binary.find().path
    match state:
        case State.SPAWN:
            return fake_browsers.prints_nothing_and_hangs
        case State.CONNECT_UNANSWERED:
            return fake_browsers.accepts_but_never_answers
        case State.CONNECT_STOPPED:
            return lambda folder: fake_browsers.stops_once_announced(folder, real)
        case State.BROWSER_ESCAPEE:
            return lambda folder: fake_browsers.leaves_an_escapee(folder, real)
        case _:
            return None


def reach(owner: Owner, state: State) -> None:
    """Return once every household of the owner is in this state."""
    owner.all_said("household")
    match state:
        case State.SPAWN:
            _wait(owner, lambda: _with_a_profile(owner), "spawn its browsers")
        case State.CONNECT_UNANSWERED:
            notes = f"{fake_browsers.accepts_but_never_answers.__name__}.asked-*"
            _wait(owner, lambda: list(owner.folder.glob(notes)), "ask its browsers for an answer")
        case State.CONNECT_STOPPED:
            _wait(owner, lambda: _connected_to_stopped(owner), "connect to its browsers")
        case _:
            _become(owner, state, [facts["chromium"] for facts in owner.all_said("waiting")])
            _wait_until_quiet(owner)


def _become(owner: Owner, state: State, browsers: Sequence[int]) -> None:
    match state:
        case State.RENDERER_HUNG:
            before = {one.pid: witness.cpu_ticks(one.pid) for one in owner.processes("=renderer")}
            _wait(owner, lambda: _spinning(before), "let its renderers spin")
        case State.BROWSER_STOPPED:
            _stop(owner, browsers)
        case State.CRASHPAD_STOPPED:
            handlers = owner.processes("chrome_crashpad_handler")
            assert len(handlers) >= owner.households, owner.situation()
            _stop(owner, [one.pid for one in handlers])
        case State.DRIVER_STOPPED:
            drivers = [one.pid for one in owner.processes("run-driver") if _is_node(one.pid)]
            assert len(drivers) == owner.households, owner.situation()
            _stop(owner, drivers)


def _wait_until_quiet(owner: Owner) -> None:
    """Return once each household only waits.

    It publishes from inside of a callback. What a signal handler raises in there reaches the
    callback's caller, and in a weak reference's callback nobody: the trigger is for the call.
    """
    pids = [facts["pid"] for facts in owner.all_said("household")]
    owner.wait_until(quiet(pids), START_SECONDS, "be quiet")


def _with_a_profile(owner: Owner) -> list[witness.Sighting]:
    """Return what has a profile of this owner's in its command line, wrappers included."""
    below = {one.pid for one in owner.stage.descendants()}
    profiles = [f"--user-data-dir={owner.places.scratch_root}/"]
    return [one for one in witness.find(paths=profiles) if one.pid in below]


def _connected_to_stopped(owner: Owner) -> list[int]:
    """Return the ports of stopped browsers to which somebody has an open connection."""
    stopped = [one.pid for one in _with_a_profile(owner) if one.state == "T"]
    if len(stopped) < owner.households:
        return []
    connected = witness.connected_ports()
    written = owner.places.scratch_root.glob("[!.]*/profile/DevToolsActivePort")
    ports = {int(path.read_text().split("\n")[0]) for path in written}
    return sorted((ports - owner.places.neighbour.ports) & connected)


def _spinning(before: dict[int, int]) -> list[int]:
    return [
        pid for pid, ticks in before.items() if witness.cpu_ticks(pid) > ticks + _SPINNING_TICKS
    ]


def _is_node(pid: int) -> bool:
    return Path(os.readlink(f"/proc/{pid}/exe")).name == "node"


def _stop(owner: Owner, pids: Sequence[int]) -> None:
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)

    def all_stopped() -> bool:
        states = {one.pid: one.state for one in owner.stage.descendants()}
        return all(states[pid] == "T" for pid in pids)

    wait_until(all_stopped, _STOP_SECONDS, f"{pids} to be stopped")


def _wait(owner: Owner, found: Callable[[], Sequence[object]], what: str) -> None:
    """Wait until there is one for each household."""
    owner.wait_until(lambda: len(found()) >= owner.households, START_SECONDS, what)

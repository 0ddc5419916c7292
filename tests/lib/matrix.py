"""The failure matrix: which owner meets which trigger in which state, and how it must end.

Facts only. `states` brings an owner to its state, `triggers` pulls, `owner` judges.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum


class OwnerKind(StrEnum):
    """Who owns the browsers and servers."""

    PLAIN = "plain"
    XDIST = "xdist"
    SCRIPT = "script"


class Trigger(StrEnum):
    """What ends the owner. A "group" trigger reaches its process group, as a terminal's does."""

    TERM = "SIGTERM"
    INT = "SIGINT"
    HUP = "SIGHUP"
    KILL = "SIGKILL"
    TERM_GROUP = "SIGTERM to the group"
    INT_GROUP = "SIGINT to the group"
    HUP_GROUP = "SIGHUP to the group"
    KILL_GROUP = "SIGKILL to the group"
    EXIT = "os._exit"
    TIMEOUT_THREAD = "timeout by thread"
    TIMEOUT_SIGNAL = "timeout by signal"
    WORKER_KILL = "worker killed"


class State(StrEnum):
    """What is the case at the moment of the trigger."""

    IDLE = "idle"
    SPAWN = "during spawn"
    CONNECT_UNANSWERED = "during connect, no answer"
    CONNECT_STOPPED = "during connect, browser stopped"
    RENDERER_HUNG = "renderer hung"
    BROWSER_STOPPED = "browser stopped"
    CRASHPAD_STOPPED = "crashpad stopped"
    DRIVER_STOPPED = "node driver stopped"
    FORKED_HOLDER = "forked children hold on"
    TEST_ESCAPEE = "escapees of the test"
    BROWSER_ESCAPEE = "escapee of the browser"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One run. Without `zygote` every Chromium of it is started with `--no-zygote`."""

    owner: OwnerKind
    trigger: Trigger
    state: State
    zygote: bool = True

    def __str__(self) -> str:
        return f"{self.trigger}, {self.state}" + ("" if self.zygote else ", no zygote")

    @property
    def households(self) -> int:
        """How many processes of the owner have a browser and a server each."""
        return 2 if self.owner is OwnerKind.XDIST else 1

    @property
    def pulls(self) -> int:
        """How many processes must be told, each for itself, to end the owner."""
        return self.households if self.trigger is Trigger.TIMEOUT_SIGNAL else 1

    @property
    def returncode(self) -> int:
        """How the owner must end; negative for a signal."""
        return (_SCRIPT_ENDS if self.owner is OwnerKind.SCRIPT else _PYTEST_ENDS)[
            Trigger.WORKER_KILL if self.ends_workers else self.trigger
        ]

    @property
    def ends_workers(self) -> bool:
        """True where xdist's workers end at once while their controller lives on."""
        return self.owner is OwnerKind.XDIST and self.trigger in _ENDS_OF_ONE_PROCESS

    @property
    def polite(self) -> bool:
        """True where the owner comes to its end by itself, and ends its own child in order."""
        return self.trigger not in _ABRUPT[self.owner]


EXIT_CODE = 23

_PYTEST_ENDS = {
    Trigger.TERM: 128 + 15,
    Trigger.INT: 2,
    Trigger.HUP: 128 + 1,
    Trigger.KILL: -9,
    Trigger.TERM_GROUP: 128 + 15,
    Trigger.INT_GROUP: 2,
    Trigger.HUP_GROUP: 128 + 1,
    Trigger.KILL_GROUP: -9,
    Trigger.EXIT: EXIT_CODE,
    Trigger.TIMEOUT_THREAD: 1,
    Trigger.TIMEOUT_SIGNAL: 1,
    Trigger.WORKER_KILL: 1,
}
# A script that installs no handler: SIGTERM and SIGHUP end it where it stands.
_SCRIPT_ENDS = {
    Trigger.TERM: -15,
    Trigger.INT: -2,
    Trigger.HUP: -1,
    Trigger.KILL: -9,
    Trigger.TERM_GROUP: -15,
    Trigger.INT_GROUP: -2,
    Trigger.HUP_GROUP: -1,
    Trigger.KILL_GROUP: -9,
    Trigger.EXIT: EXIT_CODE,
}
_KILLS = (Trigger.KILL, Trigger.KILL_GROUP)
_ABRUPT = {
    OwnerKind.PLAIN: (*_KILLS, Trigger.EXIT, Trigger.TIMEOUT_THREAD),
    OwnerKind.XDIST: _KILLS,
    OwnerKind.SCRIPT: tuple(trigger for trigger, end in _SCRIPT_ENDS.items() if end != -2),
}
_ENDS_OF_ONE_PROCESS = (Trigger.EXIT, Trigger.TIMEOUT_THREAD, Trigger.WORKER_KILL)

_SIGNALS = (Trigger.TERM, Trigger.INT, Trigger.HUP, Trigger.KILL)
_GROUP_SIGNALS = (
    Trigger.TERM_GROUP, Trigger.INT_GROUP, Trigger.HUP_GROUP, Trigger.KILL_GROUP
)  # fmt: skip
_TIMEOUTS = (Trigger.TIMEOUT_THREAD, Trigger.TIMEOUT_SIGNAL)
_TRIGGERS = {
    OwnerKind.PLAIN: (*_SIGNALS, Trigger.EXIT, *_TIMEOUTS),
    OwnerKind.XDIST: (*_SIGNALS, Trigger.EXIT, *_TIMEOUTS, Trigger.WORKER_KILL),
    OwnerKind.SCRIPT: (*_SIGNALS, Trigger.EXIT),
}
# Browsers and servers lead groups of their own: a group signal differs where a process of the
# owner's own group has a part: its workers, Playwright's driver, a forked child.
_STATES_OF_A_GROUP = (
    State.IDLE, State.SPAWN, State.CONNECT_STOPPED, State.RENDERER_HUNG, State.DRIVER_STOPPED,
    State.FORKED_HOLDER,
)  # fmt: skip
# What a script starts by itself is nobody's: only a pytest process has a guard that sweeps.
_NO_STATES_OF = {OwnerKind.SCRIPT: (State.TEST_ESCAPEE,)}
# No zygote to be without: no Chromium runs.
_STATES_OF_A_FAKE = (State.SPAWN, State.CONNECT_UNANSWERED)
# What xdist adds is workers: without a zygote, these ends of theirs stand for all.
_XDIST_WITHOUT_ZYGOTE = (Trigger.TERM, Trigger.KILL, Trigger.WORKER_KILL)


def rows(owner: OwnerKind) -> Iterator[Row]:
    """Yield every row of this owner, those with a zygote first."""
    states = [state for state in State if state not in _NO_STATES_OF.get(owner, ())]
    for state in states:
        for trigger in _TRIGGERS[owner]:
            yield Row(owner=owner, trigger=trigger, state=state)
    for state in _STATES_OF_A_GROUP:
        for trigger in _GROUP_SIGNALS:
            yield Row(owner=owner, trigger=trigger, state=state)
    for state in states:
        for trigger in _TRIGGERS[owner]:
            stands_for_all = owner is not OwnerKind.XDIST or trigger in _XDIST_WITHOUT_ZYGOTE
            if state not in _STATES_OF_A_FAKE and stands_for_all:
                yield Row(owner=owner, trigger=trigger, state=state, zygote=False)


def _rows(owner: OwnerKind, *pairs: tuple[Trigger, State], zygote: bool = True) -> list[Row]:
    return [Row(owner=owner, trigger=t, state=s, zygote=zygote) for t, s in pairs]


ESSENTIAL = frozenset(
    [
        *_rows(
            OwnerKind.PLAIN,
            (Trigger.TERM, State.RENDERER_HUNG),
            (Trigger.INT, State.CONNECT_UNANSWERED),
            (Trigger.HUP, State.SPAWN),
            (Trigger.TERM_GROUP, State.DRIVER_STOPPED),
            (Trigger.INT_GROUP, State.IDLE),
            (Trigger.HUP_GROUP, State.FORKED_HOLDER),
            (Trigger.KILL_GROUP, State.CONNECT_STOPPED),
            (Trigger.KILL, State.SPAWN),
            (Trigger.KILL, State.BROWSER_STOPPED),
            (Trigger.KILL, State.CRASHPAD_STOPPED),
            (Trigger.KILL, State.DRIVER_STOPPED),
            (Trigger.KILL, State.FORKED_HOLDER),
            (Trigger.EXIT, State.TEST_ESCAPEE),
            (Trigger.TIMEOUT_THREAD, State.RENDERER_HUNG),
            (Trigger.TIMEOUT_SIGNAL, State.IDLE),
        ),
        *_rows(OwnerKind.PLAIN, (Trigger.KILL, State.BROWSER_ESCAPEE), zygote=False),
        *_rows(
            OwnerKind.XDIST,
            (Trigger.KILL, State.IDLE),
            (Trigger.INT_GROUP, State.IDLE),
            (Trigger.WORKER_KILL, State.BROWSER_STOPPED),
        ),
        *_rows(
            OwnerKind.SCRIPT,
            (Trigger.TERM, State.IDLE),
            (Trigger.INT, State.SPAWN),
            (Trigger.KILL, State.BROWSER_STOPPED),
        ),
        *_rows(OwnerKind.SCRIPT, (Trigger.EXIT, State.BROWSER_ESCAPEE), zygote=False),
    ]
)
"""The rows that every run of the browser lane includes; each kind is there at least once."""

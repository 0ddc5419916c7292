"""Play one row of the matrix and judge its end."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from tests.lib import matrix, states, triggers, witness
from tests.lib.events import wait_until
from tests.lib.matrix import OwnerKind, Row, Trigger
from tests.lib.neighbour import Neighbour
from tests.lib.owner import GONE_SECONDS, Owner, pytest_of, running_owner

END_SECONDS = 15.0
OWN_CHILDS_END = 7
_TIMEOUT_METHODS = {Trigger.TIMEOUT_THREAD: "thread", Trigger.TIMEOUT_SIGNAL: "signal"}


def parameters(owner: OwnerKind) -> list[object]:
    """Return every row of this owner for `parametrize`; what is not essential is for the soak."""
    return [
        pytest.param(row, id=str(row), marks=() if row in matrix.ESSENTIAL else pytest.mark.soak)
        for row in matrix.rows(owner)
    ]


@contextmanager
def owner_of(row: Row, folder: Path, neighbour: Neighbour) -> Iterator[Owner]:
    """Run the owner of a row; on entry it is in the state of the row."""
    with running_owner(
        folder,
        neighbour,
        _arguments(row),
        households=row.households,
        zygote=row.zygote,
        browser=states.browser_for(row.state),
        environment={"OWNER_STATE": row.state, "OWNER_TRIGGER": row.trigger},
    ) as owner:
        states.reach(owner, row.state)
        yield owner


def _arguments(row: Row) -> list[str]:
    if row.owner is OwnerKind.SCRIPT:
        return ["script"]
    arguments = pytest_of("suite.py")
    if row.owner is OwnerKind.XDIST:
        arguments += ["-n", str(row.households)]
    if method := _TIMEOUT_METHODS.get(row.trigger):
        arguments += ["--timeout=600", f"--timeout-method={method}"]
    return arguments


def problems(owner: Owner, row: Row) -> list[str]:
    """The owner has been told to end: return what is wrong with its end.

    It ends in time and with the right code, leaves nothing, and touches no child of its own that
    is not ours. What it forks is ours only where a pytest plugin adopts it.
    """
    own_child = witness.identity(owner.own_child())
    assert own_child is not None, "the owner's own child is gone before the trigger"
    try:
        returncode = owner.stage.wait(END_SECONDS)
    except AssertionError as error:
        return [str(error)]
    found = [] if returncode == row.returncode else [f"ended with {returncode}", owner.situation()]
    spared = [pid for facts in owner.known("waiting") for pid in facts["forked"]]
    found += owner.left_behind(not_counted=spared if row.owner is OwnerKind.SCRIPT else ())
    if not row.polite and _ended(own_child):
        found.append("the owner's own child was ended")
    if row.polite and (end := owner.own_childs_end()) != OWN_CHILDS_END:
        found.append(f"the owner's own child ended with {end}")
    return found


def problems_of_workers(owner: Owner, row: Row) -> list[str]:
    """End one worker after the other: return what is left of each, and what others have lost."""
    found: list[str] = []
    for number, household in enumerate(owner.all_said("household")):
        family = owner.family_of(number)
        others = [
            who for later in range(number + 1, owner.households) for who in owner.family_of(later)
        ]
        worker = witness.identity(household["pid"])
        assert worker is not None, owner.situation()
        triggers.pull(owner, row.trigger, number)
        wait_until(partial(_ended, worker), END_SECONDS, "the worker to end")
        found += map(str, witness.wait_until_gone(GONE_SECONDS, pids=family).survivors)
        found += [f"{who} of another worker was ended" for who in others if _ended(who)]
    return found


def _ended(who: witness.Identity) -> bool:
    return not witness.alive(who, count_zombies=False)

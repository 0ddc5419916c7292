"""The failure matrix's table: what every run of the browser lane includes, what the soak adds."""

from pathlib import Path

import pytest

from tests.lib import matrix
from tests.lib.matrix import OwnerKind, Row, State, Trigger

ROOT = Path(__file__).resolve().parents[3]
ROWS = [row for owner in OwnerKind for row in matrix.rows(owner)]


def _no_states_of(owner: OwnerKind) -> set[State]:
    return {State.TEST_ESCAPEE} if owner is OwnerKind.SCRIPT else set()


def test_no_row_is_there_twice() -> None:
    assert len(ROWS) == len(set(ROWS))
    assert len({(row.owner, str(row)) for row in ROWS}) == len(ROWS)


def test_each_essential_row_is_a_row() -> None:
    assert set(ROWS) >= matrix.ESSENTIAL
    assert 20 <= len(matrix.ESSENTIAL) <= 25


@pytest.mark.parametrize("kind", [*OwnerKind, *Trigger, *State], ids=str)
def test_each_kind_is_essential_at_least_once(kind: str) -> None:
    assert any(kind in (row.owner, row.trigger, row.state) for row in matrix.ESSENTIAL)


def test_a_browser_without_a_zygote_is_essential_for_pytest_and_for_a_script() -> None:
    owners = {row.owner for row in matrix.ESSENTIAL if not row.zygote}
    assert owners == {OwnerKind.PLAIN, OwnerKind.SCRIPT}


@pytest.mark.parametrize("owner", OwnerKind, ids=str)
def test_each_state_meets_each_signal(owner: OwnerKind) -> None:
    met = {(row.trigger, row.state) for row in matrix.rows(owner)}
    signals = (Trigger.TERM, Trigger.INT, Trigger.HUP, Trigger.KILL)
    states = set(State) - _no_states_of(owner)
    assert met >= {(trigger, state) for trigger in signals for state in states}


def test_what_a_script_spawns_by_itself_is_nobodys() -> None:
    assert all(row.state is not State.TEST_ESCAPEE for row in matrix.rows(OwnerKind.SCRIPT))


@pytest.mark.parametrize("state", [s for s in State if "spawn" not in s and "no answer" not in s])
def test_each_state_of_a_real_browser_is_met_without_a_zygote(state: State) -> None:
    owners = [owner for owner in OwnerKind if state not in _no_states_of(owner)]
    for owner in owners:
        kill = Row(owner=owner, trigger=Trigger.KILL, state=state, zygote=False)
        assert kill in set(matrix.rows(owner))


@pytest.mark.parametrize(
    ("owner", "trigger", "returncode", "polite"),
    [
        (OwnerKind.PLAIN, Trigger.TERM, 143, True),
        (OwnerKind.PLAIN, Trigger.INT_GROUP, 2, True),
        (OwnerKind.PLAIN, Trigger.EXIT, 23, False),
        (OwnerKind.PLAIN, Trigger.TIMEOUT_THREAD, 1, False),
        (OwnerKind.PLAIN, Trigger.TIMEOUT_SIGNAL, 1, True),
        (OwnerKind.XDIST, Trigger.EXIT, 1, True),
        (OwnerKind.XDIST, Trigger.WORKER_KILL, 1, True),
        (OwnerKind.XDIST, Trigger.KILL, -9, False),
        (OwnerKind.SCRIPT, Trigger.TERM, -15, False),
        (OwnerKind.SCRIPT, Trigger.INT, -2, True),
        (OwnerKind.SCRIPT, Trigger.EXIT, 23, False),
    ],
)
def test_how_an_owner_must_end(
    owner: OwnerKind, trigger: Trigger, returncode: int, polite: bool
) -> None:
    row = Row(owner=owner, trigger=trigger, state=State.IDLE)
    assert (row.returncode, row.polite) == (returncode, polite)


@pytest.mark.parametrize("owner", OwnerKind, ids=str)
def test_the_documentation_counts_the_rows_of_each_owner(owner: OwnerKind) -> None:
    rows = set(matrix.rows(owner))
    line = f"| `test_{owner}.py` | {len(rows)} | {len(rows & matrix.ESSENTIAL)} |"
    assert line in (ROOT / "docs" / "soak.md").read_text(encoding="utf-8")

"""One plan to its end, with spawners that cannot do what they are asked."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from harness.config.schema import Config
from harness.errors import StartError
from harness.model.identifiers import Lane, TestFile
from harness.model.run_events import FileEnded, FileStarted, RunEnded, RunStarted
from harness.model.status import Selection, Status
from harness.plan.queue import Plan, PlannedFile
from harness.repository.tree import TreeState
from harness.runner.run_folder import FileFolder, RunFolder
from harness.runner.spawner import FileProcess, Spawner
from harness.runner.tier_run import Tier, TierOptions, predicted_seconds
from tests.lib.light_spawner import LightSpawner


def planned(name: str, *, isolated: bool = False, selected: bool = True) -> PlannedFile:
    return PlannedFile(
        file=TestFile(name),
        lane=Lane.UNIT,
        estimate_seconds=2.0,
        budget_seconds=60.0,
        isolated_reason="alone" if isolated else None,
        selection=Selection.FULL_ROSTER if selected else Selection.NOT_SELECTED,
    )


@dataclass(frozen=True)
class RefusingSpawner:
    """Starts every file but one."""

    inner: Spawner
    refused: str

    def start(self, file: TestFile, slot: int, folder: FileFolder) -> FileProcess:
        if file == self.refused:
            raise StartError("no process is left")
        return self.inner.start(file, slot, folder)

    def close(self) -> None:
        self.inner.close()


def tier(folder: Path, plan: Plan, events: list[object], refused: str = "") -> Tier:
    options = TierOptions(
        root=folder, slots=2, phase=None, record_path=folder / "record.json", command=("x",),
        tree=TreeState(tree="abc", dirty=False),
    )  # fmt: skip
    return Tier(
        plan, Config(), options, RunFolder.at(folder / "run"), events.append,
        lambda bell: RefusingSpawner(LightSpawner(notify=bell, seconds={}), refused),
    )  # fmt: skip


def plan_of(parallel: list[PlannedFile], isolated: list[PlannedFile]) -> Plan:
    return Plan(
        lane=Lane.UNIT, parallel=tuple(parallel), isolated=tuple(isolated), shard=None,
        roster_hash="r", plan_digest="p", estimates_from="nothing",
    )  # fmt: skip


def test_a_file_that_cannot_be_started_is_crashed_and_the_others_run(tmp_path: Path) -> None:
    plan = plan_of([planned("a"), planned("b")], [planned("c", isolated=True)])
    events: list[object] = []
    record = tier(tmp_path, plan, events, refused="a").run().record
    files = {one.file: one for one in record.files}
    assert [files[name].status for name in "abc"] == [
        Status.CRASHED, Status.PASSED, Status.PASSED,
    ]  # fmt: skip
    assert files["a"].seconds is None
    assert files["a"].attempt == 0
    assert "no process is left" in files["a"].reason
    assert record.complete


def test_observers_hear_of_every_file_between_the_start_and_the_end(tmp_path: Path) -> None:
    events: list[object] = []
    plan = plan_of([planned("a"), planned("b", selected=False)], [])
    record = tier(tmp_path, plan, events).run().record
    assert isinstance(events[0], RunStarted)
    assert events[0].files == 1
    assert isinstance(events[-1], RunEnded)
    assert events[-1].record == record
    assert [event.file for event in events if isinstance(event, FileStarted)] == ["a"]
    ended = [event.record.file for event in events if isinstance(event, FileEnded)]
    assert ended == ["a"]
    assert [(one.file, one.dispatch.value) for one in record.files] == [
        ("a", "dispatched"), ("b", "omitted"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("files", "slots", "seconds"),
    [
        ([], 2, None),
        ([planned("a"), planned("b"), planned("c")], 2, 4.0),
        ([planned("a"), planned("b"), planned("c", isolated=True)], 2, 4.0),
    ],
)
def test_the_prediction_is_that_of_the_slots_and_then_of_what_runs_alone(
    files: list[PlannedFile], slots: int, seconds: float | None
) -> None:
    assert predicted_seconds(files, slots) == seconds

"""Many files: nothing is lost, nothing is called leaked, nothing grows."""

import os
from pathlib import Path

import psutil
import pytest

from harness.config.schema import Config
from harness.model.identifiers import Lane, TestFile
from harness.plan.queue import Plan, PlannedFile
from harness.repository.tree import TreeState
from harness.runner.run_folder import RunFolder
from harness.runner.tier_run import Tier, TierOptions, TierResult
from tests.lib.light_spawner import LightSpawner


def run(folder: Path, names: list[str], slots: int) -> TierResult:
    """Run light files through the real loop, under real wardens."""
    planned = tuple(
        PlannedFile(file=TestFile(name), lane=Lane.UNIT, estimate_seconds=None, budget_seconds=60.0)
        for name in names
    )
    plan = Plan(
        lane=Lane.UNIT, parallel=planned, isolated=(), shard=None, roster_hash="r",
        plan_digest="p", estimates_from="nothing",
    )  # fmt: skip
    options = TierOptions(
        root=folder, slots=slots, phase=None, record_path=folder / "record.json", command=("x",),
        tree=TreeState(tree=None, dirty=None),
    )  # fmt: skip
    with RunFolder.at(folder / "run") as run_folder:
        return Tier(
            plan, Config(), options, run_folder, lambda event: None,
            lambda bell: LightSpawner(notify=bell, seconds={}),
        ).run()  # fmt: skip


@pytest.mark.parametrize("count", [30, pytest.param(1000, marks=pytest.mark.soak)])
@pytest.mark.timeout(600)
def test_many_files_at_eight_slots(count: int, tmp_path: Path) -> None:
    names = [f"test_{number:04}.py" for number in range(count)]
    me = psutil.Process()
    run(tmp_path / "first", names[:8], 8)
    descriptors, rss_bytes = me.num_fds(), me.memory_info().rss
    children = {child.pid for child in me.children(recursive=True)}
    record = run(tmp_path / "second", names, 8).record
    assert [one.file for one in record.files] == names
    assert {one.status for one in record.files} == {"passed"}
    assert {one.leaked for one in record.files} == {()}
    assert {one.slot for one in record.files} == set(range(8))
    assert record.complete
    assert me.num_fds() == descriptors
    assert {child.pid for child in me.children(recursive=True)} == children
    # What is kept of a file is its record: a few kilobytes.
    assert me.memory_info().rss - rss_bytes < 8_000_000 + count * 20_000
    assert len(os.listdir(tmp_path / "second" / "run" / "files")) == count

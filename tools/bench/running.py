"""What a run costs beside the tests: each file's overhead, the makespan, the decisions."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from harness.cli.planning import Estimates, make_plan
from harness.config.schema import Config
from harness.model.dispatch import Begin, Exited, SessionEnded, Started, StartFile
from harness.model.identifiers import Lane, TestFile
from harness.plan.queue import Plan, PlannedFile
from harness.plan.roster import Roster, RosterEntry
from harness.repository.tree import TreeState
from harness.runner.dispatcher import Dispatcher
from harness.runner.run_folder import RunFolder
from harness.runner.tier_run import Tier, TierOptions
from tests.lib.light_spawner import LightSpawner
from tools.bench.samples import Finding, Series

_ROUNDS = 3
_FILES = 6
_SLEEPERS = 40
_SLOTS = 4
_PLANNED = 10_000
_EVENTS = 20_000


def measure() -> Iterator[object]:
    """Yield every figure with its target."""
    yield from _overhead()
    yield from _makespan()
    yield _planning()
    yield _deciding()


def _overhead() -> Iterator[object]:
    alone, within = Series("python -m pytest FILE"), Series("a file of harness run")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "pyproject.toml").touch()
        for number in range(_FILES):
            (folder / f"test_{number}.py").write_text("def test_it(): pass\n")
        harness = [sys.executable, "-m", "harness.cli", "run", "--workers", "1"]
        empty = Series("harness run, before and after its files")
        for _ in range(_ROUNDS):
            for number in range(_FILES):
                alone.add(_seconds([sys.executable, "-m", "pytest", f"test_{number}.py"], folder))
            one = _seconds([*harness, "test_0.py"], folder)
            within.add((_seconds(harness, folder) - one) / (_FILES - 1))
            empty.add(one - within.milliseconds[-1] / 1000)
    yield alone
    yield within
    yield empty
    yield Finding(
        name="a file's overhead over pytest alone",
        value=within.median - alone.median,
        target=80,
        unit="ms",
    )


def _seconds(command: Sequence[str], folder: Path) -> float:
    began = time.perf_counter()
    # A file run spares hypothesis's own import; a comparison of runners is not to count that.
    environment = {**os.environ, "PYTEST_ADDOPTS": "-p no:hypothesispytest"}
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL, env=environment)
    return time.perf_counter() - began


def _makespan() -> Iterator[object]:
    """Files that sleep, so that the slots and not the processors are what is shared."""
    seconds = {f"test_{number:02}.py": 0.5 + 0.1 * (number * 7 % 20) for number in range(_SLEEPERS)}
    planned = tuple(
        PlannedFile(
            file=TestFile(file), lane=Lane.UNIT, estimate_seconds=length, budget_seconds=60.0
        )
        for file, length in sorted(seconds.items(), key=lambda pair: -pair[1])
    )
    plan = Plan(
        lane=Lane.UNIT,
        parallel=planned,
        isolated=(),
        shard=None,
        roster_hash="",
        plan_digest="",
        estimates_from="",
    )
    with tempfile.TemporaryDirectory() as name:
        options = TierOptions(
            root=Path(name),
            slots=_SLOTS,
            phase=None,
            record_path=Path(name) / "record.json",
            command=("bench",),
            tree=TreeState(tree=None, dirty=None),
        )
        with RunFolder.at(Path(name) / "run") as folder:
            result = Tier(
                plan,
                Config(),
                options,
                folder,
                lambda _: None,
                lambda bell: LightSpawner(notify=bell, seconds=seconds),
            ).run()
    took = [one.seconds or 0.0 for one in result.record.files]
    yield f"{_SLEEPERS} files on {_SLOTS} slots: {result.record.seconds:.2f} s"
    yield Finding(
        name="makespan over what the slots could do",
        value=result.record.seconds / max(*took, sum(took) / _SLOTS),
        target=1.05,
        unit="times",
    )


def _planning() -> Finding:
    roster = Roster.of(
        RosterEntry(
            file=TestFile(f"tests/{number % 97}/test_{number}.py"),
            lane=Lane.BROWSER,
            reason="fixture 'page'",
            size_bytes=number,
        )
        for number in range(_PLANNED)
    )
    estimates = Estimates(
        seconds={entry.file: entry.size_bytes / 100 for entry in roster.entries},
        source="",
        basis="",
    )
    began = time.perf_counter()
    make_plan(roster, Config(), Lane.BROWSER, estimates=estimates, shards=16)
    return Finding(
        name=f"planning {_PLANNED} files", value=time.perf_counter() - began, target=5, unit="s"
    )


def _deciding() -> Finding:
    files = tuple(
        PlannedFile(
            file=TestFile(f"test_{number}.py"),
            lane=Lane.UNIT,
            estimate_seconds=None,
            budget_seconds=60.0,
        )
        for number in range(_EVENTS // 3)
    )
    dispatcher = Dispatcher(files, (), 8)
    events = 1
    began = time.perf_counter()
    waiting = [one for one in dispatcher.handle(Begin(at=0.0)) if isinstance(one, StartFile)]
    while waiting:
        file = waiting.pop(0).file
        for event in (Started(file=file, at=0.0), SessionEnded(file=file, at=0.0)):
            dispatcher.handle(event)
        commands = dispatcher.handle(Exited(file=file, at=0.0))
        waiting += [one for one in commands if isinstance(one, StartFile)]
        events += 3
    seconds = time.perf_counter() - began
    return Finding(
        name="time for 5,000 events of the dispatcher",
        value=seconds / events * 5000,
        target=1,
        unit="s",
    )

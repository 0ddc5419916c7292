"""The dispatcher: every file once, whatever happens in whatever order."""

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from harness.model.dispatch import (
    AskEnd,
    Begin,
    Command,
    Event,
    Exited,
    GiveUp,
    KeepTraces,
    NoticeSlow,
    RecordFile,
    SessionEnded,
    SpawnFailed,
    Started,
    StartFile,
    StopRun,
    Tick,
)
from harness.model.identifiers import Lane, TestFile
from harness.plan.queue import PlannedFile
from harness.runner.dispatcher import Bounds, Dispatcher, RunPhase

BOUNDS = Bounds(exit_grace=5.0, show=0.25, grace=5.0, stop_grace=4.0, lost=15.0)


def planned(name: str, *locks: str, isolated: bool = False, budget: float = 100.0) -> PlannedFile:
    return PlannedFile(
        file=TestFile(name),
        lane=Lane.UNIT,
        estimate_seconds=None,
        budget_seconds=budget,
        locks=locks,
        isolated_reason="needs the machine" if isolated else None,
    )


def dispatcher(*files: PlannedFile, slots: int = 2) -> Dispatcher:
    return Dispatcher(
        tuple(one for one in files if one.isolated_reason is None),
        tuple(one for one in files if one.isolated_reason is not None),
        slots,
        BOUNDS,
    )


def start(file: str, slot: int) -> StartFile:
    return StartFile(file=TestFile(file), slot=slot)


def exited(file: str, at: float) -> Exited:
    return Exited(file=TestFile(file), at=at)


def started(file: str, at: float) -> Started:
    return Started(file=TestFile(file), at=at)


def recorded(file: str, slot: int | None, seconds: float | None, **flags: bool) -> RecordFile:
    return RecordFile(file=TestFile(file), slot=slot, seconds=seconds, **flags)


def test_files_start_in_order_on_every_slot_and_the_next_on_the_slot_that_is_free() -> None:
    run = dispatcher(planned("a"), planned("b"), planned("c"))
    assert run.handle(Begin(at=0.0)) == [start("a", 0), start("b", 1)]
    run.handle(started("b", 0.5))
    assert run.handle(exited("b", 2.0)) == [recorded("b", 1, 1.5), start("c", 1)]


def test_isolated_files_wait_for_the_last_parallel_one_and_run_one_by_one() -> None:
    run = dispatcher(planned("a"), planned("x", isolated=True), planned("y", isolated=True))
    assert run.handle(Begin(at=0.0)) == [start("a", 0)]
    phases = [run.phase]
    assert run.handle(exited("a", 1.0)) == [recorded("a", 0, 1.0), start("x", 0)]
    phases.append(run.phase)
    assert run.handle(exited("x", 2.0)) == [recorded("x", 0, 1.0), start("y", 0)]
    assert run.handle(exited("y", 3.0)) == [recorded("y", 0, 1.0)]
    assert [*phases, run.phase] == [RunPhase.DRAIN, RunPhase.ISOLATED, RunPhase.DONE]


def test_a_file_whose_lock_is_held_lets_the_next_one_pass() -> None:
    run = dispatcher(planned("a", "port"), planned("b", "port"), planned("c"))
    assert run.handle(Begin(at=0.0)) == [start("a", 0), start("c", 1)]
    assert run.handle(exited("c", 1.0)) == [recorded("c", 1, 1.0)]
    assert run.handle(exited("a", 2.0)) == [recorded("a", 0, 2.0), start("b", 0)]


def test_a_slow_file_is_noticed_at_three_fifths_of_its_budget_and_ended_after_it() -> None:
    run = dispatcher(planned("a", budget=10.0))
    run.handle(Begin(at=0.0))
    run.handle(started("a", 1.0))
    assert run.next_deadline() == 7.0
    assert run.handle(Tick(at=7.0)) == [NoticeSlow(file=TestFile("a"), seconds=6.0)]
    assert run.next_deadline() == 11.0
    assert run.handle(Tick(at=11.0)) == [KeepTraces(file=TestFile("a"))]
    assert run.handle(Tick(at=11.25)) == [AskEnd(file=TestFile("a"), grace_seconds=5.0)]
    assert run.handle(exited("a", 12.0)) == [recorded("a", 0, 11.0, budget_spent=True)]


def test_a_process_that_does_not_end_after_its_last_test_has_a_grace_of_its_own() -> None:
    run = dispatcher(planned("a"))
    run.handle(Begin(at=0.0))
    run.handle(started("a", 0.0))
    assert run.handle(SessionEnded(file=TestFile("a"), at=2.0)) == []
    assert run.handle(Tick(at=7.0)) == [KeepTraces(file=TestFile("a"))]
    run.handle(Tick(at=7.25))
    assert run.handle(exited("a", 8.0)) == [recorded("a", 0, 8.0, exit_grace_spent=True)]


def test_the_grace_after_the_last_test_does_not_widen_the_budget() -> None:
    run = dispatcher(planned("a", budget=10.0))
    run.handle(Begin(at=0.0))
    run.handle(started("a", 0.0))
    run.handle(SessionEnded(file=TestFile("a"), at=9.0))
    run.handle(Tick(at=10.0))
    run.handle(Tick(at=10.25))
    assert run.handle(exited("a", 11.0)) == [recorded("a", 0, 11.0, budget_spent=True)]


def test_a_stop_records_what_waits_and_ends_what_runs() -> None:
    run = dispatcher(planned("a"), planned("b"), planned("x", isolated=True), slots=1)
    run.handle(Begin(at=0.0))
    run.handle(started("a", 0.0))
    assert run.handle(StopRun(at=1.0)) == [
        recorded("b", None, None, told_to_stop=True),
        recorded("x", None, None, told_to_stop=True),
        KeepTraces(file=TestFile("a")),
        AskEnd(file=TestFile("a"), grace_seconds=4.0),
    ]
    assert run.handle(StopRun(at=2.0)) == [AskEnd(file=TestFile("a"), grace_seconds=0.0)]
    assert run.handle(exited("a", 2.5)) == [recorded("a", 0, 2.5, told_to_stop=True)]
    assert run.done


def test_a_stop_does_not_hide_a_timeout_that_came_first() -> None:
    run = dispatcher(planned("a", budget=10.0))
    run.handle(Begin(at=0.0))
    run.handle(started("a", 0.0))
    run.handle(Tick(at=10.0))
    assert run.handle(StopRun(at=10.1)) == [AskEnd(file=TestFile("a"), grace_seconds=4.0)]
    assert run.handle(exited("a", 11.0)) == [recorded("a", 0, 11.0, budget_spent=True)]


def test_a_process_whose_end_nobody_confirms_is_given_up() -> None:
    run = dispatcher(planned("a", budget=10.0))
    run.handle(Begin(at=0.0))
    run.handle(started("a", 0.0))
    run.handle(Tick(at=10.0))
    run.handle(Tick(at=10.25))
    assert run.next_deadline() == 30.25
    assert run.handle(Tick(at=30.25)) == [GiveUp(file=TestFile("a"))]
    assert run.handle(exited("a", 31.0)) == [recorded("a", 0, 31.0, budget_spent=True)]


def test_a_file_that_cannot_be_started_gives_its_slot_to_the_next() -> None:
    run = dispatcher(planned("a"), planned("b"), slots=1)
    run.handle(Begin(at=0.0))
    failed = SpawnFailed(file=TestFile("a"), at=0.5)
    assert run.handle(failed) == [recorded("a", 0, 0.5), start("b", 0)]


def test_a_run_of_nothing_is_done_at_once() -> None:
    run = dispatcher()
    assert not run.done
    assert run.handle(Begin(at=0.0)) == []
    assert run.done


def test_what_is_said_twice_counts_once() -> None:
    run = dispatcher(planned("a"))
    run.handle(Begin(at=0.0))
    run.handle(started("a", 0.0))
    assert run.handle(exited("a", 1.0)) == [recorded("a", 0, 1.0)]
    assert run.handle(exited("a", 1.0)) == []
    assert run.handle(SessionEnded(file=TestFile("a"), at=1.0)) == []
    assert run.handle(started("a", 1.0)) == []


class AnyOrder(RuleBasedStateMachine):
    """Whatever is said in whatever order, a file starts at most once and is recorded once."""

    def __init__(self) -> None:
        super().__init__()
        self.at = 0.0
        self.commands: list[Command] = []
        self.running: set[TestFile] = set()
        self.held: dict[TestFile, frozenset[str]] = {}

    @initialize(
        locks=st.lists(st.sets(st.sampled_from(["x", "y"])), max_size=8),
        isolated=st.integers(0, 3),
        slots=st.integers(1, 3),
    )
    def begin(self, locks: list[set[str]], isolated: int, slots: int) -> None:
        parallel = [planned(f"p{n}", *sorted(one), budget=10.0) for n, one in enumerate(locks)]
        alone = [planned(f"i{n}", isolated=True, budget=10.0) for n in range(isolated)]
        self.plan = {one.file: one for one in [*parallel, *alone]}
        self.slots = slots
        self.run = dispatcher(*parallel, *alone, slots=slots)
        self.say(Begin(at=self.at))

    def say(self, event: Event) -> None:
        for command in self.run.handle(event):
            self.commands.append(command)
            if isinstance(command, StartFile):
                held = {lock for one in self.running for lock in self.plan[one].locks}
                assert held.isdisjoint(self.plan[command.file].locks)
                if self.plan[command.file].isolated_reason:
                    assert not self.running
                else:
                    assert not any(self.plan[one].isolated_reason for one in self.running)
                self.running.add(command.file)
                assert len(self.running) <= self.slots
            elif isinstance(command, RecordFile):
                self.running.discard(command.file)

    @rule(seconds=st.sampled_from([0.0, 0.25, 1.0, 6.0, 20.0]))
    def time_passes(self, seconds: float) -> None:
        self.at += seconds
        self.say(Tick(at=self.at))

    @precondition(lambda self: self.plan)
    @rule(data=st.data(), kind=st.sampled_from([Started, Exited, SessionEnded, SpawnFailed]))
    def something_happens(self, data: st.DataObject, kind: type) -> None:
        file = data.draw(st.sampled_from(sorted(self.plan)))
        self.say(kind(file=file, at=self.at))

    @rule()
    def it_is_stopped(self) -> None:
        self.say(StopRun(at=self.at))

    @invariant()
    def nothing_is_started_or_recorded_twice(self) -> None:
        for kind in (StartFile, RecordFile):
            seen = Counter(one.file for one in self.commands if isinstance(one, kind))
            assert all(count == 1 for count in seen.values())

    def teardown(self) -> None:
        for _ in range(2 * len(getattr(self, "plan", {})) + 1):
            for file in sorted(self.running):
                self.say(Exited(file=file, at=self.at))
        recorded_files = [one.file for one in self.commands if isinstance(one, RecordFile)]
        assert sorted(recorded_files) == sorted(getattr(self, "plan", {}))
        assert not hasattr(self, "run") or self.run.done


AnyOrder.TestCase.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)
TestAnyOrder = AnyOrder.TestCase


@given(
    lengths=st.lists(st.integers(1, 50), max_size=12),
    slots=st.integers(1, 4),
)
def test_no_slot_waits_while_a_file_could_run(lengths: list[int], slots: int) -> None:
    files = [planned(f"f{number:02}") for number in range(len(lengths))]
    ends: dict[TestFile, float] = {}
    run = dispatcher(*files, slots=slots)
    at = 0.0
    commands = run.handle(Begin(at=at))
    waiting = len(files)
    while not run.done:
        for command in commands:
            if isinstance(command, StartFile):
                ends[command.file] = at + lengths[int(command.file[1:])]
                waiting -= 1
        assert len(ends) == min(slots, len(ends) + waiting)
        file = min(ends, key=lambda one: (ends[one], one))
        at = ends.pop(file)
        commands = run.handle(Exited(file=file, at=at))
    assert waiting == 0

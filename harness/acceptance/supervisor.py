"""Runs the worker under a warden, hears what it finds, and ends it when the time is over."""

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from harness.acceptance import news
from harness.acceptance.check import Finding, Phase, Result
from harness.acceptance.report import Front, Outcome, Report, outcome_of
from harness.acceptance.verdict import Verdict, verdict_of
from harness.errors import ExitCode, HarnessError
from harness.process.client import Family
from harness.process.names import signal_name
from harness.process.signals import SignalReceiver
from harness.process.spec import FamilySpec, new_scratch
from harness.repository.tree import tree_state

# What the worker gets to close its page and server in good order when the time is over.
_GRACE_SECONDS = 0.5
Hear = Callable[[news.News], None]


class StoppedBySignal(HarnessError):
    """The run was told to stop; everything that it started is ended."""

    def __init__(self, number: int) -> None:
        super().__init__(f"stopped by {signal_name(number)}; nothing is certified")
        self.exit_code = ExitCode(128 + number)


class Findings:
    """What the worker has told so far."""

    def __init__(self) -> None:
        self.planned: tuple[tuple[str, str, str], ...] = ()
        self.front = Front()
        self.outcomes: dict[str, Outcome] = {}
        self.running: tuple[str, float] | None = None
        self.stopped: news.Stopped | None = None
        self.picture: bytes | None = None
        self.done = False

    def take(self, one: news.News) -> None:
        """Take in one piece of news."""
        match one:
            case news.Planned():
                self.planned = one.checks
            case news.FrontSeen():
                self.front = one.front
            case news.Began():
                self.running = (one.check, time.monotonic())
            case news.Ended():
                self.outcomes[one.outcome.check] = one.outcome
                self.running = None
            case news.Pictured():
                self.picture = one.png
            case news.Stopped():
                self.stopped = one
            case news.Done():
                self.done = True


def accept(
    project: Path,
    *,
    timeout_seconds: float,
    hear: Hear,
    only: tuple[str, ...] = (),
    picture: bool = False,
) -> tuple[Report, bytes | None]:
    """Run `accept` for `project`; return the report and the picture of the page, when asked.

    Ends within `timeout_seconds` and the few seconds that proving the end may take: what has not
    ended by then is unknown, with its measured seconds. `hear` is called with every piece of news
    as it comes. On return, and when a signal raises StoppedBySignal, nothing that was started is
    left. Raises OwnershipError when that cannot be proven.
    """
    began = time.monotonic()
    identifier, scratch = new_scratch()
    job = news.Job(
        project=str(project),
        scratch=str(scratch / "data"),
        deadline=began + timeout_seconds,
        only=only,
        picture=picture,
    )
    findings = Findings()
    state = tree_state(project)
    with _signals_raise():
        family = Family(
            FamilySpec(
                label="the checks of accept",
                command=[sys.executable, "-m", "harness.acceptance.worker",
                         msgspec.json.encode(job).decode()],
                environment={**os.environ, "PYTHONPATH": _import_path()},
                directory=str(project),
                scratch=identifier,
                side_pipe=True,
            )
        )  # fmt: skip
        try:
            _hear_all(family, findings, hear, began + timeout_seconds)
        finally:
            family.end(grace_seconds=_GRACE_SECONDS if findings.done else 0.0)
    seconds = time.monotonic() - began
    outcomes = _with_unfinished(findings, family, timeout_seconds, seconds)
    verdict, fault = _judge(findings, family, outcomes, selected=bool(only))
    report = Report(
        tree=state.tree,
        tree_dirty=state.dirty,
        front=findings.front,
        checks=tuple(outcomes),
        seconds=round(seconds, 3),
        limit_seconds=timeout_seconds,
        selected=only,
        verdict=verdict.words,
        exit_code=int(verdict.exit_code),
        fault=fault,
    )
    return report, findings.picture


def _hear_all(family: Family, findings: Findings, hear: Hear, deadline: float) -> None:
    """Take in news until the worker has said its last, has ended, or the time is over."""
    taken = 0

    def fresh_line() -> bool:
        return b"\n" in family.side_data[taken:] or family.leader_status is not None

    while not findings.done and findings.stopped is None:
        if not family.wait_for(fresh_line, max(0.0, deadline - time.monotonic())):
            return
        end = family.side_data.find(b"\n", taken)
        if end < 0:
            return
        one = news.decode(bytes(family.side_data[taken:end]))
        taken = end + 1
        findings.take(one)
        hear(one)


def _with_unfinished(
    findings: Findings, family: Family, limit: float, seconds: float
) -> list[Outcome]:
    """Return an outcome for every planned check, also for those that did not come to an end."""
    outcomes = []
    over = f"the {limit:g} s of accept were over"
    if family.leader_status is not None and not findings.done and seconds < limit:
        over = "the process of the checks ended before it"
    for name, phase, title in findings.planned:
        if name in findings.outcomes:
            outcomes.append(findings.outcomes[name])
            continue
        ran = 0.0
        measured = f"it did not begin: {over}"
        if findings.running is not None and findings.running[0] == name:
            ran = time.monotonic() - findings.running[1]
            measured = f"it did not end, after {ran:.1f} s: {over}"
        result = Result(
            finding=Finding.UNKNOWN,
            measured=measured,
            next="raise --timeout or tool.harness.accept.timeout, or see what hangs",
        )
        outcomes.append(outcome_of(name, Phase(phase), title, result, ran))
    return outcomes


def _judge(
    findings: Findings, family: Family, outcomes: list[Outcome], *, selected: bool
) -> tuple[Verdict, str]:
    if findings.stopped is not None:
        code = ExitCode(findings.stopped.exit_code)
        words = "FAILED" if code is ExitCode.FAILED else "NOT MEASURED"
        return Verdict(words=words, exit_code=code), findings.stopped.message
    if findings.done or findings.planned:
        return verdict_of(outcomes, findings.front, selected=selected), ""
    said = family.output.last_lines()
    how = family.ended_as() or "has said nothing in time"
    return (
        Verdict(words="NOT MEASURED", exit_code=ExitCode.FAULT),
        f"the process of the checks {how}{': ' + said if said else ''}",
    )


@contextmanager
def _signals_raise() -> Iterator[None]:
    def unwind(number: int) -> None:
        raise StoppedBySignal(number)

    receiver = SignalReceiver(unwind)
    receiver.install()
    try:
        yield
    except KeyboardInterrupt:
        # Python's own handler for SIGINT comes before `unwind`.
        raise StoppedBySignal(receiver.received or 2) from None
    finally:
        receiver.restore()


def _import_path() -> str:
    """Return what lets the worker import the harness as it is imported here."""
    parent = str(Path(__file__).resolve().parents[2])
    given = os.environ.get("PYTHONPATH")
    return f"{given}{os.pathsep}{parent}" if given else parent

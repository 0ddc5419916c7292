"""Run steps one after the other: one line each, the whole output of a failure, a table at the end.

A step is a child process in a session of its own, so that a stop signal reaches it once and
through this process only. It never outlives the step: a stop signal or a bound ends it.
"""

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import IO, Any

_STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
# A test run needs the time to end what it owns; the last rung is SIGKILL.
_ENDING_SECONDS = ((signal.SIGINT, 30.0), (signal.SIGTERM, 10.0))
_NAME_WIDTH = 28


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One command. A streamed step shows its output as it comes, another only when it fails."""

    name: str
    command: tuple[str, ...]
    streamed: bool = False
    timeout_seconds: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a step ended. `result` is `ok` exactly when it passed."""

    name: str
    result: str
    seconds: float

    @property
    def passed(self) -> bool:
        return self.result == "ok"

    def __str__(self) -> str:
        return f"{self.name:<{_NAME_WIDTH}}{self.result:<24}{self.seconds:8.1f} s"


class Stopped(BaseException):
    """A stop signal came. `exit_code` is 128 + its number."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.exit_code = 128 + number


class StopSignals:
    """While entered, SIGINT, SIGTERM and SIGHUP raise `Stopped`, but only inside `raising()`.

    Outside of it they are kept for the next `raising()`: a child that was just started is never
    lost between its start and the wait for its end.
    """

    def __init__(self) -> None:
        self._pending: int | None = None
        self._raising = False
        self._previous: dict[int, Any] = {}

    def __enter__(self) -> "StopSignals":
        for number in _STOP_SIGNALS:
            # Under nohup a hang-up is meant to be ignored; an ignored SIGINT is only what a
            # shell gives its background jobs.
            if number == signal.SIGHUP and signal.getsignal(number) == signal.SIG_IGN:
                continue
            self._previous[number] = signal.signal(number, self._received)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._previous.items():
            signal.signal(number, handler)

    def _received(self, number: int, _frame: FrameType | None) -> None:
        if self._raising:
            raise Stopped(number)
        self._pending = number

    @contextlib.contextmanager
    def raising(self) -> Iterator[None]:
        self._raising = True
        try:
            if self._pending is not None:
                number, self._pending = self._pending, None
                raise Stopped(number)
            yield
        finally:
            self._raising = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Pipeline:
    """Runs steps in `folder` with `environment`. Raises Stopped after the child has ended."""

    folder: Path
    environment: Mapping[str, str]
    signals: StopSignals
    now: Callable[[], float] = time.monotonic

    def run(self, step: Step) -> Outcome:
        """Run one step and print its line; a step that cannot be started is an outcome too."""
        if step.streamed:
            print(f"== {step.name}", flush=True)
        else:
            print(f"{step.name:<{_NAME_WIDTH}}", end="", flush=True)
        started = self.now()
        # A file, not a pipe: a grandchild that stays behind cannot hold it open.
        with tempfile.TemporaryFile() as output:
            result = self._result(step, None if step.streamed else output)
            outcome = Outcome(name=step.name, result=result, seconds=self.now() - started)
            line = str(outcome)
            print(line if step.streamed else line[_NAME_WIDTH:], flush=True)
            if not outcome.passed:
                output.seek(0)
                print(output.read().decode(errors="replace"), end="", flush=True)
        return outcome

    def run_all(self, steps: Sequence[Step]) -> tuple[Outcome, ...]:
        """Run every step, also after one that failed."""
        return tuple(self.run(step) for step in steps)

    def ask(self, command: Sequence[str], *, timeout_seconds: float) -> tuple[int | None, str]:
        """Return the exit status and all output of a quiet command; None when it gave none."""
        with tempfile.TemporaryFile() as output:
            try:
                status = self._run(command, output, timeout_seconds)
            except (OSError, subprocess.TimeoutExpired) as error:
                return None, str(error)
            output.seek(0)
            return status, output.read().decode(errors="replace")

    def _result(self, step: Step, output: IO[bytes] | None) -> str:
        try:
            status = self._run(step.command, output, step.timeout_seconds)
        except subprocess.TimeoutExpired:
            return f"not over after {step.timeout_seconds:g} s"
        except OSError as error:
            return f"cannot start: {error}"
        if status < 0:
            return f"ended by {signal.Signals(-status).name}"
        return "ok" if status == 0 else f"exit {status}"

    def _run(
        self, command: Sequence[str], output: IO[bytes] | None, timeout_seconds: float | None
    ) -> int:
        child = subprocess.Popen(
            command,
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=None if output is None else subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            with self.signals.raising():
                return child.wait(timeout_seconds)
        finally:
            self._end(child)

    def _end(self, child: subprocess.Popen[bytes]) -> None:
        """Return when the child has been reaped; a second stop signal shortens the wait."""
        for number, grace_seconds in _ENDING_SECONDS:
            if child.returncode is not None:
                return
            _signal_group(child, number)
            with (
                contextlib.suppress(subprocess.TimeoutExpired, Stopped),
                self.signals.raising(),
            ):
                child.wait(grace_seconds)
        if child.returncode is None:
            _signal_group(child, signal.SIGKILL)
            child.wait()


def _signal_group(child: subprocess.Popen[bytes], number: int) -> None:
    # macOS answers EPERM for a group whose only member is a zombie.
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, number)


def summary(outcomes: Sequence[Outcome]) -> str:
    """Return the table of all steps, and a closing line that names the failed ones."""
    failed = [outcome.name for outcome in outcomes if not outcome.passed]
    closing = f"failed: {', '.join(failed)}" if failed else "every step passed"
    return "\n".join(["", *map(str, outcomes), closing])


def exit_code(outcomes: Sequence[Outcome]) -> int:
    """Return 0 when every step passed and there was one, else 1."""
    return 0 if outcomes and all(outcome.passed for outcome in outcomes) else 1


def child_environment(
    environment: Mapping[str, str], *, programs: Path, is_terminal: bool
) -> dict[str, str]:
    """Return the environment of a step: `programs` first on PATH, colours only on a terminal."""
    path = os.pathsep.join(filter(None, [str(programs), environment.get("PATH")]))
    # lint-imports draws with characters that the C locale cannot encode.
    child = {**environment, "PATH": path, "PYTHONUTF8": "1"}
    if not is_terminal:
        for forced in ("FORCE_COLOR", "CLICOLOR_FORCE", "PY_COLORS", "MYPY_FORCE_COLOR"):
            child.pop(forced, None)
        child["NO_COLOR"] = "1"
    return child


def speak_plainly() -> None:
    """Let no character of a child's output fail the printing of it."""
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="replace")

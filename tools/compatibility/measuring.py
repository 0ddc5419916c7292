"""Run one suite alternately without and with the plugin, each run bounded, with its progress."""

import contextlib
import fcntl
import os
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from tools.compatibility.outcomes import RecordError, Run, compare, read_record
from tools.compatibility.plugin.compatibility_browser import BROWSER
from tools.compatibility.plugin.compatibility_recorder import RECORD
from tools.compatibility.preparing import Prepared, prepare
from tools.compatibility.report import Measured
from tools.compatibility.suites import Suite
from tools.pipeline import Pipeline, StopSignals, child_environment

_RECORDER = "compatibility_recorder"
_PLUGINS = Path(__file__).resolve().parent / "plugin"
_PROGRESS_SECONDS = 20.0
_QUESTION_SECONDS = 120.0
# What would let the caller's own setting reach a stranger's suite.
_REMOVED = ("PYTEST_ADDOPTS", "PYTEST_PLUGINS", "PYTHONPATH", "CI", "HARNESS_CHROMIUM")
_ASK_VERSIONS = """
from importlib.metadata import version
for name in ("lanewright", "playwright", "pytest", "pytest-playwright"):
    print(f"{name} {version(name)}")
"""


class CannotCompare(Exception):
    """A run did not reach its end, or selected nothing; the message names its log."""


def measure(
    suite: Suite,
    *,
    folder: Path,
    lanewright: Path,
    browser: Path,
    rounds: int,
    signals: StopSignals,
    lock: Path | None = None,
) -> Measured:
    """Return what `rounds` runs of each kind, taken in turns, say of the suite.

    The file `lock` is locked during each run, and waiting for it is not counted.

    Raises CannotBeHad, CannotCompare, or Stopped after the running child has ended.
    """
    folder.mkdir(parents=True, exist_ok=True)
    plain = Pipeline(folder=folder, environment=dict(os.environ), signals=signals)
    prepared = prepare(suite, folder, lanewright, plain)
    (folder / "pytest.ini").write_text(suite.ini, encoding="utf-8")
    without: list[Run] = []
    with_plugin: list[Run] = []
    for turn in range(1, rounds + 1):
        for kind, runs in (("without", without), ("with", with_plugin)):
            title = f"{suite.name}: {kind}, run {turn} of {rounds}"
            log = folder / f"{kind}-{turn}"
            with _alone(lock, title, signals):
                run = _run_once(
                    suite, prepared, log, title, browser, signals, plugin=kind == "with"
                )
            runs.append(run)
            print(f"{title}: {_words(run)}, {run.seconds:.1f} s", flush=True)
    _, versions = plain.ask(
        (str(prepared.python), "-c", _ASK_VERSIONS), timeout_seconds=_QUESTION_SECONDS
    )
    return Measured(
        suite=suite,
        comparison=compare(without, with_plugin),
        date=datetime.now(UTC).date().isoformat(),
        versions=tuple(versions.split("\n")[:-1]),
        seconds_without=tuple(run.seconds for run in without),
        seconds_with=tuple(run.seconds for run in with_plugin),
    )


def _run_once(
    suite: Suite,
    prepared: Prepared,
    log: Path,
    title: str,
    browser: Path,
    signals: StopSignals,
    *,
    plugin: bool,
) -> Run:
    record = log.with_suffix(".jsonl")
    record.write_text("", encoding="utf-8")
    environment = child_environment(
        {name: value for name, value in os.environ.items() if name not in _REMOVED}
        | {"PYTHONPATH": str(_PLUGINS), RECORD: str(record), BROWSER: str(browser)},
        programs=prepared.python.parent,
        is_terminal=False,
    )
    pipeline = Pipeline(folder=log.parent, environment=environment, signals=signals)
    started = time.monotonic()
    with _telling_progress(title, record):
        status, output = pipeline.ask(
            command_of(suite, prepared, log.parent, plugin=plugin),
            timeout_seconds=suite.bound_seconds,
        )
    seconds = time.monotonic() - started
    written = log.with_suffix(".log")
    written.write_text(output, encoding="utf-8", errors="backslashreplace")
    if status is None:
        raise CannotCompare(f"{title}: not over after {suite.bound_seconds:g} s, see {written}")
    try:
        run = read_record(record.read_text(encoding="utf-8").splitlines(), seconds=seconds)
    except RecordError as error:
        raise CannotCompare(
            f"{title}: {error}; pytest ended with {status}, see {written}"
        ) from None
    if not run.outcomes:
        raise CannotCompare(f"{title}: no test was run, see {written}")
    return run


def command_of(suite: Suite, prepared: Prepared, folder: Path, *, plugin: bool) -> tuple[str, ...]:
    """Return the command of one run; the two kinds differ in nothing but `-p no:lanewright`."""
    places = {"source": str(prepared.source), "site": str(prepared.site)}
    arguments = [word.format(**places) for word in (*suite.arguments, *suite.tests)]
    if suite.ini:
        arguments = ["-c", str(folder / "pytest.ini"), *arguments]
    return (
        *(str(prepared.python), "-m", "pytest", "-p", _RECORDER, "-p", "no:cacheprovider"),
        *(() if plugin else ("-p", "no:lanewright")),
        *("-ra", f"--output={folder / 'test-results'}", *arguments),
    )


@contextlib.contextmanager
def _alone(lock: Path | None, title: str, signals: StopSignals) -> Iterator[None]:
    if lock is None:
        yield
        return
    with lock.open("a") as held:
        print(f"{title}: waiting for {lock}", flush=True)
        with signals.raising():
            fcntl.flock(held, fcntl.LOCK_EX)
        yield


@contextlib.contextmanager
def _telling_progress(title: str, record: Path) -> Iterator[None]:
    """Say every now and then how many tests are over."""
    over = threading.Event()

    def tell() -> None:
        started = time.monotonic()
        while not over.wait(_PROGRESS_SECONDS):
            done = record.read_text(encoding="utf-8").count('"when": "teardown"')
            print(f"{title}: {done} tests in {time.monotonic() - started:.0f} s", flush=True)

    teller = threading.Thread(target=tell, daemon=True)
    teller.start()
    try:
        yield
    finally:
        over.set()
        teller.join()


def _words(run: Run) -> str:
    return ", ".join(f"{count} {name}" for name, count in run.counts().items() if count)

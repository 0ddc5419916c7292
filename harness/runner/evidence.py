"""Why a file is not `passed`, within a bound: from its events, its output and its stacks."""

import os
import re
from collections.abc import Iterable
from pathlib import Path

from harness.model.status import Cause, Status
from harness.process.output import printable
from harness.records.derive_status import Derived, failing
from harness.records.file_events import CollectionFailed, FileLog, InternalError
from harness.records.tier_record import FailureEvidence, Section
from harness.runner.run_folder import FileFolder

_SECTIONS = 3
_LINES = 20
_WIDTH = 240
_TAIL_LINES = 12
_TAIL_BYTES = 65536
_ARTEFACTS = 40
_FRAME_OF_PYTEST = re.compile(r"/(_pytest|pluggy|pytest)/|<frozen runpy>")
_HEADER = re.compile(
    r"=+ test session starts =+$|(platform|rootdir:|configfile:|plugins:|benchmark:|cachedir:"
    r"|testpaths:|timeout( method| func_only)?:|baseurl:|asyncio:) "
)
_TIMEOUT_BANNER = re.compile(rb"^\++ Timeout \++\s*$", re.MULTILINE)


def evidence_of(
    derived: Derived, log: FileLog, folder: FileFolder | None
) -> FailureEvidence | None:
    """Return the evidence of a file that did not pass, None for one that passed or is empty."""
    if derived.cause is None:
        return None
    return FailureEvidence(
        cause=derived.cause,
        test=derived.test,
        sections=tuple(_sections(derived, log, folder)),
        tail=_tail(folder) if folder and _needs_tail(derived, log) else (),
    )


def _needs_tail(derived: Derived, log: FileLog) -> bool:
    return derived.cause is not Cause.TEST or not failing(log)


def _sections(derived: Derived, log: FileLog, folder: FileFolder | None) -> Iterable[Section]:
    found = [Section(test=one.id, lines=one.lines[:_LINES]) for one in failing(log)]
    for event in log.events:
        if isinstance(event, CollectionFailed):
            found.append(Section(test=event.id, lines=event.lines[-_LINES:]))
        elif isinstance(event, InternalError):
            found.append(Section(test="pytest itself", lines=event.lines[-_LINES:]))
    if derived.status in (Status.TIMEOUT, Status.INTERRUPTED) and folder:
        stack = _main_stack(folder.stacks)
        if stack:
            title = derived.test or "after the last test"
            found.insert(0, Section(test=title, lines=stack))
    return found[:_SECTIONS]


def _main_stack(path: Path) -> tuple[str, ...]:
    """Return the stack of the main thread, newest call first, without the runner's own frames.

    faulthandler writes the main thread last.
    """
    text = _end_of(path).decode("utf-8", "backslashreplace")
    lines = [line for line in text.rpartition("\n\n")[2].splitlines() if line.strip()]
    return tuple(_shown(line) for line in lines if not _FRAME_OF_PYTEST.search(line))[:_LINES]


def _tail(folder: FileFolder) -> tuple[str, ...]:
    """Return the last lines that it printed; what pytest had captured comes last."""
    data = _end_of(folder.output) + b"\n" + _end_of(folder.captured)
    lines = data.decode("utf-8", "backslashreplace").splitlines()
    telling = [one for one in lines if one.strip() and not _HEADER.match(one)]
    return tuple(_shown(line) for line in telling[-_TAIL_LINES:])


def _shown(line: str) -> str:
    return printable(line[: 4 * _WIDTH]).replace("\n", " ")[:_WIDTH]


def last_line(path: Path) -> str:
    """Return the last line that a file run has printed so far; empty when there is none."""
    text = _end_of(path).decode("utf-8", "backslashreplace")
    lines = [line for line in text.splitlines() if line.strip()]
    return _shown(lines[-1]) if lines else ""


def _end_of(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            file.seek(max(0, size - _TAIL_BYTES))
            return file.read(_TAIL_BYTES)
    except OSError:
        return b""


def timed_out_by_plugin(folder: FileFolder) -> bool:
    """Tell whether pytest-timeout's thread method has ended the process, by its own banner."""
    return _TIMEOUT_BANNER.search(_end_of(folder.output)) is not None


def artefacts_of(folder: FileFolder, base: Path) -> tuple[str, ...]:
    """Return what a file run has kept; bounded, in order of path.

    A path below `base` is relative to it, any other is absolute.
    """
    files = [folder.output, folder.captured, folder.stacks]
    found = [path for path in files if path.exists() and path.stat().st_size]
    if folder.artefacts.is_dir():
        found += sorted(path for path in folder.artefacts.rglob("*") if path.is_file())
    return tuple(_plain(path, base) for path in found[:_ARTEFACTS])


def _plain(path: Path, base: Path) -> str:
    text = os.fspath(path.relative_to(base) if path.is_relative_to(base) else path)
    return text.encode("utf-8", "backslashreplace").decode()

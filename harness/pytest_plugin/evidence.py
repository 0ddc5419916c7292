"""The evidence of a failing browser test, in the terminal and beside it."""

import contextlib
import os
from collections.abc import Generator, Iterable
from pathlib import Path

import pytest
from playwright.sync_api import Error, Page
from slugify import slugify

from harness.browser.chromium import Liveness
from harness.browser.recorder import Recorder
from harness.model.identifiers import Lane
from harness.process.load import read_load
from harness.pytest_plugin.browser_fixtures import pool_of
from harness.pytest_plugin.pool import BrowserPool
from harness.pytest_plugin.session import output_folder

SECTION = "lanewright evidence"
_SHOWN = 10
_PICTURE_MILLISECONDS = 3000


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add evidence to a failed setup or call, while the page is still there to be asked."""
    report = yield
    if report.failed and report.when in ("setup", "call") and _drives_a_browser(item):
        try:
            text = gather(item, call, pool_of(item.config))
        except Exception as error:
            text = f"could not be gathered: {type(error).__name__}: {error}"
        report.sections.append((SECTION, text))
    return report


def _drives_a_browser(item: pytest.Item) -> bool:
    return item.get_closest_marker(Lane.BROWSER.value) is not None or bool(
        pool_of(item.config).recorder.pages
    )


def gather(item: pytest.Item, call: pytest.CallInfo[None], pool: BrowserPool) -> str:
    """Return what is known of the page at the moment of failure, in lines; bounded."""
    recorder = pool.recorder
    lines = [f"assertion: {_first_line(call)}", f"last URL: {recorder.last_url() or 'none'}"]
    errors = [entry for entry in recorder.console if entry.kind == "error"]
    lines += _listed("console errors", (f"{entry.text} ({entry.where})" for entry in errors))
    lines += _listed("page errors", recorder.page_errors)
    failed = [str(entry) for entry in recorder.requests if entry.failed]
    lines += _listed("failed requests", failed)
    alive = True
    for chromium in pool.living():
        how = chromium.died()
        state = chromium.liveness() if how is None else Liveness.DEAD
        alive = alive and state is Liveness.RESPONSIVE
        lines.append(f"browser: Chromium pid {chromium.pid}, {how or state}")
    lines.append(f"picture: {_picture(item, recorder) if alive else 'none, no browser answers'}")
    lines.append(f"machine: {read_load()}")
    return "\n".join(line.encode("utf-8", "backslashreplace").decode() for line in lines)


def _first_line(call: pytest.CallInfo[None]) -> str:
    if call.excinfo is None:
        return "none"
    text = str(call.excinfo.value).strip()
    kind = call.excinfo.typename
    return f"{kind}: {text.splitlines()[0][:300]}" if text else kind


def _listed(title: str, rows: Iterable[str]) -> list[str]:
    found = list(rows)
    if not found:
        return [f"{title}: none"]
    shown = [f"  {row}" for row in found[-_SHOWN:]]
    more = [f"  ... and {len(found) - _SHOWN} before"] if len(found) > _SHOWN else []
    return [f"{title} ({len(found)}):", *more, *shown]


def _picture(item: pytest.Item, recorder: Recorder) -> str:
    """Photograph every open page, newest first; return the paths, or why there is none."""
    pages = recorder.pages
    if not pages:
        return "none, no page was open"
    folder = output_folder(item.config, slugify(item.nodeid)[:200])
    taken = [_photograph(page, folder, number) for number, page in enumerate(reversed(pages[-3:]))]
    return ", ".join(taken)


def _photograph(page: Page, folder: Path, number: int) -> str:
    path = folder / (f"evidence-{number}.png" if number else "evidence.png")
    try:
        page.screenshot(path=path, timeout=_PICTURE_MILLISECONDS)
    except Error as error:
        return f"none ({error.message.splitlines()[0]})"
    with contextlib.suppress(ValueError):
        return str(path.relative_to(Path.cwd()))
    return os.fspath(path)

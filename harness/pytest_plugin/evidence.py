"""The evidence of a failing browser test, in the terminal and beside it."""

import contextlib
import os
from collections.abc import Generator, Iterable
from pathlib import Path

import pytest
from playwright.sync_api import Error, Page
from slugify import slugify

from harness.browser.chromium import Liveness
from harness.browser.recorder import KEPT, Recorder
from harness.model.identifiers import Lane
from harness.process.load import read_load
from harness.process.output import printable
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
    alive = True
    browsers = []
    for chromium in pool.living():
        how = chromium.died()
        state = chromium.liveness() if how is None else Liveness.DEAD
        alive = alive and state is Liveness.RESPONSIVE
        browsers.append(f"browser: Chromium pid {chromium.pid}, {how or state}")
    # First, since taking it lets Playwright deliver what the page has said meanwhile.
    picture = _picture(item, recorder) if alive else "none, no browser answers"
    lines = [
        f"assertion: {_first_line(call)}",
        f"last URL: {printable(recorder.last_url() or 'none')}",
    ]
    if not recorder.watches:
        lines.append("the suite's own browser is not watched: nothing below was recorded")
    lines += _listed(
        "console errors", (f"{entry.text} ({entry.where})" for entry in recorder.console_errors)
    )
    lines += _listed("page errors", recorder.page_errors)
    lines += _listed("failed requests", map(str, recorder.failed_requests))
    lines += [*browsers, f"picture: {picture}", f"machine: {read_load()}"]
    return "\n".join(lines)


def _first_line(call: pytest.CallInfo[None]) -> str:
    if call.excinfo is None:
        return "none"
    kind = call.excinfo.typename
    try:
        text = str(call.excinfo.value).strip()
    except Exception:
        text = "its message cannot be shown"
    return printable(f"{kind}: {text.splitlines()[0][:300]}") if text else kind


def _listed(title: str, rows: Iterable[str]) -> list[str]:
    found = list(rows)
    if not found:
        return [f"{title}: none"]
    count = f"{len(found)}" if len(found) < KEPT else f"the last {KEPT}"
    shown = [f"  {printable(row)}" for row in found[-_SHOWN:]]
    more = [f"  ... and {len(found) - _SHOWN} before"] if len(found) > _SHOWN else []
    return [f"{title} ({count}):", *more, *shown]


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
    except OSError as error:
        return f"none ({error})"
    with contextlib.suppress(ValueError):
        return str(path.relative_to(Path.cwd()))
    return os.fspath(path)

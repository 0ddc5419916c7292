"""The evidence of a failing browser test, in the terminal and beside it."""

from collections.abc import Generator, Iterable

import pytest
from playwright.sync_api import Page

from harness.browser.chromium import Liveness
from harness.browser.masking import masked
from harness.browser.news import KEPT, News, shown
from harness.browser.recorder import Recorder
from harness.model.identifiers import Lane
from harness.process.load import read_load
from harness.process.output import printable
from harness.pytest_plugin import snapshots
from harness.pytest_plugin.artefacts import artefact_lines
from harness.pytest_plugin.browser_fixtures import pool_of
from harness.pytest_plugin.pool import BrowserPool

SECTION = "lanewright evidence"
# pytest shows a section of a teardown that passed only when its name says `teardown`.
TEARDOWN_SECTION = "lanewright evidence after teardown"
_SHOWN = 10
_SHOWN_OF_EARLIER = 3
_PAGES = 3
_FAILED = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add evidence to the first failure of a test, while the page is still there to be asked.

    The teardown's report, which pytest-playwright has seen to first, names what it has kept.
    """
    report = yield
    failed_before = report.when != "setup" and item.stash.get(_FAILED, False)
    item.stash[_FAILED] = failed_before or report.failed
    if report.failed and not failed_before:
        try:
            if _drives_a_browser(item):
                report.sections.append((SECTION, gather(item, call, pool_of(item.config))))
        except Exception as error:
            text = f"could not be gathered: {type(error).__name__}: {error}"
            report.sections.append((SECTION, text))
    if report.when == "teardown" and item.stash[_FAILED]:
        kept = artefact_lines(report.user_properties)
        if kept:
            report.sections.append((TEARDOWN_SECTION, "\n".join(kept)))
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
    files = _files(item, recorder) if alive else ["picture: none, no browser answers"]
    lines = [f"assertion: {_first_line(call)}", f"last URL: {_last_url(recorder)}"]
    if not recorder.watches:
        lines.append("the suite's own browser is not watched: nothing below was recorded")
    lines += _crashes(recorder.own)
    lines += [line for title, rows in _news(recorder.own) for line in _listed(title, rows)]
    lines += _of_earlier_tests(recorder)
    lines += [*browsers, *files, f"machine: {read_load()}"]
    return "\n".join(lines)


def _news(news: News) -> list[tuple[str, Iterable[object]]]:
    return [
        ("console errors", news.console_errors),
        ("page errors", news.page_errors),
        ("failed requests", news.failed_requests),
        ("requests", news.requests),
    ]


def _crashes(news: News) -> list[str]:
    return [f"page: its renderer crashed ({printable(url)})" for url in news.crashes]


def _of_earlier_tests(recorder: Recorder) -> list[str]:
    """Return, apart from this test's own, what pages did that an earlier test has opened.

    They may be the test's business (a page that a session shares) or not (one that was left
    open), so they are shown under the name of the test that opened them.
    """
    is_foreign = bool(recorder.pages)
    most = _SHOWN_OF_EARLIER if is_foreign else _SHOWN
    rows = [
        f"opened by an earlier test: {printable(shown(page.url))} ({test})"
        for page, test in recorder.earlier_pages[-_PAGES:]
    ]
    rows += [f"  {line}" for line in _crashes(recorder.earlier)]
    for title, found in _news(recorder.earlier):
        if found and not (is_foreign and title == "requests"):
            rows += [f"  {line}" for line in _listed(title, found, most)]
    if rows and not recorder.earlier_pages:
        rows.insert(0, "opened by an earlier test, closed meanwhile:")
    return rows


def _last_url(recorder: Recorder) -> str:
    url = recorder.last_url()
    if url is None and recorder.earlier_pages:
        page, test = recorder.earlier_pages[-1]
        return f"{printable(shown(page.url))} (opened by an earlier test: {test})"
    return printable(url or "none")


def _first_line(call: pytest.CallInfo[None]) -> str:
    if call.excinfo is None:
        return "none"
    kind = call.excinfo.typename
    try:
        text = masked(str(call.excinfo.value).strip())
    except Exception:
        text = "its message cannot be shown"
    return printable(f"{kind}: {text.splitlines()[0][:300]}") if text else kind


def _listed(title: str, rows: Iterable[object], most: int = _SHOWN) -> list[str]:
    found = list(map(str, rows))
    if not found:
        return [f"{title}: none"]
    count = f"{len(found)}" if len(found) < KEPT else f"the last {KEPT}"
    listed = [f"  {printable(row)}" for row in found[-most:]]
    more = [f"  ... and {len(found) - most} before"] if len(found) > most else []
    return [f"{title} ({count}):", *more, *listed]


def _files(item: pytest.Item, recorder: Recorder) -> list[str]:
    """Take the newest pages of this test, or else of earlier ones; return lines with paths."""
    pages: list[tuple[Page, str]] = [(page, "") for page in recorder.pages]
    if not pages:
        pages = [
            (page, f" (page opened by an earlier test: {test})")
            for page, test in recorder.earlier_pages
        ]
    if not pages:
        return ["picture: none, no page was open"]
    lines = []
    for number, (page, whose) in enumerate(reversed(pages[-_PAGES:])):
        taken = snapshots.take(page, item, number)
        lines += [f"picture: {taken.picture}{whose}", f"DOM: {taken.dom}{whose}"]
    return lines

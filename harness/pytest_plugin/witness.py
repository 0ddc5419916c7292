"""Per test, what reached a browser; a browser test that drove none is named at the end."""

import contextlib
import unittest
from collections.abc import Generator, Iterable, Iterator

import pytest

from harness.browser.commands import CommandCounter
from harness.model.identifiers import Lane
from harness.pytest_plugin.browser_fixtures import pool_of
from harness.pytest_plugin.lanes import lane_by_fixtures, lane_of
from harness.pytest_plugin.witness_names import (
    CDP_COMMANDS,
    COMMANDS,
    NAVIGATIONS,
    PROPERTIES,
    REQUESTS,
    WITNESS,
    Seen,
)

_NAMES_SHOWN = 20
_COUNTER = pytest.StashKey[CommandCounter]()
_WIDER_DRIVERS = pytest.StashKey[set[pytest.FixtureDef[object]]]()


def counter_of(config: pytest.Config) -> CommandCounter:
    """Return this process's counter."""
    return config.stash.setdefault(_COUNTER, CommandCounter())


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(
    fixturedef: pytest.FixtureDef[object], request: pytest.FixtureRequest
) -> Generator[None, object, object]:
    """Count on Playwright's connection once there is one; know what a fixture's set-up sends."""
    __tracebackhide__ = True
    counter = counter_of(request.config)
    was_in_fixture, total = counter.in_fixture, counter.total
    counter.in_fixture = True
    try:
        value = yield
    finally:
        counter.in_fixture = was_in_fixture
    if fixturedef.argname == "playwright":
        counter.watch(value)
    if fixturedef.scope != "function" and counter.total > total:
        request.config.stash.setdefault(_WIDER_DRIVERS, set()).add(fixturedef)
    return value


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, object, object]:
    """Count from zero: the set-up and the call of one test belong together."""
    __tracebackhide__ = True
    counter_of(item.config).begin_test()
    return (yield)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add the counts to the report properties, before the report is made of them."""
    # Whatever goes wrong here must not become the test's.
    with contextlib.suppress(Exception):
        _testify(item, call)
    return (yield)


def _testify(item: pytest.Item, call: pytest.CallInfo[None]) -> None:
    ended = call.when == "call" or (call.when == "setup" and call.excinfo is not None)
    if ended and not _is_skip(call) and lane_of(item) is Lane.BROWSER:
        testimony = list(_testimony(item))
        # A test that is run again has those of its last run.
        others = [pair for pair in item.user_properties if pair[0] not in PROPERTIES]
        item.user_properties[:] = [*others, *testimony]


def _testimony(item: pytest.Item) -> Iterator[tuple[str, object]]:
    counter, recorder = counter_of(item.config), pool_of(item.config).recorder
    if lane_by_fixtures(item) is not Lane.BROWSER or not counter.heard:
        yield WITNESS, Seen.NOT_WATCHED.value
        return
    news = [recorder.own]
    if counter.total:
        # Without a command of this test, what earlier pages do is not its doing.
        news.append(recorder.earlier)
    navigations = sum(one.navigation_count for one in news)
    requests = sum(one.request_count for one in news)
    yield WITNESS, _judge(item, counter.total + navigations + requests).value
    if recorder.watches:
        yield NAVIGATIONS, navigations
        yield REQUESTS, requests
    yield COMMANDS, counter.commands
    yield CDP_COMMANDS, counter.cdp_commands


def _judge(item: pytest.Item, total: int) -> Seen:
    if total:
        return Seen.DRIVEN
    used = list(_definitions_used(item))
    if any(definition.argname == "chromium" for definition in used):
        # Its endpoint and its pipe lead past Playwright.
        return Seen.NOT_WATCHED
    if not item.config.stash.get(_WIDER_DRIVERS, set()).isdisjoint(used):
        return Seen.SHARED
    return Seen.NOT_DRIVEN


def _definitions_used(item: pytest.Item) -> Iterator[pytest.FixtureDef[object]]:
    info = getattr(item, "_fixtureinfo", None)
    for definitions in (info.name2fixturedefs if info else {}).values():
        yield from definitions
    # Those that were asked for while it ran.
    request = getattr(item, "_request", None)
    yield from (getattr(request, "_fixture_defs", None) or {}).values()


def _is_skip(call: pytest.CallInfo[None]) -> bool:
    return call.excinfo is not None and isinstance(
        call.excinfo.value, (pytest.skip.Exception, unittest.SkipTest)
    )


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name the browser tests that drove no browser, xdist workers' included; else be quiet."""
    reports = [
        report
        for outcome in ("passed", "failed", "xpassed")
        for report in terminalreporter.stats.get(outcome, [])
        if getattr(report, "when", None) == "call"
    ]
    names = [report.nodeid for report in reports if drove_no_browser(report)]
    if not names:
        return
    count = "1 browser test" if len(names) == 1 else f"{len(names)} browser tests"
    terminalreporter.section(f"lanewright: {count} drove no browser", yellow=True)
    for name in names[:_NAMES_SHOWN]:
        terminalreporter.write_line(name)
    if len(names) > _NAMES_SHOWN:
        terminalreporter.write_line(f"... and {len(names) - _NAMES_SHOWN} more")


def drove_no_browser(report: object) -> bool:
    """Tell by a report's properties whether its test asked for a browser and drove none."""
    properties: Iterable[Iterable[object]] = getattr(report, "user_properties", ())
    return (WITNESS, Seen.NOT_DRIVEN.value) in map(tuple, properties)

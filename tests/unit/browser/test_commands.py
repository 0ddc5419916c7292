"""What counts as a command, by the messages that Playwright's client sends."""

import asyncio
import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest
from playwright._impl.connection import Connection

from harness.browser.commands import CommandCounter


def message(target: str, called: str, **parameters: object) -> dict[str, Any]:
    return {"id": "1", "guid": target, "method": called, "params": parameters, "metadata": {}}


def counts(*messages: object, in_fixture: bool = False) -> tuple[int, int]:
    counter = CommandCounter()
    counter.in_fixture = in_fixture
    for one in messages:
        counter.hear(one)
    return counter.commands, counter.cdp_commands


def test_a_call_is_a_command_and_a_raw_one_is_counted_apart() -> None:
    raw = message("cdp-session@1", "send", method="Page.enable")
    assert counts(message("frame@1", "goto"), message("frame@1", "click"), raw) == (2, 1)


@pytest.mark.parametrize(
    "method",
    ["updateSubscription", "__waitInfo__", "__abort__", "tracingStart", "tracingStopChunk",
     "addStackToTracingNoReply", "initialize", "harOpen"],
)  # fmt: skip
def test_playwrights_bookkeeping_is_none(method: str) -> None:
    assert counts(message("page@1", method)) == (0, 0)


@pytest.mark.parametrize(
    "method", ["launch", "connectOverCDP", "newContext", "newPage", "newCDPSession", "close"]
)
def test_making_and_closing_is_none_in_a_fixture_and_one_in_a_test(method: str) -> None:
    assert counts(message("browser@1", method), in_fixture=True) == (0, 0)
    assert counts(message("browser@1", method)) == (1, 0)


def test_what_a_fixture_does_with_a_page_counts() -> None:
    assert counts(message("frame@1", "goto"), in_fixture=True) == (1, 0)


def test_a_remote_browsers_message_is_counted_as_itself() -> None:
    def sent(inner: dict[str, Any]) -> dict[str, Any]:
        return message("json-pipe@1", "send", message=inner)

    page = message("browser-context@1", "newPage")
    assert counts(sent(page), sent(message("frame@1", "goto")), in_fixture=True) == (1, 0)


@pytest.mark.parametrize(
    "strange", [None, "goto", {}, {"method": "goto"}, {"guid": 1, "method": 2}]
)
def test_a_message_of_another_shape_is_none_and_was_not_heard(strange: object) -> None:
    counter = CommandCounter()
    counter.hear(strange)
    assert (counter.total, counter.heard) == (0, False)


def test_each_message_is_passed_on_and_counted_once_however_often_it_is_watched() -> None:
    sent: list[object] = []
    connection = Holder(sent.append)
    playwright = SimpleNamespace(_impl_obj=SimpleNamespace(_connection=connection))
    counter = CommandCounter()
    counter.watch(playwright)
    counter.watch(playwright)
    goto = message("frame@1", "goto")
    connection.onmessage(goto)
    assert sent == [goto]
    assert (counter.commands, counter.heard) == (1, True)


@pytest.mark.parametrize(
    "playwright",
    [
        None,
        SimpleNamespace(),
        SimpleNamespace(_impl_obj=SimpleNamespace()),
        SimpleNamespace(_impl_obj=SimpleNamespace(_connection=object())),
        SimpleNamespace(_impl_obj=SimpleNamespace(_connection=SimpleNamespace(onmessage=None))),
    ],
)
def test_another_playwright_is_not_heard_and_does_no_harm(playwright: object) -> None:
    counter = CommandCounter()
    counter.watch(playwright)
    assert not counter.heard


def test_the_installed_playwright_sends_through_the_attribute_that_is_watched() -> None:
    """Fails when Playwright's internals change: the witness would say nothing any more."""
    sent: list[dict[str, Any]] = []
    with connection() as installed:
        installed.onmessage = sent.append
        counter = CommandCounter()
        counter.watch(SimpleNamespace(_impl_obj=installed._root_object))
        installed.send_message_to_server(installed._root_object, "goto", {}, {})
    assert [(one["guid"], one["method"]) for one in sent] == [("", "goto")]
    assert counter.commands == 1


class Holder:
    def __init__(self, onmessage: Any) -> None:
        self.onmessage = onmessage


@contextmanager
def connection() -> Iterator[Connection]:
    assert "loop" in inspect.signature(Connection).parameters
    loop = asyncio.new_event_loop()
    try:
        yield Connection(loop)
    finally:
        loop.close()

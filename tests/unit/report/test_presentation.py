"""Live or plain, coloured or not: decided by stream and environment alone."""

import io

import pytest

from harness.config.ci import in_ci
from harness.report.presentation import choose, colour


class Stream:
    def __init__(self, terminal: bool) -> None:
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal


TERMINAL, PIPE = Stream(True), Stream(False)
XTERM = {"TERM": "xterm-256color"}


@pytest.mark.parametrize(
    ("stream", "environment", "mode"),
    [
        (TERMINAL, XTERM, "live"),
        (TERMINAL, XTERM | {"NO_COLOR": "1"}, "live"),
        (TERMINAL, XTERM | {"CI": "false"}, "live"),
        (TERMINAL, XTERM | {"CI": "true"}, "plain"),
        (TERMINAL, {"TERM": "dumb"}, "plain"),
        (TERMINAL, {}, "plain"),
        (PIPE, XTERM, "plain"),
        (PIPE, XTERM | {"FORCE_COLOR": "1"}, "plain"),
    ],
)
def test_only_a_terminal_that_is_no_cis_is_live(
    stream: Stream, environment: dict[str, str], mode: str
) -> None:
    assert choose(stream, environment) == mode


@pytest.mark.parametrize(
    ("stream", "environment", "expected"),
    [
        (TERMINAL, XTERM, True),
        (TERMINAL, XTERM | {"CI": "true"}, True),
        (TERMINAL, XTERM | {"NO_COLOR": "1"}, False),
        (TERMINAL, XTERM | {"NO_COLOR": ""}, True),
        (TERMINAL, XTERM | {"NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
        (TERMINAL, XTERM | {"FORCE_COLOR": "0"}, False),
        (TERMINAL, {"TERM": "dumb"}, False),
        (TERMINAL, {"TERM": "dumb", "FORCE_COLOR": "1"}, True),
        (PIPE, XTERM, False),
        (PIPE, {"FORCE_COLOR": "1"}, True),
        (PIPE, {"FORCE_COLOR": ""}, False),
    ],
)
def test_no_color_wins_then_force_color_then_the_terminal(
    stream: Stream, environment: dict[str, str], expected: bool
) -> None:
    assert colour(stream, environment) is expected


def test_a_closed_stream_is_plain() -> None:
    stream = io.StringIO()
    stream.close()
    assert choose(stream, XTERM) == "plain"


@pytest.mark.parametrize(
    ("value", "expected"),
    [("true", True), ("1", True), ("", False), ("0", False), ("False", False)],
)
def test_ci_is_set_unless_it_says_no(value: str, expected: bool) -> None:
    assert in_ci({"CI": value}) is expected
    assert not in_ci({})

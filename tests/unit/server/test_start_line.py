"""The port is read from the server's own start line, once that line is complete."""

import re

import pytest

from harness.errors import UsageError
from harness.process.output import BoundedOutput
from harness.server.start_line import DEFAULT, StartLine, compiled, port_in

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("text", "port"),
    [
        ("serving on http://127.0.0.1:8123/\n", 8123),
        ("Running on https://localhost:8123 (Press CTRL+C)\n", 8123),
        ("INFO: Uvicorn running on http://[::1]:8123\n", 8123),
        ("Serving HTTP on 0.0.0.0 port 8123 (http://0.0.0.0:8123/) ...\n", 8123),
        ("  Local: \x1b[36mhttp://localhost:\x1b[1m5173\x1b[22m/\x1b[39m\n", 5173),
        ("http://a:1/ http://b:2/\n", 1),
        ("at http://127.0.0.1:0/ then http://127.0.0.1:99/\n", 99),
        ("http://127.0.0.1:81234/\n", None),
        ("http://127.0.0.1:812345/\n", None),
        ("listening on 8123\n", None),
        ("http://example.org/ 12:30\n", None),
        ("", None),
    ],
)
def test_the_first_address_with_a_port_counts(text: str, port: int | None) -> None:
    assert port_in(text, DEFAULT) == port


def test_a_line_counts_when_it_has_ended() -> None:
    output = BoundedOutput()
    line = StartLine(DEFAULT, output)
    output.add(b"starting\nserving on http://127.0.0.1:81")
    assert not line.heard()
    output.add(b"23")
    assert not line.heard()
    output.add(b"/\n")
    assert line.heard()
    assert line.port == 8123


def test_a_line_after_more_output_than_is_kept_is_heard() -> None:
    output = BoundedOutput()
    line = StartLine(DEFAULT, output)
    for _ in range(100):
        output.add(b"flood\n" * 10_000)
        assert not line.heard()
    output.add(b"serving on http://127.0.0.1:8123/\n")
    assert line.heard()


def test_what_was_dropped_joins_no_lines() -> None:
    output = BoundedOutput()
    line = StartLine(DEFAULT, output)
    output.add(b"at http://127.0.0.1:81")
    assert not line.heard()
    output.add(b"23 of 99 done\n", dropped_before_bytes=100)
    assert not line.heard()


@pytest.mark.parametrize(
    "pattern", [r"port (?P<port>\d+)", re.compile(r"PORT (?P<port>\d+)", re.I)]
)
def test_a_pattern_of_ones_own_finds_it(pattern: str | re.Pattern[str]) -> None:
    text = "see http://docs:80/\nlistening, port 8123\n"
    assert port_in(text, compiled(pattern)) == 8123


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        (r"port (\d+)", r"write the group (?P<port>\d+)"),
        (r"port (?P<port>\d+", "is no pattern of text"),
        (re.compile(rb"(?P<port>\d+)"), "write the group"),
    ],
)
def test_a_pattern_without_a_port_is_refused(pattern: str | re.Pattern[str], said: str) -> None:
    with pytest.raises(UsageError) as refused:
        compiled(pattern)
    assert said in str(refused.value)

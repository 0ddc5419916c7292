"""Standard error and the port file must agree on where a browser listens."""

from pathlib import Path

import pytest

from harness.browser.endpoint import PORT_FILE, Endpoint, announced, confirm, parse_port_file
from harness.errors import StartError

SAID = Endpoint(port=4711, path="/devtools/browser/abc")
LINE = "DevTools listening on ws://127.0.0.1:4711/devtools/browser/abc\n"


def test_the_announcement_is_found_among_other_words() -> None:
    assert announced(f"noise\n{LINE}more") == SAID


def test_half_a_line_is_not_yet_an_announcement() -> None:
    assert announced(LINE[:-3]) is None


def test_an_endpoint_knows_its_urls() -> None:
    assert SAID.websocket_url == "ws://127.0.0.1:4711/devtools/browser/abc"
    assert SAID.http_url == "http://127.0.0.1:4711"


@pytest.mark.parametrize("text", ["", "4711", "4711\n", "x\n/devtools", "4711\nnope"])
def test_an_unfinished_or_strange_port_file_says_nothing(text: str) -> None:
    assert parse_port_file(text) is None


def test_a_port_file_that_agrees_confirms(tmp_path: Path) -> None:
    (tmp_path / PORT_FILE).write_text("4711\n/devtools/browser/abc")
    assert confirm(tmp_path, SAID) == SAID


def test_a_port_file_that_disagrees_is_told_with_both_answers(tmp_path: Path) -> None:
    (tmp_path / PORT_FILE).write_text("4712\n/devtools/browser/abc")
    with pytest.raises(StartError, match=r"announced port 4711.* says 4712/devtools"):
        confirm(tmp_path, SAID, seconds=0.01)


def test_a_port_file_that_never_comes_asks_about_the_profile(tmp_path: Path) -> None:
    with pytest.raises(StartError, match=r"wrote no DevToolsActivePort .* writable\?"):
        confirm(tmp_path, SAID, seconds=0.01)

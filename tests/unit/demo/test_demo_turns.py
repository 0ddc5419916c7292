"""The write endpoint appends one line for a good turn and nothing for a bad one."""

import json
from pathlib import Path

import pytest

from harness.demo.app import create_app
from tests.lib.conversation import Ask, answer, converse

pytestmark = pytest.mark.unit


def post(body: bytes, content_type: str = "application/json") -> Ask:
    return Ask(path="/api/turn", method="POST", body=body, content_type=content_type)


def lines(workspace: Path) -> list[object]:
    log = workspace / "turns.jsonl"
    return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []


def test_turns_are_numbered_echoed_and_logged(workspace: Path) -> None:
    app = create_app(workspace)
    first, second = converse(app, post(b'{"utterance": "one"}'), post(b'{"utterance": "two"}'))
    assert first.json() == {"turn": 1, "echo": "one"}
    assert second.json() == {"turn": 2, "echo": "two"}
    assert lines(workspace) == [
        {"turn": 1, "utterance": "one"},
        {"turn": 2, "utterance": "two"},
    ]


def test_numbering_goes_on_after_a_restart(workspace: Path) -> None:
    converse(create_app(workspace), post(b'{"utterance": "one"}'))
    reply = answer(create_app(workspace), post(b'{"utterance": "two"}'))
    assert reply.json()["turn"] == 2


@pytest.mark.parametrize("utterance", ["two\nlines\r\n", "a\u2028b", "zażółć 🦺", "\ud800", '"\\'])
def test_any_text_is_one_line_and_comes_back_unchanged(utterance: str, workspace: Path) -> None:
    body = json.dumps({"utterance": utterance}).encode()
    reply = answer(create_app(workspace), post(body))
    assert reply.json() == {"turn": 1, "echo": utterance}
    assert (workspace / "turns.jsonl").read_bytes().count(b"\n") == 1
    assert lines(workspace) == [{"turn": 1, "utterance": utterance}]


@pytest.mark.parametrize(
    ("body", "error"),
    [
        (b"", "the body is not JSON"),
        (b"{", "the body is not JSON"),
        (b'{"utterance": "a"} x', "the body is not JSON"),
        (b"\xff\xfe", "the body is not UTF-8"),
        (b"[" * 4096, "the body is nested too deeply"),
        (b"[]", "the body is not a JSON object"),
        (b"null", "the body is not a JSON object"),
        (b'"hello"', "the body is not a JSON object"),
        (b"{}", "utterance is missing"),
        (b'{"utterance": null}', "utterance is missing"),
        (b'{"utterance": 7}', "utterance is not a string"),
        (b'{"utterance": ["a"]}', "utterance is not a string"),
        (b'{"utterance": ""}', "utterance is blank"),
        (b'{"utterance": " \\t\\n"}', "utterance is blank"),
        (b'{"utterance": "a", "mood": "b"}', "unknown field: mood"),
        (b'{"utterance": "a", "utterance": "b"}', "a field is repeated"),
    ],
)
def test_a_bad_body_is_refused_and_writes_nothing(body: bytes, error: str, workspace: Path) -> None:
    reply = answer(create_app(workspace), post(body))
    assert reply.status == 400
    said = reply.json()
    assert sorted(said) == ["error", "expected"]
    assert said["error"].startswith(error)
    assert '{"utterance": a string that is not blank}' in said["expected"]
    assert lines(workspace) == []


@pytest.mark.parametrize(
    "content_type", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]
)
def test_what_a_foreign_form_can_send_is_refused(content_type: str, workspace: Path) -> None:
    reply = answer(create_app(workspace), post(b'{"utterance": "a"}', content_type))
    assert reply.status == 400
    assert reply.json() == {
        "error": f"the content type is {content_type}",
        "expected": "application/json",
    }
    assert lines(workspace) == []


def test_four_kibibytes_are_accepted_and_one_byte_more_is_not(workspace: Path) -> None:
    frame = len(b'{"utterance": ""}')
    fits = b'{"utterance": "%s"}' % (b"a" * (4096 - frame))
    accepted, refused = converse(create_app(workspace), post(fits), post(fits + b" "))
    assert (len(fits), accepted.status) == (4096, 200)
    assert refused.status == 413
    assert refused.json() == {"error": "the body is too big", "expected": "at most 4096 bytes"}
    assert len(lines(workspace)) == 1


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("GET", "/api/turn", "POST"),
        ("PUT", "/api/turn", "POST"),
        ("POST", "/api/files", "GET, HEAD"),
        ("DELETE", "/api/root", "GET, HEAD"),
        ("POST", "/", "GET, HEAD"),
        ("POST", "/static/main.js", "GET, HEAD"),
    ],
)
def test_a_wrong_method_is_told_the_right_ones(
    method: str, path: str, allowed: str, workspace: Path
) -> None:
    reply = answer(create_app(workspace), Ask(path=path, method=method))
    assert reply.status == 405
    assert ", ".join(sorted(reply.headers["Allow"].replace(" ", "").split(","))) == allowed
    assert reply.json() == {"error": f"{method} is not allowed here", "expected": allowed}


def test_a_log_that_is_a_link_is_not_written_through(workspace: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_bytes(b"untouched")
    (workspace / "turns.jsonl").symlink_to(outside)
    reply = answer(create_app(workspace), post(b'{"utterance": "a"}'))
    assert reply.status == 500
    assert reply.json()["error"].startswith("the turn was not written: ")
    assert outside.read_bytes() == b"untouched"

"""What the write endpoint accepts as a turn."""

import json

from aiohttp import web

from harness.demo.refusals import MAX_BODY_BYTES, refusal

TURN_SHAPE = '{"utterance": a string that is not blank}'


class BadTurn(ValueError):
    """A body that is not a turn: `error` says what is wrong, `expected` what would be right."""

    def __init__(self, error: str, *, expected: str = TURN_SHAPE) -> None:
        super().__init__(error)
        self.error = error
        self.expected = expected


def parse_turn(body: bytes) -> str:
    """Return the utterance of `body`; BadTurn for anything but exactly one, not blank."""
    try:
        value = json.loads(body.decode("utf-8"), object_pairs_hook=_without_repeats)
    except UnicodeDecodeError as problem:
        raise BadTurn("the body is not UTF-8", expected=f"UTF-8 JSON: {TURN_SHAPE}") from problem
    except json.JSONDecodeError as problem:
        raise BadTurn(f"the body is not JSON: {problem}") from problem
    except RecursionError as problem:
        raise BadTurn("the body is nested too deeply") from problem
    if not isinstance(value, dict):
        raise BadTurn("the body is not a JSON object")
    if unknown := sorted(value.keys() - {"utterance"}):
        raise BadTurn(f"unknown field: {', '.join(unknown)}")
    utterance = value.get("utterance")
    if utterance is None:
        raise BadTurn("utterance is missing")
    if not isinstance(utterance, str):
        raise BadTurn("utterance is not a string")
    if not utterance.strip():
        raise BadTurn("utterance is blank")
    return utterance


async def read_body(request: web.Request) -> bytes:
    """Return the whole JSON body; 400 for another content type, 413 over MAX_BODY_BYTES.

    Only `application/json` is read: a form on a foreign page cannot send that unasked
    (Fetch, CORS-safelisted request-header), so it cannot write here.
    """
    if request.content_type != "application/json":
        raise refusal(
            web.HTTPBadRequest(),
            error=f"the content type is {request.content_type}",
            expected="application/json",
        )
    body = bytearray()
    async for chunk in request.content.iter_any():
        body += chunk
        if len(body) > MAX_BODY_BYTES:
            raise web.HTTPRequestEntityTooLarge(max_size=MAX_BODY_BYTES, actual_size=len(body))
    return bytes(body)


def _without_repeats(pairs: list[tuple[str, object]]) -> dict[str, object]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise BadTurn("a field is repeated")
    return fields

"""How the demo refuses a request: a status, what is wrong and what would be right."""

import json
from collections.abc import Awaitable, Callable
from typing import TypeVar

from aiohttp import web

MAX_BODY_BYTES = 4096

Answer = TypeVar("Answer", bound=web.HTTPException)
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


def refusal(answer: Answer, *, error: str, expected: str) -> Answer:
    """Give `answer` the JSON body that every refusal has, and return it."""
    answer.text = json.dumps({"error": error, "expected": expected})
    answer.content_type = "application/json"
    return answer


@web.middleware
async def refusals_as_json(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Give aiohttp's own 404, 405 and 413 the same JSON body as ours."""
    try:
        return await handler(request)
    except web.HTTPMethodNotAllowed as answer:
        allowed = ", ".join(sorted(answer.allowed_methods))
        refusal(answer, error=f"{answer.method} is not allowed here", expected=allowed)
        raise
    except web.HTTPRequestEntityTooLarge as answer:
        refusal(answer, error="the body is too big", expected=f"at most {MAX_BODY_BYTES} bytes")
        raise
    except (web.HTTPNotFound, web.HTTPForbidden) as answer:
        refusal(answer, error="there is nothing at this path", expected="a path the page uses")
        raise

"""The headers that every response of the demo carries, errors included."""

from collections.abc import Mapping

from aiohttp import web

NONCE_HEADER = "X-Harness-Nonce"

CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "worker-src 'self'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        # `new Worker(url)` is a Trusted Types sink: static/trusted.js makes this one policy.
        "trusted-types default",
    )
)

_ALWAYS: Mapping[str, str] = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}

API_PREFIX = "/api/"


def headers_for(path: str, *, nonce: str | None) -> dict[str, str]:
    """Return the headers of a response to `path`; `nonce` is echoed when there is one.

    What the API answers is never stored; a page or static file may be stored but must be
    revalidated before each use (RFC 9111, 5.2.2.4), so that no stale module is executed.
    """
    headers = dict(_ALWAYS)
    headers["Cache-Control"] = "no-store" if path.startswith(API_PREFIX) else "no-cache"
    if nonce is not None:
        headers[NONCE_HEADER] = nonce
    return headers


def add_headers_to(app: web.Application, *, nonce: str | None) -> None:
    """Make every response of `app` carry its headers: also 404, 405, 413, 304 and 500.

    A response to bytes that are not HTTP at all is aiohttp's own and carries none.
    """

    # A signal, not a middleware: a middleware never sees the 500 of an unexpected exception.
    async def set_headers(request: web.Request, response: web.StreamResponse) -> None:
        response.headers.update(headers_for(request.path, nonce=nonce))

    app.on_response_prepare.append(set_headers)

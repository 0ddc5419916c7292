"""The demo application: one page, its static files, two read endpoints and one write endpoint."""

from collections.abc import AsyncIterator
from dataclasses import asdict
from pathlib import Path

from aiohttp import web

from harness.demo.folder import append_turn, fresh_folder, list_files
from harness.demo.headers import add_headers_to
from harness.demo.refusals import refusal, refusals_as_json
from harness.demo.turn_request import BadTurn, parse_turn, read_body
from harness.errors import UsageError

STATIC_FOLDER = Path(__file__).parent / "static"
STATIC_PREFIX = "/static/"

ROOT = web.AppKey("ROOT", Path)
"""The workspace folder of a started application."""


def create_app(root: Path | None = None, *, nonce: str | None = None) -> web.Application:
    """Return the demo application over the workspace folder `root`.

    Without a root, a private folder with one known file is made when the application starts
    and removed when it is cleaned up: an application that never starts leaves nothing behind.
    A given root is never seeded and never removed. While the application runs, `app[ROOT]` is
    the folder. With a nonce, every response carries it in `X-Harness-Nonce`.

    Raises UsageError when `root` is not a folder.
    """
    if root is not None and not root.is_dir():
        raise UsageError(f"the demo's root is not a folder: {root}; name one that exists")

    async def workspace(app: web.Application) -> AsyncIterator[None]:
        if root is not None:
            app[ROOT] = root.resolve()
            yield
            return
        with fresh_folder() as folder:
            app[ROOT] = folder.resolve()
            yield

    app = web.Application(middlewares=[refusals_as_json])
    app.cleanup_ctx.append(workspace)
    add_headers_to(app, nonce=nonce)
    app.router.add_get("/", index)
    app.router.add_static(STATIC_PREFIX, STATIC_FOLDER)
    app.router.add_get("/api/root", read_root)
    app.router.add_get("/api/files", read_files)
    app.router.add_post("/api/turn", write_turn)
    return app


async def index(_: web.Request) -> web.FileResponse:
    """Answer with the page."""
    return web.FileResponse(STATIC_FOLDER / "index.html")


async def read_root(request: web.Request) -> web.Response:
    """Answer with the workspace's name and how many files it lists."""
    root = request.app[ROOT]
    return web.json_response({"root": root.name, "files": len(list_files(root))})


async def read_files(request: web.Request) -> web.Response:
    """Answer with the name and size of every file, sorted by name."""
    files = [asdict(file) for file in list_files(request.app[ROOT])]
    return web.json_response({"files": files})


async def write_turn(request: web.Request) -> web.Response:
    """Append the utterance to the turn log; answer with the turn's number and the echo.

    400 for a body that is no turn, 413 for one over 4 KiB, 500 with the reason when the log
    cannot be written. Whatever is refused has written nothing.
    """
    body = await read_body(request)
    try:
        utterance = parse_turn(body)
    except BadTurn as bad:
        raise refusal(web.HTTPBadRequest(), error=bad.error, expected=bad.expected) from bad
    try:
        # No await from here on: turns are numbered without a lock.
        turn = append_turn(request.app[ROOT], utterance)
    except OSError as problem:
        raise refusal(
            web.HTTPInternalServerError(),
            error=f"the turn was not written: {problem.strerror}",
            expected="a workspace whose turn log is a writable file",
        ) from problem
    return web.json_response({"turn": turn, "echo": utterance})

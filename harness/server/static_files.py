"""A folder of static files as an aiohttp application."""

import mimetypes
import os
from pathlib import Path
from urllib.parse import unquote

from aiohttp import web

INDEX = "index.html"
_OCTETS = "application/octet-stream"
# The machine's own tables differ, and a module with a wrong type does not run in a browser.
_TYPES = {
    ".avif": "image/avif",
    ".css": "text/css",
    ".csv": "text/csv",
    ".gif": "image/gif",
    ".htm": "text/html",
    ".html": "text/html",
    ".ico": "image/x-icon",
    ".jpeg": "image/jpeg",
    ".jpg": "image/jpeg",
    ".js": "text/javascript",
    ".json": "application/json",
    ".map": "application/json",
    ".md": "text/markdown",
    ".mjs": "text/javascript",
    ".mp3": "audio/mpeg",
    ".mp4": "video/mp4",
    ".otf": "font/otf",
    ".pdf": "application/pdf",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".ttf": "font/ttf",
    ".txt": "text/plain",
    ".wasm": "application/wasm",
    ".wav": "audio/wav",
    ".webm": "video/webm",
    ".webmanifest": "application/manifest+json",
    ".webp": "image/webp",
    ".woff": "font/woff",
    ".woff2": "font/woff2",
    ".xhtml": "application/xhtml+xml",
    ".xml": "application/xml",
}


def create_app(folder: Path) -> web.Application:
    """Return an application that serves the files of `folder` as they are on disk now.

    A folder is its `index.html`, under a path that ends in a slash; there are no listings. A
    path that leaves the folder, by dots or by a symbolic link, is not found. Nothing is
    compressed and nothing is stored by the client.
    """
    root = Path(os.path.realpath(folder))

    async def answer(request: web.Request) -> web.StreamResponse:
        path = unquote(request.rel_url.raw_path)
        found = resolve(root, path)
        if found is None:
            raise web.HTTPNotFound
        if found.is_dir():
            if not path.endswith("/"):
                # Relative addresses in the page mean something else without the slash.
                raise web.HTTPMovedPermanently(_with_slash(request))
            found = resolve(root, f"{path}{INDEX}")
        elif path.endswith("/"):
            found = None
        if found is None or not found.is_file():
            raise web.HTTPNotFound
        try:
            body = found.read_bytes()
        except PermissionError as error:
            raise web.HTTPForbidden from error
        except OSError as error:
            raise web.HTTPNotFound from error
        return web.Response(body=body, headers={"Content-Type": content_type(found.name)})

    async def never_stored(_: web.Request, response: web.StreamResponse) -> None:
        response.headers["Cache-Control"] = "no-store"

    app = web.Application()
    app.router.add_get("/{path:.*}", answer)
    app.on_response_prepare.append(never_stored)
    return app


def resolve(root: Path, path: str) -> Path | None:
    """Return the file or folder that a decoded URL path names below `root`, which is real.

    None when there is none, and when it is not below `root` once links are followed.
    """
    parts = path.strip("/").split("/") if path.strip("/") else []
    if any(part in ("", ".", "..") or "\0" in part or "\\" in part for part in parts):
        return None
    try:
        found = root.joinpath(*parts).resolve(strict=True)
    except (OSError, RuntimeError):
        return None
    return found if found.is_relative_to(root) else None


def content_type(name: str) -> str:
    """Return the media type for a file name; text is UTF-8, what is unknown is plain octets."""
    suffix = os.path.splitext(name)[1].lower()
    kind = _TYPES.get(suffix) or mimetypes.guess_type(name)[0] or _OCTETS
    return f"{kind}; charset=utf-8" if kind.startswith("text/") else kind


def _with_slash(request: web.Request) -> str:
    # Not two slashes at the beginning: that would name a host.
    path = "/" + request.rel_url.raw_path.lstrip("/")
    query = request.rel_url.raw_query_string
    return f"{path}/{f'?{query}' if query else ''}"

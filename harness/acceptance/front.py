"""The shared front: which tree it says it serves, read before anything is measured on it."""

import http.client
import ssl
from dataclasses import dataclass
from urllib.parse import urlsplit

from selectolax.lexbor import LexborHTMLParser

from harness.acceptance.report import Front, FrontState

_PAGE_BYTES = 4 * 1024 * 1024
_LEAST_HEX_DIGITS = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class ThisTree:
    """What the front would have to serve: the hashes by which a stamp may name it.

    `dirty` says that files differ from it, so that no stamp can name what lies on disk.
    """

    commit: str | None
    tree: str | None
    dirty: bool | None


def look_at_front(url: str | None, stamp: str | None, this: ThisTree, seconds: float) -> Front:
    """Read the front's stamp with one GET and say whether it serves this tree. Never raises."""
    if url is None:
        return Front()
    try:
        found = _read_stamp(url, stamp, seconds) if stamp is not None else None
        if stamp is None:
            _get(url, "/", seconds)
    except (OSError, http.client.HTTPException, ValueError) as error:
        cause = str(error) or type(error).__name__
        return Front(state=FrontState.UNREACHABLE, url=url, why=f"{url}: {cause}")
    return _judged(url, stamp, found, this)


def _judged(url: str, stamp: str | None, found: str | None, this: ThisTree) -> Front:
    def unknown(why: str) -> Front:
        return Front(state=FrontState.UNKNOWN_TREE, url=url, why=why)

    if stamp is None:
        return unknown("tool.harness.accept.stamp does not say where it names its tree")
    if not found:
        return unknown(f"{url} has no {stamp}")
    if this.commit is None or this.tree is None:
        return unknown("this folder is in no git repository with a commit")
    if not _names(found, this.commit) and not _names(found, this.tree):
        why = f"{url} serves {found[:40]}, this is commit {this.commit[:12]}"
        return Front(state=FrontState.OTHER_TREE, url=url, why=why)
    if this.dirty is not False:
        why = f"{url} serves {found[:40]}, and files here differ from that commit"
        return Front(state=FrontState.OTHER_TREE, url=url, why=why)
    return Front(state=FrontState.MEASURED, url=url)


def _names(stamp: str, digest: str) -> bool:
    return len(stamp) >= _LEAST_HEX_DIGITS and digest.startswith(stamp.lower())


def _read_stamp(url: str, stamp: str, seconds: float) -> str | None:
    place, _, name = stamp.partition(":")
    name = name.strip()
    if place == "path":
        status, _, body = _get(url, name, seconds)
        return body.decode("utf-8", "replace").strip() if status == 200 else None
    _, fields, body = _get(url, "/", seconds)
    if place == "header":
        return (fields.get(name) or "").strip()
    for node in LexborHTMLParser(body).css("meta"):
        if (node.attributes.get("name") or "").lower() == name.lower():
            return (node.attributes.get("content") or "").strip()
    return None


def _get(url: str, path: str, seconds: float) -> tuple[int, http.client.HTTPMessage, bytes]:
    parts = urlsplit(url)
    host, port = parts.hostname or "", parts.port
    connection = (
        http.client.HTTPSConnection(
            host, port, timeout=seconds, context=ssl.create_default_context()
        )
        if parts.scheme == "https"
        else http.client.HTTPConnection(host, port, timeout=seconds)
    )
    try:
        connection.request("GET", parts.path.rstrip("/") + path)
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read(_PAGE_BYTES)
    finally:
        connection.close()

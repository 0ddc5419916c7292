"""What one resource of a page loads or names: an edge to another resource."""

from dataclasses import dataclass
from enum import StrEnum


class Base(StrEnum):
    """Against what an edge's target is resolved."""

    FILE = "file"
    """The URL of the file that holds the edge."""
    DOCUMENT = "document"
    """The base URL of the page, or the URL of the worker, in which the file runs."""
    SPECIFIER = "specifier"
    """A module specifier: a URL relative to the file, or a name in the page's import map."""


class Kind(StrEnum):
    """What the target is for the page."""

    SCRIPT = "script"
    MODULE = "module"
    WORKER = "worker"
    STYLE = "style"
    IMAGE = "image"
    FONT = "font"
    MEDIA = "media"
    JSON = "json"
    WASM = "wasm"
    MANIFEST = "manifest"
    DOCUMENT = "document"
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """One reference, on line `line` (from 1) of the file that holds it.

    `target` is the reference as written, None when only running the page can tell it; `text` is
    its source, one bounded line. `module` says of a script or a worker that it runs as a module.
    """

    target: str | None
    kind: Kind
    line: int
    text: str
    base: Base = Base.FILE
    module: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Inline:
    """A script inside a page: its source, and the line of the page on which it begins."""

    source: bytes
    line: int
    module: bool


_TEXT_CHARACTERS = 120


def one_line(text: str) -> str:
    """Return source text as one bounded line."""
    words = " ".join(text.split())
    return words if len(words) <= _TEXT_CHARACTERS else words[: _TEXT_CHARACTERS - 1] + "…"


_KIND_OF_SUFFIX = {
    "js": Kind.SCRIPT,
    "mjs": Kind.SCRIPT,
    "css": Kind.STYLE,
    "json": Kind.JSON,
    "wasm": Kind.WASM,
    "woff": Kind.FONT,
    "woff2": Kind.FONT,
    "ttf": Kind.FONT,
    "otf": Kind.FONT,
    "png": Kind.IMAGE,
    "svg": Kind.IMAGE,
    "jpg": Kind.IMAGE,
    "jpeg": Kind.IMAGE,
    "gif": Kind.IMAGE,
    "webp": Kind.IMAGE,
    "avif": Kind.IMAGE,
}


def kind_of_name(target: str) -> Kind:
    """Return what a reference without a declared purpose is for, by the suffix of its path."""
    path = target.partition("?")[0].partition("#")[0]
    return _KIND_OF_SUFFIX.get(path.rpartition(".")[2].lower(), Kind.OTHER)

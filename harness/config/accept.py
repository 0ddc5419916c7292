"""The keys of `[tool.harness.accept]`: what a project tells about its page."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

from harness.config.declare import Key, key, keys_of, table_kind
from harness.config.kinds import (
    POSITIVE_SECONDS,
    Kind,
    Rejected,
    describe,
    strings,
    table_of,
)

TABLE = "tool.harness.accept"
TURN_TABLE = f"{TABLE}.turn"
_NOTHING: Mapping[str, Any] = MappingProxyType({})
_METHODS = ("POST", "PUT", "PATCH", "DELETE")


def _path_fault(path: str) -> str | None:
    if not path.startswith("/") or path.startswith("//"):
        return "a path begins with one '/'"
    if any(not "!" <= character <= "~" for character in path):
        return "a path is ASCII without blanks; write the rest as %NN"
    return None


def _file_endpoint_fault(path: str) -> str | None:
    return _path_fault(path) or (None if "{path}" in path else "it has no {path}")


def _write_fault(text: str) -> str | None:
    method, _, path = text.partition(" ")
    if method not in _METHODS:
        return f"it begins with one of {', '.join(_METHODS)}"
    return _path_fault(path)


PATHS = strings("a path such as '/about'", _path_fault)
FILE_ENDPOINTS = strings("a path with {path} such as '/files/{path}'", _file_endpoint_fault)
WRITES = strings("a method and a path such as 'POST /api/turn'", _write_fault)


def _text(expected: str, fault_of: Callable[[str], str | None] = lambda _: None) -> Kind[str]:
    def read(value: object) -> str | Rejected:
        if not isinstance(value, str) or not value.strip() or "\0" in value:
            return Rejected((f"expected {expected}, found {describe(value)}",))
        fault = fault_of(value)
        return value if fault is None else Rejected((f"expected {expected}: {fault}",))

    return Kind(expected=expected, read=read)


def _optional(kind: Kind[str]) -> Kind[str | None]:
    return Kind(expected=kind.expected, read=kind.read)


def _content(value: object) -> str | Rejected:
    if not isinstance(value, str):
        return Rejected((f"expected the content of a file, found {describe(value)}",))
    return value


def _relative_fault(name: str) -> str | None:
    parts = name.split("/")
    if not name or name.startswith("/") or "\\" in name or {"", ".", ".."} & set(parts):
        return "expected the name of a file below the root, with '/'"
    return None


def _read_serve(value: object) -> str | tuple[str, ...] | Rejected:
    if isinstance(value, str) and value.strip() and "\0" not in value:
        return value
    if isinstance(value, list) and value:
        words = strings("a word of a command", lambda _: None).read(value)
        return words if isinstance(words, Rejected) or words[0] else _serve_fault(value)
    return _serve_fault(value)


def _serve_fault(value: object) -> Rejected:
    return Rejected((f"expected {SERVE.expected}, found {describe(value)}",))


SERVE: Kind[str | tuple[str, ...] | None] = Kind(
    expected="a command, an import string such as 'shop.app:create', or a folder", read=_read_serve
)


def _url_fault(url: str) -> str | None:
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError as error:
        return str(error)
    if not good:
        return "it begins with http:// or https:// and names a host"
    return "it has no query and no fragment" if parts.query or parts.fragment else None


def _stamp_fault(text: str) -> str | None:
    place, colon, name = text.partition(":")
    if place not in ("header", "meta", "path") or not colon or not name.strip():
        return 'it is "header:NAME", "meta:NAME" or "path:/PATH"'
    return _path_fault(name) if place == "path" else None


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnSettings:
    """One thing that a person can do on the page and that writes."""

    page: str = key(_text("a path such as '/'", _path_fault), "/", "The page with the form.")
    form: str = key(_text("a CSS selector"), "form", "The form that is submitted.")
    input: str = key(_text("a CSS selector"), "input", "The field that is typed into.")
    send: str = key(_text("a CSS selector"), "button", "What is clicked to send.")
    shown: str = key(_text("a CSS selector"), "body", "Where the page then shows the text.")
    request: str = key(
        _text("a method and a path such as 'POST /api/turn'", _write_fault),
        "POST /",
        "The one request that sends it.",
    )
    file: str = key(
        _text("a file below the root", _relative_fault), "turns.jsonl", "The file it is written to."
    )
    line: str = key(
        _text("text with {text} or {json}"),
        "{text}",
        "The line that is then the last of it: {text} as typed, {json} as a JSON string.",
    )


TURN: Kind[TurnSettings | None] = table_kind(
    TurnSettings, TURN_TABLE, "a table with form, input, send, shown, request, file and line"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptSettings:
    """The checked content of `[tool.harness.accept]`."""

    serve: str | tuple[str, ...] | None = key(
        SERVE, None, "How the private instance is started. `{root}` is its own data folder."
    )
    pages: tuple[str, ...] = key(PATHS, ("/",), "The pages to open.")
    disk: Mapping[str, str] = key(
        table_of("a URL path", _text("a file or folder"), _path_fault),
        _NOTHING,
        "Which file or folder answers which URL path; the longest path wins.",
    )
    transforms: Mapping[str, str] = key(
        table_of(
            "a URL path with * and ?",
            _text("'specifiers', 'package.module:function' or a command"),
            _path_fault,
        ),
        _NOTHING,
        "What the server does to a file before it serves it.",
    )
    reads: tuple[str, ...] = key(PATHS, (), "GET endpoints that change nothing.")
    volatile: Mapping[str, tuple[str, ...]] = key(
        table_of(
            "a read endpoint",
            strings("a field such as 'user.age'", lambda name: None if name else "it is empty"),
            _path_fault,
        ),
        _NOTHING,
        "Fields of a JSON answer that differ from read to read.",
    )
    writes: tuple[str, ...] = key(WRITES, (), "Requests that write.")
    files: tuple[str, ...] = key(FILE_ENDPOINTS, (), "GET endpoints that answer with a file.")
    seed: Mapping[str, str] = key(
        table_of("a file name", Kind(expected="its content", read=_content), _relative_fault),
        _NOTHING,
        "Files that lie in the private instance's root when it starts.",
    )
    seeded: Mapping[str, str] = key(
        table_of("a GET endpoint", _text("a seeded file", _relative_fault), _path_fault),
        _NOTHING,
        "Which endpoint answers with which seeded file, byte for byte.",
    )
    turn: TurnSettings | None = key(TURN, None, "What a person types and sends.")
    shared: str | None = key(
        _optional(_text("the URL of a front that other people use", _url_fault)),
        None,
        "The front of phase A, which is only read.",
    )
    stamp: str | None = key(
        _optional(_text("where the front says which tree it serves", _stamp_fault)),
        None,
        'Its stamp, the hash of its commit or tree: "header:NAME", "meta:NAME" or "path:/PATH".',
    )
    checks: tuple[str, ...] = key(
        strings("a Python file", lambda name: None if name.endswith(".py") else "it is no .py"),
        (),
        "Files with checks of the project's own.",
    )
    timeout: float = key(POSITIVE_SECONDS, 45.0, "Seconds that the whole of `accept` may take.")


_NEED_NO_SERVER = frozenset({"timeout", "checks", "shared", "stamp"})


def _read_accept(value: object) -> AcceptSettings | Rejected:
    found = _ACCEPT_TABLE.read(value)
    if isinstance(found, Rejected) or not isinstance(value, dict) or "serve" in value:
        return found
    needing = sorted(set(value) - _NEED_NO_SERVER)
    if needing:
        reason = f"{needing[0]} needs {TABLE}.serve, which says how the page is started"
        return Rejected((reason,), (needing[0],))
    return found


_ACCEPT_TABLE = table_kind(AcceptSettings, TABLE, "a table of what accept needs to know")
ACCEPT: Kind[AcceptSettings | None] = Kind(expected=_ACCEPT_TABLE.expected, read=_read_accept)
ACCEPT_KEYS: tuple[Key, ...] = keys_of(AcceptSettings, TABLE)
TURN_KEYS: tuple[Key, ...] = keys_of(TurnSettings, TURN_TABLE)

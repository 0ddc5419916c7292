"""Stored JSON: canonical when written, strict when read, never half there."""

import json
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from harness.errors import UsageError
from harness.records import atomic_file

T = TypeVar("T")


def canonical(value: object) -> bytes:
    """Return the one way to write a value: sorted keys, two spaces, a line break at the end.

    Text is ASCII-safe UTF-8; NaN and infinities are refused with ValueError.
    """
    plain = msgspec.to_builtins(value)
    text = json.dumps(plain, sort_keys=True, indent=2, allow_nan=False, ensure_ascii=False)
    return text.encode("utf-8", "backslashreplace") + b"\n"


def write(path: Path, value: object) -> None:
    """Write atomically: a reader finds the old file or the new one, also after a power cut.

    Missing folders are made. Raises OSError when it cannot be written.
    """
    atomic_file.write_bytes(path, canonical(value))


def read(path: Path, kind: type[T], what: str) -> T:
    """Read a stored value of `kind`, which messages call `what`.

    Raises UsageError that names the file, the place in it and what is wrong: not there, not
    JSON, a key twice, NaN, an unknown field, a value of the wrong type.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path}: {what} cannot be read: {error.strerror}") from None
    return parse(data, kind, what, str(path))


def parse(data: bytes, kind: type[T], what: str, source: str) -> T:
    """Read a stored value from bytes that came from `source`; errors as in `read`."""
    try:
        plain = json.loads(data, object_pairs_hook=_once, parse_constant=_no_constant)
        return msgspec.convert(plain, type=kind)
    except (ValueError, RecursionError, msgspec.MsgspecError) as error:
        raise UsageError(f"{source}: this is no {what}: {error}") from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = sorted({name for name in names if names.count(name) > 1})
        raise ValueError(f"key {twice[0]!r} stands twice in one object")
    return found


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is no number that JSON knows")

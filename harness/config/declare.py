"""Declares a key of a table as a field of a dataclass, with its kind and its meaning."""

import difflib
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, TypeVar

from harness.config.kinds import Kind, Rejected, describe

T = TypeVar("T")


def key(kind: Kind[T], default: T, help_text: str) -> T:
    """Declare one key as a field of a table's dataclass; its field name is its name there."""
    if isinstance(default, Mapping):
        # Immutable, which a dataclass cannot know.
        return field(default_factory=lambda: default, metadata={"kind": kind, "help": help_text})
    return field(default=default, metadata={"kind": kind, "help": help_text})


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """What there is to know about one key. `default` is the value that its dataclass holds."""

    table: str
    name: str
    kind: Kind[object]
    default: object
    help: str

    @property
    def dotted(self) -> str:
        """The key as a message names it: `tool.harness.zygote`."""
        return f"{self.table}.{self.name}"


def keys_of(declaring: type[Any], table: str) -> tuple[Key, ...]:
    """Return the keys that a dataclass declares, in the order of its fields."""
    return tuple(
        Key(
            table=table,
            name=declared.name,
            kind=declared.metadata["kind"],
            default=declared.default
            if declared.default_factory is MISSING
            else declared.default_factory(),
            help=declared.metadata["help"],
        )
        for declared in fields(declaring)
    )


def unknown_key(name: str, table: str, known: list[str]) -> str:
    """Return what is said of a key that `table` does not have."""
    closest = difflib.get_close_matches(name, known, n=1)
    remedy = (
        f"did you mean {table}.{closest[0]}?" if closest else "expected one of " + ", ".join(known)
    )
    return f"unknown key; {remedy}"


def table_kind(declaring: type[T], table: str, expected: str) -> Kind[T]:
    """Return the kind of a table whose keys `declaring` declares; every fault is reported."""
    keys = {each.name: each for each in keys_of(declaring, table)}

    def read(value: object) -> T | Rejected:
        if not isinstance(value, dict):
            return Rejected((f"expected {expected}, found {describe(value)}",))
        accepted: dict[str, Any] = {}
        faults: list[tuple[str, str]] = []
        for name, content in value.items():
            if name not in keys:
                faults.append((name, unknown_key(name, table, list(keys))))
                continue
            found = keys[name].kind.read(content)
            if isinstance(found, Rejected):
                faults += [(name, reason) for reason in _with_entries(found)]
            else:
                accepted[name] = found
        if faults:
            return Rejected(
                tuple(reason for _, reason in faults), tuple(name for name, _ in faults)
            )
        return declaring(**accepted)

    return Kind(expected=expected, read=read)


def _with_entries(rejected: Rejected) -> list[str]:
    """Return every reason with the entry of the inner table that it is about."""
    if not rejected.entries:
        return list(rejected.reasons)
    pairs = zip(rejected.entries, rejected.reasons, strict=True)
    return [f"{entry}: {reason}" for entry, reason in pairs]

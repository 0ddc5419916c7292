"""Every key of `[tool.harness]`, in one place: `Config` is the table that the rest reads.

A new key is one more `key(...)` field; the reader, the docs test and `KEYS` follow.
"""

from dataclasses import dataclass, field, fields
from typing import TypeVar

from harness.config.kinds import (
    BROWSER_ARGUMENTS,
    COUNT,
    POSITIVE_SECONDS,
    SWITCH,
    VARIABLE_NAMES,
    Kind,
)

T = TypeVar("T")

TABLE = "tool.harness"


def key(kind: Kind[T], default: T, help_text: str) -> T:
    """Declare one key as a field of `Config`; its field name is its name in the table."""
    return field(default=default, metadata={"kind": kind, "help": help_text})


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """The checked content of `[tool.harness]`. `Config()` holds the defaults."""

    browser_start_seconds: float = key(
        POSITIVE_SECONDS, 30.0, "How long a browser may take until it answers on its endpoint."
    )
    server_start_seconds: float = key(
        POSITIVE_SECONDS, 15.0, "How long a server may take until it answers the readiness request."
    )
    browser_args: tuple[str, ...] = key(
        BROWSER_ARGUMENTS, (), "Switches that are added to every Chromium command line."
    )
    zygote: bool = key(
        SWITCH, True, "Keep Chromium's zygote. Without it each new page takes longer to start."
    )
    private_home: bool = key(
        SWITCH, False, "Give each browser and server a HOME of its own in its scratch directory."
    )
    pass_environment: tuple[str, ...] = key(
        VARIABLE_NAMES, (), "Environment variables that `serve` commands inherit from the shell."
    )
    max_browsers: int | None = key(
        COUNT, None, "How many test processes of this host may have browsers at once."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """What there is to know about one key. `default` is the value that `Config` holds."""

    name: str
    kind: Kind[object]
    default: object
    help: str

    @property
    def dotted(self) -> str:
        """The key as a message names it: `tool.harness.zygote`."""
        return f"{TABLE}.{self.name}"


KEYS: tuple[Key, ...] = tuple(
    Key(
        name=declared.name,
        kind=declared.metadata["kind"],
        default=declared.default,
        help=declared.metadata["help"],
    )
    for declared in fields(Config)
)
"""Every key, in the order of the documentation."""

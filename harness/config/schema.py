"""Every key of `[tool.harness]`, in one place: `Config` is the table that the rest reads.

A new key is one more `key(...)` field; the reader, the docs test and `KEYS` follow.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from harness.config.accept import ACCEPT, AcceptSettings
from harness.config.declare import Key, key, keys_of
from harness.config.kinds import (
    ALLOWED_SKIPS,
    BROWSER_ARGUMENTS,
    BUDGETS,
    COMMAND_LANES,
    COUNT,
    LOCK_NAMES,
    POSITIVE_SECONDS,
    REASONS,
    SWITCH,
    VARIABLE_NAMES,
    choice,
)

TABLE = "tool.harness"
_NOTHING: Mapping[str, Any] = MappingProxyType({})


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
    isolated: Mapping[str, str] = key(
        REASONS, _NOTHING, "Test files that run alone, after all others of their lane, and why."
    )
    locks: Mapping[str, tuple[str, ...]] = key(
        LOCK_NAMES, _NOTHING, "Names of which no two running test files hold one at the same time."
    )
    budgets: Mapping[str, float] = key(
        BUDGETS, _NOTHING, "How long a file run may take: of a lane, or of one file."
    )
    allowed_skips: Mapping[str, str] = key(
        ALLOWED_SKIPS, _NOTHING, "Skips, and files without a test to run, that do not fail a run."
    )
    commands: Mapping[str, str] = key(
        COMMAND_LANES, _NOTHING, "Commands that put a test file which runs them into a lane."
    )
    leaks: str = key(
        choice("fail", "warn"), "fail", "What a process that outlives its test file does to it."
    )
    exit_grace_seconds: float = key(
        POSITIVE_SECONDS, 5.0, "How long a test file's process may take to end after its last test."
    )
    accept: AcceptSettings | None = key(
        ACCEPT, None, "What `accept` starts, reads, writes and compares."
    )


KEYS: tuple[Key, ...] = keys_of(Config, TABLE)
"""Every key, in the order of the documentation."""

"""The kinds of value that a key can have: what is expected, and how one is read or rejected."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Generic, TypeVar

from harness.model.identifiers import Lane

T = TypeVar("T")

_SHOWN_CHARACTERS = 60
_EXACT_INTEGER_BITS = 64


@dataclass(frozen=True, slots=True)
class Rejected:
    """Why a value cannot be used: one reason per fault, never empty.

    `entries` names the entry of a table that each reason is about; empty for any other value.
    """

    reasons: tuple[str, ...]
    entries: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind(Generic[T]):
    """`read` takes any value that TOML can hold and returns a `T` or the reasons; never raises."""

    expected: str
    read: Callable[[object], T | Rejected]


def describe(value: object) -> str:
    """Say in TOML's words what was found, within a bound whatever the value is."""
    match value:
        case bool():
            return f"the boolean {str(value).lower()}"
        case str():
            shown = value if len(value) <= _SHOWN_CHARACTERS else value[:_SHOWN_CHARACTERS] + "…"
            return f"the string {shown!r}"
        # Printing a larger one may raise: int-to-str conversion is limited by the interpreter.
        case int() if value.bit_length() > _EXACT_INTEGER_BITS:
            return f"an integer of {value.bit_length()} bits"
        case int():
            return f"the integer {value}"
        case float():
            return f"the float {value}"
        case list():
            return f"an array of {len(value)}" if value else "an empty array"
        case dict():
            return "a table"
        case _:
            return f"the {type(value).__name__} {value}"


def _expected(words: str, value: object) -> Rejected:
    return Rejected((f"expected {words}, found {describe(value)}",))


_POSITIVE_SECONDS = "a finite number of seconds greater than 0"


def _read_positive_seconds(value: object) -> float | Rejected:
    # bool is an int to Python, and no duration to anybody.
    if isinstance(value, bool) or not isinstance(value, int | float):
        return _expected(_POSITIVE_SECONDS, value)
    try:
        seconds = float(value)
    except OverflowError:
        return _expected(_POSITIVE_SECONDS, value)
    if not math.isfinite(seconds) or seconds <= 0:
        return _expected(_POSITIVE_SECONDS, value)
    return seconds


POSITIVE_SECONDS = Kind(expected=_POSITIVE_SECONDS, read=_read_positive_seconds)


def _read_switch(value: object) -> bool | Rejected:
    return value if isinstance(value, bool) else _expected(SWITCH.expected, value)


SWITCH: Kind[bool] = Kind(expected="true or false", read=_read_switch)


def _read_count(value: object) -> int | Rejected | None:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        return _expected(COUNT.expected, value)
    return value


COUNT: Kind[int | None] = Kind(expected="a whole number from 1", read=_read_count)


def strings(item: str, fault_of: Callable[[str], str | None]) -> Kind[tuple[str, ...]]:
    """Return the kind of an array of strings that `item` describes.

    `fault_of` returns what is wrong with one string, or None; every faulty entry is reported,
    counted from 1.
    """
    expected = f"an array of strings, each {item}"

    def read(value: object) -> tuple[str, ...] | Rejected:
        if not isinstance(value, list):
            return _expected(expected, value)
        faults = [_entry_fault(entry, fault_of) for entry in value]
        reasons = tuple(
            f"entry {number}: expected {item}, found {describe(entry)}{fault and ': ' + fault}"
            for number, (entry, fault) in enumerate(zip(value, faults, strict=True), start=1)
            if fault is not None
        )
        return Rejected(reasons) if reasons else tuple(value)

    return Kind(expected=expected, read=read)


def _entry_fault(entry: object, fault_of: Callable[[str], str | None]) -> str | None:
    """Return None for a good entry, an empty string when its type says it all."""
    if not isinstance(entry, str):
        return ""
    if "\0" in entry:
        return "a NUL cannot be handed to a process"
    return fault_of(entry)


OWNED_BROWSER_SWITCHES = {
    "user-data-dir": "the harness owns the profile: each browser has its own, removed with it",
    "remote-debugging-port": "the harness owns the endpoint: a chosen port is a race",
    "remote-debugging-pipe": "the harness owns the pipe: it ends the browser when its owner dies",
    "single-process": "it is forbidden: a renderer crash would take the browser with it",
    "disable-crashpad-for-testing": "it is forbidden: a crash would leave no evidence",
}


def _browser_argument_fault(argument: str) -> str | None:
    if not argument.startswith("-"):
        return "it does not start with '-'"
    # Chromium reads -name as --name, and trims white space around it.
    name = argument.lstrip("-").partition("=")[0].strip()
    if not name:
        return "it names no switch"
    return OWNED_BROWSER_SWITCHES.get(name)


BROWSER_ARGUMENTS = strings("a Chromium switch such as '--lang=de'", _browser_argument_fault)


def _variable_name_fault(name: str) -> str | None:
    if not name:
        return "a name has at least one character"
    if "=" in name:
        return "a name holds no '='; the value comes from the shell"
    return None


VARIABLE_NAMES = strings("the name of an environment variable", _variable_name_fault)


def choice(*words: str) -> Kind[str]:
    """Return the kind of a value that is one of `words`."""
    expected = " or ".join(f'"{word}"' for word in words)

    def read(value: object) -> str | Rejected:
        return value if isinstance(value, str) and value in words else _expected(expected, value)

    return Kind(expected=expected, read=read)


def table_of(
    named: str, kind: Kind[T], fault_of_name: Callable[[str], str | None] = lambda _: None
) -> Kind[Mapping[str, T]]:
    """Return the kind of a table whose names are `named` and whose values are of one kind.

    Every faulty entry is reported. What is read cannot be changed.
    """
    expected = f"a table of {named} = {kind.expected}"

    def read(value: object) -> Mapping[str, T] | Rejected:
        if not isinstance(value, dict):
            return _expected(expected, value)
        accepted: dict[str, T] = {}
        faults: list[tuple[str, str]] = []
        for name, content in value.items():
            fault = fault_of_name(name)
            found = kind.read(content)
            if fault is not None:
                faults.append((name, fault))
            if isinstance(found, Rejected):
                faults += [(name, reason) for reason in found.reasons]
            else:
                accepted[name] = found
        if faults:
            return Rejected(
                tuple(reason for _, reason in faults), tuple(name for name, _ in faults)
            )
        return MappingProxyType(accepted)

    return Kind(expected=expected, read=read)


def _read_text(value: object) -> str | Rejected:
    if not isinstance(value, str) or not value.strip():
        return _expected(TEXT.expected, value)
    return value


TEXT: Kind[str] = Kind(expected="a reason in words", read=_read_text)


def _file_fault(name: str) -> str | None:
    if name.startswith("/") or "\\" in name or ".." in name.split("/"):
        return "expected the path of a test file, relative to this file, with '/'"
    return None


def _lane_or_file_fault(name: str) -> str | None:
    return None if name in LANES else _file_fault(name)


LANES = tuple(lane.value for lane in Lane)
TEST_FILE = "a test file"
REASONS = table_of(TEST_FILE, TEXT, _file_fault)
ALLOWED_SKIPS = table_of("a test file, a test id, or reason:PATTERN", TEXT)
LOCK_NAMES = table_of(
    TEST_FILE,
    strings(
        "the name of a lock", lambda name: None if name else "a name has at least one character"
    ),
    _file_fault,
)
BUDGETS = table_of("a lane or a test file", POSITIVE_SECONDS, _lane_or_file_fault)
COMMAND_LANES = table_of("a command", choice(*LANES))

"""docs/configuration.md and the table of keys say the same."""

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest

from harness.config import KEYS, Key, parse
from harness.config.accept import ACCEPT_KEYS, TURN_KEYS
from harness.config.kinds import OWNED_BROWSER_SWITCHES

DOCUMENT = (Path(__file__).parents[3] / "docs" / "configuration.md").read_text()


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    return list(value) if isinstance(value, tuple) else value


def _default(written: str) -> object:
    """TOML has no word for a key that is not set; the document says `none`."""
    return None if written == "none" else tomllib.loads(f"value = {written}")["value"]


@pytest.mark.parametrize(
    ("header", "keys"),
    [
        ("key", KEYS),
        ("key of `accept`", ACCEPT_KEYS),
        ("key of `accept.turn`", TURN_KEYS),
    ],
)
def test_the_documented_keys_are_exactly_those_that_exist(
    header: str, keys: tuple[Key, ...]
) -> None:
    table = DOCUMENT.partition(f"| {header} | value | default | meaning |\n")[2].partition("\n\n")[
        0
    ]
    rows = re.findall(r"^\| `(\w+)` \| (.+?) \| `(.+?)` \| (.+?) \|$", table, re.MULTILINE)
    documented = [
        (name, expected, _default(default), meaning) for name, expected, default, meaning in rows
    ]

    assert documented == [
        (key.name, key.kind.expected, _plain(key.default), key.help) for key in keys
    ]


def test_the_documented_refused_switches_are_exactly_those_that_are_refused() -> None:
    rows = re.findall(r"^\| `--([\w-]+)` \| (.+?) \|$", DOCUMENT, re.MULTILINE)

    assert dict(rows) == OWNED_BROWSER_SWITCHES


def test_the_documented_example_is_valid() -> None:
    [example] = re.findall(r"```toml\n(.+?)```", DOCUMENT, re.DOTALL)

    assert parse(example, "docs").browser_args == ("--lang=de",)

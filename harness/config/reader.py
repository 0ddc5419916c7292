"""From the text of a pyproject.toml to a `Config`, or to every problem in it at once."""

import re
import stat
import tomllib
from pathlib import Path
from typing import Any

from harness.config.declare import unknown_key
from harness.config.kinds import Rejected, describe
from harness.config.lines import line_of
from harness.config.problems import ConfigError, Problem
from harness.config.schema import KEYS, TABLE, Config

FILE_NAME = "pyproject.toml"

_TOMLLIB_LINE = re.compile(r"\(at line (\d+), column \d+\)")


def load(root: Path) -> Config:
    """Return the configuration in the pyproject.toml of folder `root`.

    A missing file or table gives the defaults. Raises ConfigError with every problem; a file
    that cannot be read or decoded is one.
    """
    path = root / FILE_NAME
    try:
        # A pipe or a device would be waited for, or never end.
        mode = path.stat().st_mode
        if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
            raise _whole_file(str(path), None, "expected a file, found something else")
        text = path.read_bytes().decode()
    except FileNotFoundError:
        if path.is_symlink():
            raise _whole_file(str(path), None, "links to a file that is not there") from None
        return Config()
    except UnicodeDecodeError as error:
        message = f"expected UTF-8, found byte 0x{error.object[error.start]:02x}"
        line = error.object.count(b"\n", 0, error.start) + 1
        raise _whole_file(str(path), line, message) from error
    except OSError as error:
        raise _whole_file(str(path), None, f"cannot be read: {error.strerror}") from error
    return parse(text, str(path))


def parse(text: str, file: str) -> Config:
    """Return the configuration in `text`; `file` is the name that problems carry.

    Raises ConfigError with every problem, and nothing else whatever the text is.
    """
    text = text.replace("\r\n", "\n")
    table = _table(text, file)
    problems = _unknown_keys(table, text, file)
    accepted: dict[str, Any] = {}
    for key in KEYS:
        if key.name not in table:
            continue
        value = key.kind.read(table[key.name])
        if isinstance(value, Rejected):
            problems += [
                _problem_at(text, file, (*TABLE.split("."), key.name, *entry), reason)
                for reason, entry in _placed(value)
            ]
        else:
            accepted[key.name] = value
    if problems:
        raise ConfigError(sorted(problems, key=_file_order))
    return Config(**accepted)


def _table(text: str, file: str) -> dict[str, object]:
    try:
        node: object = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = _TOMLLIB_LINE.search(str(error))
        line = int(found[1]) if found else text.count("\n") + 1
        raise _whole_file(file, line, f"expected TOML: {error}") from error
    except (ValueError, RecursionError) as error:
        # Python's own limits: the digits of an integer, the depth of an array.
        raise _whole_file(file, None, f"expected TOML within Python's limits: {error}") from error
    path: tuple[str, ...] = ()
    for part in TABLE.split("."):
        assert isinstance(node, dict)
        if part not in node:
            return {}
        node, path = node[part], (*path, part)
        if not isinstance(node, dict):
            message = f"expected a table, found {describe(node)}"
            raise ConfigError([_problem_at(text, file, path, message)])
    assert isinstance(node, dict)
    return node


def _placed(rejected: Rejected) -> list[tuple[str, tuple[str, ...]]]:
    """Return every reason with the entry of a table that it is about."""
    if not rejected.entries:
        return [(reason, ()) for reason in rejected.reasons]
    return [
        (reason, (entry,)) for reason, entry in zip(rejected.reasons, rejected.entries, strict=True)
    ]


def _unknown_keys(table: dict[str, object], text: str, file: str) -> list[Problem]:
    known = [key.name for key in KEYS]
    problems = []
    for name in table:
        if name in known:
            continue
        problems.append(_problem(text, file, name, unknown_key(name, TABLE, known)))
    return problems


def _problem(text: str, file: str, name: str, message: str) -> Problem:
    return _problem_at(text, file, (*TABLE.split("."), name), message)


def _problem_at(text: str, file: str, path: tuple[str, ...], message: str) -> Problem:
    return Problem(key=".".join(path), file=file, line=line_of(text, path), message=message)


def _whole_file(file: str, line: int | None, message: str) -> ConfigError:
    return ConfigError([Problem(key="", file=file, line=line, message=message)])


def _file_order(problem: Problem) -> tuple[bool, int, str]:
    return (problem.line is None, problem.line or 0, problem.key)

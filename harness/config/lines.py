"""Where a key stands in a TOML text: `tomllib` gives values without their lines."""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass

_PART = r"""(?:"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[A-Za-z0-9_-]+)"""
_PATH = rf"{_PART}(?:[ \t]*\.[ \t]*{_PART})*"
_HEADER = re.compile(rf"[ \t]*\[\[?[ \t]*({_PATH})[ \t]*\]\]?")
_ASSIGNMENT = re.compile(rf"[ \t]*({_PATH})[ \t]*=")
# A multi-line string may end in up to two quotes of its own before the closing three.
_TOKEN = re.compile(
    r'''"""(?:[^\\]|\\.)*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|\#[^\n]*|.''',
    re.DOTALL,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Statement:
    """A table header or an assignment, with the full path that it speaks about."""

    line: int
    path: tuple[str, ...]
    is_header: bool

    def holds(self, path: tuple[str, ...]) -> bool:
        if self.path[: len(path)] == path:
            return True
        # An inline table is closed: what it is said to hold stands inside that assignment.
        return not self.is_header and path[: len(self.path)] == self.path


def line_of(text: str, path: tuple[str, ...]) -> int | None:
    """Return the line, from 1, of the first statement that sets `path`, or None.

    `text` is a TOML document that `tomllib` accepts; both `[a.b]` tables and dotted keys count,
    and a key of an inline table has the line of the assignment that holds it. What looks like a
    key inside a string or an array is none.
    """
    found = (statement.line for statement in _statements(text) if statement.holds(path))
    return next(found, None)


def _statements(text: str) -> Iterator[_Statement]:
    table: tuple[str, ...] = ()
    position, line = 0, 1
    while position < len(text):
        if header := _HEADER.match(text, position):
            table = _parts(header[1])
            yield _Statement(line=line, path=table, is_header=True)
        elif assignment := _ASSIGNMENT.match(text, position):
            path = table + _parts(assignment[1])
            yield _Statement(line=line, path=path, is_header=False)
        matched = header or assignment
        after = _end_of_statement(text, matched.end() if matched else position)
        line += text.count("\n", position, after)
        position = after


def _end_of_statement(text: str, start: int) -> int:
    """Return the position after the line break that ends the statement, or the text's end."""
    depth = 0
    for token in _TOKEN.finditer(text, start):
        if token[0] in "[{":
            depth += 1
        elif token[0] in "]}":
            depth -= 1
        elif token[0] == "\n" and depth <= 0:
            return token.end()
    return len(text)


def _parts(path: str) -> tuple[str, ...]:
    """Split a dotted key with TOML's own rules for quotes and escapes."""
    parts: list[str] = []
    node: object = tomllib.loads(f"{path} = 0")
    while isinstance(node, dict):
        [(part, node)] = node.items()
        parts.append(part)
    return tuple(parts)

"""Two versions of a module compared as syntax trees, with the specifiers of imports left out."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from tree_sitter import Language, Node, Parser, TreeCursor
from tree_sitter_javascript import language


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A leaf of the tree: its source and its line, from 1."""

    text: str
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """`difference` is the first token that differs, on both sides; None when only names do.

    `rewritten` holds each specifier that differs: as on disk, as served.
    """

    difference: tuple[Token, Token] | None
    rewritten: tuple[tuple[str, str], ...]


_END = Token(text="", line=0)
_SPECIFIER = "specifier"


def compare_but_for_specifiers(disk: bytes, served: bytes) -> Comparison:
    """Compare two modules by their tokens; comments count, white space does not.

    A served file with a syntax error never equals one without: the error is a token.
    """
    rewritten = []
    pairs = zip(_with_end(_tokens(disk)), _with_end(_tokens(served)), strict=False)
    for (kind, one), (other_kind, other) in pairs:
        if kind == other_kind == _SPECIFIER:
            if one.text != other.text:
                rewritten.append((one.text[1:-1], other.text[1:-1]))
        elif (kind, one.text) != (other_kind, other.text):
            return Comparison(difference=(one, other), rewritten=tuple(rewritten))
        if _END in (one, other):
            break
    return Comparison(difference=None, rewritten=tuple(rewritten))


@cache
def _parser() -> Parser:
    return Parser(Language(language()))


def _with_end(tokens: Iterator[tuple[str, Token]]) -> Iterator[tuple[str, Token]]:
    yield from tokens
    yield "end", _END


def _tokens(source: bytes) -> Iterator[tuple[str, Token]]:
    cursor: TreeCursor = _parser().parse(source).walk()
    while True:
        node = cursor.node
        assert node is not None
        specifier = _is_specifier(node)
        whole = specifier or node.type in ("string", "comment", "template_string_fragment")
        if not whole and cursor.goto_first_child():
            continue
        text = source[node.start_byte : node.end_byte].decode("utf-8", "replace")
        kind = _SPECIFIER if specifier else ("error" if node.is_missing else node.type)
        yield kind, Token(text=text, line=node.start_point.row + 1)
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return


def _is_specifier(node: Node) -> bool:
    if node.type != "string" or node.parent is None:
        return False
    above = node.parent
    if above.type in ("import_statement", "export_statement"):
        return above.child_by_field_name("source") == node
    return (
        above.type == "arguments"
        and above.parent is not None
        and above.parent.type == "call_expression"
        and (called := above.parent.child_by_field_name("function")) is not None
        and called.type == "import"
        and above.named_child(0) == node
    )

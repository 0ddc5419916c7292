"""The edges of a style sheet, found in its tokens (CSS Syntax Level 3)."""

from collections.abc import Iterable

import tinycss2
from tinycss2.ast import Node

from harness.resources.edges import Base, Edge, Kind, kind_of_name

_URL_FUNCTIONS = frozenset({"url", "src"})
_IMAGE_SETS = frozenset({"image-set", "-webkit-image-set"})


def edges_of_css(source: str, *, first_line: int = 1, base: Base = Base.FILE) -> list[Edge]:
    """Return what a style sheet loads: `@import`, `url()`, `src()`, `image-set()`.

    `first_line` is where the sheet begins in its file. A reference into the document itself
    (`#id`) and `data:` are no edges. Anything is accepted.
    """
    edges: list[tuple[int, int, Edge]] = []
    waiting: list[Iterable[Node]] = [tinycss2.parse_component_value_list(source)]
    while waiting:
        nodes = list(waiting.pop())
        statement = ""
        for node in nodes:
            if node.type == "at-keyword":
                statement = node.lower_value
            elif node.type == "{} block" or (node.type == "literal" and node.value == ";"):
                statement = ""
            target = _target(node, statement)
            if target and not target.startswith(("#", "data:")) and statement != "namespace":
                kind = Kind.STYLE if statement == "import" else kind_of_name(target)
                edge = Edge(
                    target=target,
                    kind=kind,
                    line=node.source_line + first_line - 1,
                    text=("@import " if statement == "import" else "") + f"url({target})",
                    base=base,
                )
                edges.append((node.source_line, node.source_column, edge))
            if target is not None and statement == "import":
                # Only the first value of an @import is a reference.
                statement = "imported"
            if node.type == "function" and node.lower_name in _IMAGE_SETS:
                waiting.append(_strings_as_urls(node.arguments))
            elif node.type == "function" and node.lower_name not in _URL_FUNCTIONS:
                waiting.append(node.arguments)
            elif node.type in ("{} block", "[] block", "() block"):
                waiting.append(node.content)
    return [edge for _, _, edge in sorted(edges, key=lambda found: found[:2])]


def _target(node: Node, statement: str) -> str | None:
    if node.type == "url":
        return str(node.value)
    if node.type == "function" and node.lower_name in _URL_FUNCTIONS:
        return next((str(part.value) for part in node.arguments if part.type == "string"), None)
    if node.type == "string" and statement == "import":
        return str(node.value)
    return None


def _strings_as_urls(nodes: Iterable[Node]) -> list[Node]:
    """In an image-set, a string alone is a URL; inside `type()` it is not."""
    return [
        tinycss2.ast.URLToken(node.source_line, node.source_column, node.value, node.representation)
        if node.type == "string"
        else node
        for node in nodes
        if not (node.type == "function" and node.lower_name == "type")
    ]

"""The edges of a JavaScript file, found in its syntax tree.

Sources of the rules: ECMAScript modules for imports; the HTML standard for workers, worklets,
`importScripts` and `import.meta`, which resolve against the settings object's base URL, not
against the script's own.
"""

from functools import cache

from tree_sitter import Language, Node, Parser, Query, QueryCursor
from tree_sitter_javascript import language

from harness.resources.edges import Base, Edge, Kind, kind_of_name, one_line

_QUERY = """
(import_statement source: (string)) @static
(export_statement source: (string)) @static
(call_expression function: (import)) @dynamic
(new_expression constructor: (identifier)) @new
(new_expression constructor: (member_expression)) @new
(call_expression function: (identifier) @name (#eq? @name "importScripts")) @scripts
(call_expression function: (member_expression property: (property_identifier) @called
  (#any-of? @called "importScripts" "register" "addModule" "resolve"))) @method
"""
_WORKERS = frozenset({"Worker", "SharedWorker"})
_GLOBALS = frozenset({"window", "self", "globalThis"})
_DOCUMENT_BASES = frozenset(
    {"location", "location.href", "document.baseURI", "document.location", "document.URL"}
)
_JSON = frozenset({"json"})


def edges_of_javascript(source: bytes) -> list[Edge]:
    """Return what a script or module loads, in the order of the source.

    References that only running the code can tell (a variable, a template with a substitution)
    are edges without a target. Anything is accepted: what cannot be parsed has no edges.
    """
    found = QueryCursor(_query()).captures(_parser().parse(source).root_node)
    reader = _Reader(source)
    edges: list[tuple[int, Edge]] = []
    for name, read in (
        ("static", reader.static),
        ("dynamic", reader.dynamic),
        ("new", reader.constructed),
        ("scripts", reader.scripts),
        ("method", reader.method),
    ):
        for node in found.get(name, ()):
            edges += [(node.start_byte, edge) for edge in read(node)]
    # `new Worker(new URL(...))` is one reference, found twice: as a worker and as a URL.
    return [edge for _, edge in sorted(edges, key=lambda pair: pair[0])]


@cache
def _language() -> Language:
    return Language(language())


@cache
def _query() -> Query:
    return Query(_language(), _QUERY)


@cache
def _parser() -> Parser:
    return Parser(_language())


class _Reader:
    """Reads nodes of one file; each method returns the edges of one node."""

    def __init__(self, source: bytes) -> None:
        self._source = source
        self._claimed: set[int] = set()

    def static(self, node: Node) -> list[Edge]:
        source = node.child_by_field_name("source")
        kind = _kind_of_attributes(self._text(node.children[-1])) if node.children else None
        for child in node.children:
            if child.type == "import_attribute":
                kind = _kind_of_attributes(self._text(child))
        return self._edges(node, source, kind or Kind.MODULE, Base.SPECIFIER, module=True)

    def dynamic(self, node: Node) -> list[Edge]:
        arguments = self._arguments(node)
        if not arguments:
            return []
        kind = _kind_of_attributes(self._text(arguments[1])) if len(arguments) > 1 else None
        return self._edges(node, arguments[0], kind or Kind.MODULE, Base.SPECIFIER, module=True)

    def constructed(self, node: Node) -> list[Edge]:
        name = self._global_name(node.child_by_field_name("constructor"))
        arguments = self._arguments(node)
        if not arguments:
            return []
        if name in _WORKERS:
            module = len(arguments) > 1 and _says_module(self._text(arguments[1]))
            return self._loaded(node, arguments[0], Kind.WORKER, module=module)
        if name == "URL" and len(arguments) > 1 and node.id not in self._claimed:
            base = self._base(arguments[1])
            if base is Base.FILE:
                return self._edges(node, arguments[0], None, base)
        return []

    def scripts(self, node: Node) -> list[Edge]:
        return [
            edge
            for argument in self._arguments(node)
            for edge in self._loaded(node, argument, Kind.SCRIPT)
        ]

    def method(self, node: Node) -> list[Edge]:
        function = node.child_by_field_name("function")
        assert function is not None
        owner = function.child_by_field_name("object")
        called = function.child_by_field_name("property")
        assert owner is not None
        assert called is not None
        owner_text, name = self._text(owner), self._text(called)
        arguments = self._arguments(node)
        if not arguments:
            return []
        if name == "importScripts" and owner_text in _GLOBALS:
            return self.scripts(node)
        if name == "register" and owner_text.endswith("serviceWorker"):
            module = len(arguments) > 1 and _says_module(self._text(arguments[1]))
            return self._loaded(node, arguments[0], Kind.WORKER, module=module)
        if name == "addModule":
            return self._loaded(node, arguments[0], Kind.WORKER, module=True)
        if name == "resolve" and owner_text == "import.meta":
            return self._edges(node, arguments[0], None, Base.SPECIFIER)
        return []

    def _loaded(
        self, node: Node, argument: Node, kind: Kind, *, module: bool = False
    ) -> list[Edge]:
        """Return edges of a call that takes a URL, written out or as `new URL(target, base)`."""
        inner = argument
        while inner.type in ("parenthesized_expression", "member_expression", "call_expression"):
            # `new URL(...).href` and `.toString()`
            field = {"member_expression": "object", "call_expression": "function"}.get(inner.type)
            below = inner.child_by_field_name(field) if field else inner.named_child(0)
            if below is None:
                break
            inner = below
        if inner.type == "new_expression":
            parts = self._arguments(inner)
            name = self._global_name(inner.child_by_field_name("constructor"))
            base = self._base(parts[1]) if name == "URL" and len(parts) > 1 else None
            if base is not None:
                self._claimed.add(inner.id)
                return self._edges(node, parts[0], kind, base, module=module)
        return self._edges(node, argument, kind, Base.DOCUMENT, module=module)

    def _edges(
        self,
        node: Node,
        target: Node | None,
        kind: Kind | None,
        base: Base,
        *,
        module: bool = False,
    ) -> list[Edge]:
        targets = self._literals(target) if target is not None else None
        return [
            Edge(
                target=one,
                kind=kind or (Kind.OTHER if one is None else kind_of_name(one)),
                line=node.start_point.row + 1,
                text=one_line(self._text(node)),
                base=base,
                module=module,
            )
            for one in (targets if targets is not None else [None])
        ]

    def _base(self, node: Node) -> Base | None:
        text = self._text(node)
        if text in ("import.meta.url", "import.meta.href"):
            return Base.FILE
        for prefix in _GLOBALS:
            text = text.removeprefix(f"{prefix}.")
        return Base.DOCUMENT if text in _DOCUMENT_BASES else None

    def _literals(self, node: Node) -> list[str] | None:
        """Return every string the expression can be; None where the source does not say."""
        waiting, found = [node], []
        while waiting:
            one = waiting.pop()
            if one.type == "parenthesized_expression" and one.named_child_count == 1:
                waiting += one.named_children
            elif one.type == "ternary_expression":
                waiting += [
                    part
                    for field in ("alternative", "consequence")
                    if (part := one.child_by_field_name(field)) is not None
                ]
            else:
                text = self._string(one)
                if text is None:
                    return None
                found.append(text)
        return found

    def _string(self, node: Node) -> str | None:
        if node.type not in ("string", "template_string"):
            return None
        parts = []
        for child in node.named_children:
            if child.type == "string_fragment":
                parts.append(self._text(child))
            elif child.type == "escape_sequence":
                parts.append(_unescaped(self._text(child)))
            else:
                return None
        return "".join(parts)

    def _arguments(self, node: Node) -> list[Node]:
        arguments = node.child_by_field_name("arguments")
        if arguments is None or arguments.type != "arguments":
            return []
        return [child for child in arguments.named_children if child.type != "comment"]

    def _global_name(self, node: Node | None) -> str:
        text = self._text(node) if node is not None else ""
        owner, _, name = text.rpartition(".")
        return name if not owner or owner in _GLOBALS else ""

    def _text(self, node: Node) -> str:
        return self._source[node.start_byte : node.end_byte].decode("utf-8", "replace")


def _kind_of_attributes(text: str) -> Kind | None:
    """Return what `with { type: "json" }` makes of a module."""
    words = text.replace('"', "'").replace(" ", "")
    if not words.startswith(("with", "assert", "{")):
        return None
    for name, kind in (("json", Kind.JSON), ("css", Kind.STYLE)):
        if f"type:'{name}'" in words or f"'type':'{name}'" in words:
            return kind
    return None


def _says_module(options: str) -> bool:
    words = options.replace('"', "'").replace("`", "'").replace(" ", "")
    return "type:'module'" in words or "'type':'module'" in words


_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0"}


def _unescaped(text: str) -> str:
    body = text[1:]
    if body[:1] in ("x", "u"):
        try:
            return chr(int(body[1:].strip("{}"), 16))
        except (ValueError, OverflowError):
            return text
    if body[:1] in ("\n", "\r", "\u2028", "\u2029"):
        return ""
    return _ESCAPES.get(body, body)

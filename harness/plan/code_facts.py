"""What a piece of code uses, by its syntax tree: names, imports, commands, fixtures by name."""

import ast
import shlex
from collections.abc import Iterable, Mapping

from harness.plan.facts import Code, Import

Constants = Mapping[str, ast.expr]
"""The literals that names of the module stand for."""

_IMPORTING = frozenset({"import_module", "importorskip", "__import__"})
_TAKES_TEXT = frozenset(
    {
        "run", "Popen", "call", "check_call", "check_output", "getoutput", "getstatusoutput",
        "system", "popen", "create_subprocess_shell", "serve", "serve_session", "spawn",
    }
)  # fmt: skip
_TAKES_WORDS = frozenset({"create_subprocess_exec", "execlp", "execl", "spawnlp", "spawnl"})
_COMMAND_KEYWORDS = frozenset({"args", "command", "cmd", "target"})
_STORED_WORDS = 4
_IGNORED_FIELDS = frozenset({"annotation", "returns", "ctx", "op", "ops", "type_params"})
_FIELDS = {
    kind: tuple(field for field in kind._fields if field not in _IGNORED_FIELDS)
    for kind in vars(ast).values()
    if isinstance(kind, type) and issubclass(kind, ast.AST)
}


def dotted(node: ast.AST) -> str | None:
    """Return `a.b.c` for a name or attributes of one, None for any other expression."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    parts.append(node.id)
    return ".".join(reversed(parts))


def is_type_checking(node: ast.If) -> bool:
    """Whether a branch is for type checkers only and never runs."""
    return (dotted(node.test) or "").rpartition(".")[2] == "TYPE_CHECKING"


def imports_of(node: ast.Import | ast.ImportFrom) -> list[Import]:
    """Return what one statement imports."""
    if isinstance(node, ast.Import):
        return [
            Import(alias.asname or alias.name.partition(".")[0], alias.name)
            if alias.asname or "." not in alias.name
            else Import(alias.name, alias.name)
            for alias in node.names
        ]
    start = "." * node.level + (node.module or "")
    joint = "" if start.endswith(".") else "."
    return [
        Import(
            alias.asname or alias.name, start if alias.name == "*" else start + joint + alias.name
        )
        for alias in node.names
    ]


class Reading:
    """Collects what any number of pieces use."""

    def __init__(self, constants: Constants) -> None:
        self._constants = constants
        self._names: dict[str, None] = {}
        self._imports: dict[Import, None] = {}
        self._commands: dict[tuple[str, ...], None] = {}
        self._requests: dict[str, None] = {}

    def read(self, nodes: Iterable[ast.AST]) -> "Reading":
        """Take every use below `nodes`."""
        stack = list(nodes)
        while stack:
            node = stack.pop()
            kind = type(node)
            if kind is ast.Name:
                self._names[node.id] = None  # type: ignore[attr-defined]
            elif kind is ast.Attribute:
                name = dotted(node)
                if name is None:
                    stack.append(node.value)  # type: ignore[attr-defined]
                else:
                    self._names[name] = None
            elif kind is ast.Constant:
                continue
            elif isinstance(node, ast.Import | ast.ImportFrom):
                self._imports.update(dict.fromkeys(imports_of(node)))
            elif isinstance(node, ast.If) and is_type_checking(node):
                stack += node.orelse
            else:
                if isinstance(node, ast.Call):
                    self._call(node)
                for field in _FIELDS[kind]:
                    value = getattr(node, field)
                    if isinstance(value, list):
                        stack += [child for child in value if isinstance(child, ast.AST)]
                    elif isinstance(value, ast.AST):
                        stack.append(value)
        return self

    def code(self, bound: frozenset[str] | None) -> Code:
        """Return it; of the names only those whose first part is in `bound`, unless None.

        What it imports by itself is bound too.
        """
        if bound is not None:
            bound |= {entry.bound.partition(".")[0] for entry in self._imports}
        return Code(
            names=tuple(
                name for name in self._names if bound is None or name.partition(".")[0] in bound
            ),
            imports=tuple(self._imports),
            commands=tuple(self._commands),
            requests=tuple(self._requests),
        )

    def _call(self, node: ast.Call) -> None:
        function = node.func
        if isinstance(function, ast.Attribute):
            name = function.attr
        elif isinstance(function, ast.Name):
            name = function.id
        else:
            return
        first = node.args[0] if node.args else None
        text = first.value if isinstance(first, ast.Constant) else None
        if name == "getfixturevalue" and isinstance(text, str):
            self._requests[text] = None
        elif name in _IMPORTING and isinstance(text, str):
            self._imports[Import("", text)] = None
        elif name in _TAKES_WORDS:
            self._command(ast.List(elts=node.args))
        else:
            if first is not None:
                self._command(first, name in _TAKES_TEXT)
            for keyword in node.keywords:
                if keyword.arg in _COMMAND_KEYWORDS:
                    self._command(keyword.value, name in _TAKES_TEXT)

    def _command(self, node: ast.expr, takes_text: bool = False) -> None:
        if isinstance(node, ast.Name):
            node = self._constants.get(node.id, node)
        words: list[str] = []
        if isinstance(node, ast.List | ast.Tuple):
            words = [_word(part) for part in node.elts[: _STORED_WORDS + 2]]
        elif takes_text and isinstance(node, ast.Constant) and isinstance(node.value, str):
            words = _split(node.value)
        if not words:
            return
        words[0] = words[0].rpartition("/")[2]
        if words[0].startswith("python") and words[1:2] == ["-m"]:
            words = words[2:]
        if words and words[0]:
            self._commands[tuple(words[:_STORED_WORDS])] = None


def _word(node: ast.expr) -> str:
    """Return a literal word, `python` for `sys.executable`, nothing for what is not known."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    return "python" if (dotted(node) or "").endswith("executable") else ""


def _split(text: str) -> list[str]:
    try:
        return shlex.split(text)[: _STORED_WORDS + 2]
    except ValueError:
        return text.split()[: _STORED_WORDS + 2]

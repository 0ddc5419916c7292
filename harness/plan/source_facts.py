"""From the bytes of one Python source to its facts, without importing it."""

import ast
import warnings
from collections.abc import Iterable, Iterator, Sequence

from harness.model.identifiers import Lane
from harness.plan.code_facts import Reading, dotted, imports_of, is_type_checking
from harness.plan.facts import Class, Code, Function, Import, Marks, SourceFacts

_LANES = frozenset(lane.value for lane in Lane)
_FIXTURE_NAMES = frozenset({"fixture", "yield_fixture"})
_Definition = ast.FunctionDef | ast.AsyncFunctionDef


def facts_of(source: bytes) -> SourceFacts:
    """Return the facts of a source; one that cannot be parsed is a fact too. Never raises."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source)
        return _Module(tree).facts()
    except SyntaxError as error:
        return SourceFacts(error=error.msg or "invalid syntax", line=error.lineno)
    except (ValueError, RecursionError, MemoryError) as error:
        return SourceFacts(error=str(error) or type(error).__name__)


class _Module:
    """One parsed source: first what its names stand for, then what its parts say."""

    def __init__(self, tree: ast.Module) -> None:
        self._statements = list(_running(tree.body))
        self._imports: list[Import] = []
        self._constants: dict[str, ast.expr] = {}
        self._aliases: dict[str, ast.expr] = {}
        defined: set[str] = set()
        for node in self._statements:
            if isinstance(node, ast.Import | ast.ImportFrom):
                self._imports += imports_of(node)
            elif isinstance(node, _Definition | ast.ClassDef):
                defined.add(node.name)
            else:
                for name, value in _assigned(node):
                    if isinstance(value, ast.Constant | ast.List | ast.Tuple):
                        self._constants[name] = value
                    self._aliases[name] = value
        self._fixture_names = _FIXTURE_NAMES | {
            entry.bound
            for entry in self._imports
            if entry.target.rpartition(".")[2] in _FIXTURE_NAMES
        }
        bound = {entry.bound.partition(".")[0] for entry in self._imports}
        self._bound = None if "*" in bound else frozenset(bound | defined)

    def facts(self) -> SourceFacts:
        functions, classes, other = self._parts(self._statements, in_class=False)
        listed: dict[str, tuple[str, ...]] = {}
        for node in other:
            for name, value in _assigned(node, added=True):
                # An `else` may set it otherwise: all that is named counts.
                listed[name] = (*listed.get(name, ()), *_texts(value))
        return SourceFacts(
            imports=tuple(self._imports),
            functions=functions,
            classes=classes,
            marks=self._own_marks(other),
            code=self._code(other),
            plugins=listed.get("pytest_plugins", ()),
            ignored=listed.get("collect_ignore", ()),
            ignored_globs=listed.get("collect_ignore_glob", ()),
        )

    def _parts(
        self, statements: Iterable[ast.stmt], *, in_class: bool
    ) -> tuple[tuple[Function, ...], tuple[Class, ...], list[ast.stmt]]:
        functions: list[Function] = []
        classes: list[Class] = []
        other: list[ast.stmt] = []
        for node in statements:
            if isinstance(node, _Definition):
                functions.append(self._function(node, in_class))
            elif isinstance(node, ast.ClassDef):
                classes.append(self._class(node))
            elif not isinstance(node, ast.Import | ast.ImportFrom):
                other.append(node)
        return tuple(functions), tuple(classes), other

    def _class(self, node: ast.ClassDef) -> Class:
        functions, classes, other = self._parts(_running(node.body), in_class=True)
        marks = _joined(self._marks(node.decorator_list), self._own_marks(other))
        return Class(
            name=node.name,
            bases=tuple(name for base in node.bases if (name := dotted(base))),
            functions=functions,
            classes=classes,
            marks=marks,
            code=self._code([*other, *node.decorator_list]),
        )

    def _function(self, node: _Definition, in_class: bool) -> Function:
        fixture, autouse = self._fixture(node)
        static = any(dotted(mark) == "staticmethod" for mark in node.decorator_list)
        return Function(
            name=node.name,
            arguments=_filled_arguments(node.args, skip=1 if in_class and not static else 0),
            code=self._code([node]),
            marks=self._marks(node.decorator_list),
            fixture=fixture,
            autouse=autouse,
        )

    def _code(self, nodes: Iterable[ast.AST]) -> Code:
        return Reading(self._constants).read(nodes).code(self._bound)

    def _fixture(self, node: _Definition) -> tuple[str | None, bool]:
        for decorator in node.decorator_list:
            call = decorator if isinstance(decorator, ast.Call) else None
            name = dotted(call.func if call else decorator) or ""
            if name not in self._fixture_names and name.rpartition(".")[2] not in _FIXTURE_NAMES:
                continue
            given = {keyword.arg: keyword.value for keyword in call.keywords} if call else {}
            own_name, autouse = given.get("name"), given.get("autouse")
            is_named = isinstance(own_name, ast.Constant) and isinstance(own_name.value, str)
            # What is not written as False may be true.
            is_auto = autouse is not None and getattr(autouse, "value", True) is not False
            return str(own_name.value) if is_named else node.name, is_auto  # type: ignore[union-attr]
        return None, False

    def _own_marks(self, statements: Iterable[ast.stmt]) -> Marks:
        """Return the marks in `pytestmark`."""
        marks = [
            value
            for node in statements
            for name, value in _assigned(node, added=True)
            if name == "pytestmark"
        ]
        return self._marks(marks)

    def _marks(self, nodes: Sequence[ast.expr]) -> Marks:
        lanes: list[str] = []
        fixtures: list[str] = []
        parameters: list[str] = []
        stack = list(nodes)
        while stack:
            node = stack.pop()
            if isinstance(node, ast.List | ast.Tuple):
                stack += node.elts
                continue
            if isinstance(node, ast.Name) and node.id in self._aliases:
                alias = self._aliases[node.id]
                if alias is not node and not isinstance(alias, ast.Name):
                    stack.append(alias)
                continue
            call = node if isinstance(node, ast.Call) else None
            name = _mark_name(call.func if call else node)
            if name in _LANES:
                lanes.append(name)
            elif call and name == "usefixtures":
                fixtures += [text for argument in call.args for text in _texts(argument)]
            elif call and name == "parametrize":
                parameters += _direct_parameters(call)
                lanes += _lanes_of_parameters(call)
        return Marks(tuple(lanes), tuple(fixtures), tuple(parameters))


def _running(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements that run in this scope, those inside of `if`, `try`, `with` too."""
    for node in body:
        match node:
            case ast.If() if is_type_checking(node):
                yield from _running(node.orelse)
            case ast.If() | ast.For() | ast.While():
                yield from _running([*node.body, *node.orelse])
            case ast.With():
                yield from _running(node.body)
            case ast.Try():
                handlers = [inner for handler in node.handlers for inner in handler.body]
                yield from _running([*node.body, *handlers, *node.orelse, *node.finalbody])
            case _:
                yield node


def _assigned(node: ast.stmt, *, added: bool = False) -> list[tuple[str, ast.expr]]:
    """Return the names that a statement sets, with `added` also those that it adds to."""
    match node:
        case ast.Assign(targets=targets, value=value):
            return [(target.id, value) for target in targets if isinstance(target, ast.Name)]
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
            return [(name, value)]
        case ast.AugAssign(target=ast.Name(id=name), value=value) if added:
            return [(name, value)]
    return []


def _texts(node: ast.expr) -> tuple[str, ...]:
    """Return the strings of a literal, one or many."""
    if isinstance(node, ast.Constant):
        return (node.value,) if isinstance(node.value, str) else ()
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return tuple(text for part in node.elts for text in _texts(part))
    return ()


def _joined(*marks: Marks) -> Marks:
    return Marks(
        lanes=tuple(lane for some in marks for lane in some.lanes),
        fixtures=tuple(name for some in marks for name in some.fixtures),
        parameters=tuple(name for some in marks for name in some.parameters),
    )


def _mark_name(node: ast.expr) -> str:
    """Return `x` of `pytest.mark.x` and `mark.x`, nothing for any other expression."""
    parts = (dotted(node) or "").split(".")
    return parts[-1] if parts[-2:-1] == ["mark"] else ""


def _filled_arguments(arguments: ast.arguments, skip: int) -> tuple[str, ...]:
    """Return the arguments that pytest fills with fixtures: those without a default."""
    positional = [*arguments.posonlyargs, *arguments.args]
    without = positional[: len(positional) - len(arguments.defaults)][skip:]
    by_name = [
        argument
        for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
        if default is None
    ]
    return tuple(argument.arg for argument in [*without, *by_name])


def _direct_parameters(call: ast.Call) -> list[str]:
    """Return the names that `parametrize` fills by itself: those that are not indirect."""
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    named = call.args[0] if call.args else given.get("argnames")
    indirect = call.args[2] if len(call.args) > 2 else given.get("indirect")
    if named is None:
        return []
    names = [part.strip() for text in _texts(named) for part in text.split(",")]
    if indirect is None or getattr(indirect, "value", None) is False:
        return names
    if isinstance(indirect, ast.List | ast.Tuple):
        through_fixtures = _texts(indirect)
        return [name for name in names if name not in through_fixtures]
    return []


def _lanes_of_parameters(call: ast.Call) -> list[str]:
    """Return the lanes that single parameters are marked with."""
    names = (_mark_name(node) for node in ast.walk(call) if isinstance(node, ast.Attribute))
    return [name for name in names if name in _LANES]

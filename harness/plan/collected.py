"""The tests that pytest would collect from a file, by its facts."""

import fnmatch
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from harness.config.pytest_ini import PytestIni
from harness.plan.facts import Class, Function, Marks, SourceFacts
from harness.plan.fixture_scopes import Scope, Scopes
from harness.plan.modules import Sources


@dataclass(frozen=True, slots=True, kw_only=True)
class Test:
    """One test function. `name` is its id without the file.

    `requested` are the fixtures that it asks for by itself, `parameters` the names whose values
    `parametrize` gives, `lanes` the marks of its own, its classes and its module.
    """

    name: str
    requested: tuple[str, ...]
    parameters: frozenset[str]
    lanes: frozenset[str]
    scope: Scope


class Collected:
    """Collects by the names that pytest's configuration gives to tests."""

    def __init__(self, sources: Sources, scopes: Scopes, ini: PytestIni) -> None:
        self._sources = sources
        self._scopes = scopes
        self._functions = ini.python_functions
        self._classes = ini.python_classes

    def tests(self, file: str) -> Iterator[Test]:
        """Yield the tests of a file, those that it imports from the project too."""
        facts = self._sources.facts(file) or SourceFacts()
        scope = self._scopes.of_module(file)
        outer = (facts.marks,)
        for function in facts.functions:
            if self._is_test(function, self._functions):
                yield _test(function.name, function, scope, outer)
        for found in facts.classes:
            yield from self._of_class(found.name, file, found, scope, outer)
        for bound, place, imported in self._scopes.imported(file):
            if isinstance(imported, Class):
                yield from self._of_class(bound, place, imported, scope, outer)
            elif self._is_test(imported, self._functions, bound):
                yield _test(bound, imported, scope, outer)

    def _of_class(
        self, name: str, file: str, found: Class, scope: Scope, outer: Sequence[Marks]
    ) -> Iterator[Test]:
        line = self._scopes.line_of(file, found)
        is_unittest = any(
            base.endswith("TestCase") for _, current in line for base in current.bases
        )
        if not is_unittest and not _matches(name, self._classes):
            return
        scope = self._scopes.of_class(scope, line)
        marks = (*outer, *(current.marks for _, current in line))
        methods = {
            function.name: function
            for _, current in reversed(line)
            for function in current.functions
        }
        names = ("test",) if is_unittest else self._functions
        for function in methods.values():
            if self._is_test(function, names):
                full = f"{name}::{function.name}"
                yield _test(full, function, scope, marks, takes_fixtures=not is_unittest)
        for place, current in line:
            for inner in current.classes:
                for test in self._of_class(inner.name, place, inner, scope, marks):
                    yield _renamed(test, f"{name}::{test.name}")

    def _is_test(
        self, function: Function, patterns: Iterable[str], bound: str | None = None
    ) -> bool:
        return function.fixture is None and _matches(bound or function.name, patterns)


def _test(
    name: str,
    function: Function,
    scope: Scope,
    outer: Sequence[Marks],
    *,
    takes_fixtures: bool = True,
) -> Test:
    marks = (*outer, function.marks)
    return Test(
        name=name,
        requested=(
            *(function.arguments if takes_fixtures else ()),
            *(name for some in marks for name in some.fixtures),
            *function.code.requests,
        ),
        parameters=frozenset(name for some in marks for name in some.parameters),
        lanes=frozenset(lane for some in marks for lane in some.lanes),
        scope=scope,
    )


def _renamed(test: Test, name: str) -> Test:
    return Test(
        name=name,
        requested=test.requested,
        parameters=test.parameters,
        lanes=test.lanes,
        scope=test.scope,
    )


def _matches(name: str, patterns: Iterable[str]) -> bool:
    """Match as pytest does: a prefix, or a glob when it has one of `*?[`."""
    return any(
        name.startswith(pattern)
        or (any(sign in pattern for sign in "*?[") and fnmatch.fnmatch(name, pattern))
        for pattern in patterns
    )


def excluding_conftest(file: str, sources: Sources) -> str | None:
    """Return the conftest above a file that excludes it, None when there is none.

    It does so by `collect_ignore` or `collect_ignore_glob`.
    """
    folder = file
    while folder:
        folder = folder.rpartition("/")[0]
        start = f"{folder}/" if folder else ""
        conftest = f"{start}conftest.py"
        facts = sources.facts(conftest)
        if facts is None:
            continue
        below = file[len(start) :]
        parts = below.split("/")
        paths = ["/".join(parts[:number]) for number in range(1, len(parts) + 1)]
        if any(path.rstrip("/") in paths for path in facts.ignored):
            return conftest
        if any(fnmatch.fnmatch(path, glob) for glob in facts.ignored_globs for path in paths):
            return conftest
    return None

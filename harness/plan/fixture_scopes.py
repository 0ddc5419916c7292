"""Which fixtures a test can ask for, nearest first, as pytest resolves them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from harness.plan.facts import Class, Function, SourceFacts
from harness.plan.modules import Modules, Sources

_DEEPEST_IMPORT = 20


@dataclass(frozen=True, slots=True)
class Definition:
    """A fixture and the file that holds its code."""

    file: str
    function: Function


@dataclass(frozen=True, slots=True)
class Level:
    """The fixtures of one class, module, conftest or plugin, by name."""

    fixtures: Mapping[str, Definition]
    autouse: tuple[str, ...]

    @classmethod
    def of(cls, fixtures: Mapping[str, Definition]) -> "Level":
        """Name the ones that every test below uses."""
        autouse = tuple(name for name, found in fixtures.items() if found.function.autouse)
        return cls(fixtures, autouse)


@dataclass(frozen=True, slots=True)
class Scope:
    """The levels that one test sees, nearest first."""

    levels: tuple[Level, ...]
    _found: dict[str, tuple[Definition, ...]] = field(default_factory=dict)

    def definitions(self, name: str) -> tuple[Definition, ...]:
        """Return the definitions of a fixture, nearest first; each overrides the next."""
        if name not in self._found:
            self._found[name] = tuple(
                level.fixtures[name] for level in self.levels if name in level.fixtures
            )
        return self._found[name]

    @property
    def autouse(self) -> list[str]:
        """The fixtures that a test here uses without asking."""
        return [name for level in self.levels for name in level.autouse]

    def below(self, level: Level) -> "Scope":
        """Return the scope of a class in this one."""
        return Scope((level, *self.levels)) if level.fixtures else self


class Scopes:
    """Builds scopes, and finds what a file's names stand for, through imports too."""

    def __init__(self, sources: Sources, modules: Modules, plugins: Iterable[str]) -> None:
        self._sources = sources
        self._modules = modules
        self._plugins = tuple(plugins)
        self._levels: dict[str, Level] = {}
        self._chains: dict[str, tuple[str, ...]] = {}
        self._outer: dict[tuple[str, ...], tuple[Level, ...]] = {}

    def conftests(self, file: str) -> tuple[str, ...]:
        """Return the conftests that serve a file, nearest first."""
        return self._conftests_of(file.rpartition("/")[0])

    def of_module(self, file: str) -> Scope:
        """Return what the functions of a file see: itself, conftests, plugins of the project."""
        facts = self._sources.facts(file) or SourceFacts()
        chain = self.conftests(file)
        if facts.plugins:
            outer = self._outer_levels(chain, file)
        else:
            if chain not in self._outer:
                self._outer[chain] = self._outer_levels(chain, None)
            outer = self._outer[chain]
        return Scope((self._level(file), *outer))

    def of_class(self, scope: Scope, line: Sequence[tuple[str, Class]]) -> Scope:
        """Return what the methods of a class see; `line` is the class and its bases in order."""
        fixtures = {
            function.fixture: Definition(file, function)
            for file, found in reversed(line)
            for function in found.functions
            if function.fixture is not None
        }
        return scope.below(Level.of(fixtures))

    def lookup(self, file: str, name: str) -> tuple[str, Function | Class] | None:
        """Find the function or class that a dotted name of a file stands for."""
        return self._lookup(file, name, _DEEPEST_IMPORT)

    def line_of(self, file: str, found: Class) -> list[tuple[str, Class]]:
        """Return a class of a file and those of its bases that the project defines."""
        line: dict[tuple[str, str], Class] = {}
        stack = [(file, found)]
        while stack:
            place, current = stack.pop()
            if (place, current.name) in line:
                continue
            line[place, current.name] = current
            for base in reversed(current.bases):
                resolved = self.lookup(place, base)
                if resolved is not None and isinstance(resolved[1], Class):
                    stack.append((resolved[0], resolved[1]))
        return [(place, current) for (place, _), current in line.items()]

    def imported(self, file: str) -> Iterator[tuple[str, str, Function | Class]]:
        """Yield each function and class of the project that a file imports: its name here, file."""
        facts = self._sources.facts(file) or SourceFacts()
        for entry in facts.imports:
            if entry.bound != "*":
                resolved = self._lookup_target(entry.target, file, _DEEPEST_IMPORT)
                if resolved is not None:
                    yield entry.bound, *resolved

    def _lookup(self, file: str, name: str, depth: int) -> tuple[str, Function | Class] | None:
        facts = self._sources.facts(file)
        if facts is None or depth == 0:
            return None
        local: Function | Class
        for local in facts.classes:
            if local.name == name:
                return file, local
        for local in facts.functions:
            if local.name == name:
                return file, local
        first, _, rest = name.partition(".")
        for entry in facts.imports:
            if entry.bound in (first, name) or name.startswith(entry.bound + "."):
                rest = name[len(entry.bound) :]
                return self._lookup_target(entry.target + rest, file, depth)
        for entry in facts.imports:
            if entry.bound == "*":
                resolved = self._lookup_target(f"{entry.target}.{name}", file, depth)
                if resolved is not None:
                    return resolved
        return None

    def _lookup_target(
        self, target: str, file: str, depth: int
    ) -> tuple[str, Function | Class] | None:
        found = self._modules.find(target, file)
        if found is None or len(found[1]) != 1 or found[0] == file:
            return None
        return self._lookup(found[0], found[1][0], depth - 1)

    def _level(self, file: str, within: frozenset[str] = frozenset()) -> Level:
        if file in self._levels:
            return self._levels[file]
        facts = self._sources.facts(file) or SourceFacts()
        fixtures: dict[str, Definition] = {}
        for entry in facts.imports:
            if entry.bound == "*" and file not in within:
                found = self._modules.find(entry.target, file)
                if found is not None and not found[1] and found[0] != file:
                    fixtures |= self._level(found[0], within | {file}).fixtures
        for bound, place, function in self.imported(file):
            if isinstance(function, Function) and function.fixture is not None:
                own_name = function.fixture != function.name
                name = function.fixture if own_name else bound
                fixtures[name] = Definition(place, function)
        for function in facts.functions:
            if function.fixture is not None:
                fixtures[function.fixture] = Definition(file, function)
        level = Level.of(fixtures)
        if not within:
            self._levels[file] = level
        return level

    def _conftests_of(self, folder: str) -> tuple[str, ...]:
        if folder not in self._chains:
            file = f"{folder}/conftest.py" if folder else "conftest.py"
            own = (file,) if self._sources.facts(file) is not None else ()
            above = self._conftests_of(folder.rpartition("/")[0]) if folder else ()
            self._chains[folder] = own + above
        return self._chains[folder]

    def _outer_levels(self, conftests: tuple[str, ...], module: str | None) -> tuple[Level, ...]:
        named = [(name, "") for name in self._plugins]
        for file in (*conftests, *([module] if module else [])):
            facts = self._sources.facts(file)
            named += [(name, file) for name in facts.plugins] if facts else []
        plugins: dict[str, None] = {}
        while named:
            name, importer = named.pop(0)
            found = self._modules.find(name, importer)
            if found is not None and not found[1] and found[0] not in plugins:
                plugins[found[0]] = None
                facts = self._sources.facts(found[0])
                named += [(inner, found[0]) for inner in facts.plugins] if facts else []
        return tuple(self._level(file) for file in (*conftests, *reversed(plugins)))

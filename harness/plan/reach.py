"""What code needs by what it imports and runs, followed through the modules of the test folders."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from harness.model.identifiers import Lane, most_demanding
from harness.plan.facts import Class, Code, Import, SourceFacts
from harness.plan.modules import Modules, Sources

BROWSER_TARGETS = (
    "playwright.sync_api.sync_playwright",
    "playwright.async_api.async_playwright",
    "harness.browser.launch",
    "selenium",
)
SERVER_TARGETS = (
    "harness.server",
    "aiohttp.test_utils",
    "http.server",
    "socketserver",
    "wsgiref.simple_server",
    "uvicorn",
    "werkzeug.serving",
    "django.test.LiveServerTestCase",
    "django.contrib.staticfiles.testing.StaticLiveServerTestCase",
)
_LANES = dict.fromkeys(BROWSER_TARGETS, Lane.BROWSER) | dict.fromkeys(SERVER_TARGETS, Lane.SERVER)
_FIRST_PARTS = frozenset(target.partition(".")[0] for target in _LANES)
_MODULE = ""
_IMPORT_ONLY = "*"


@dataclass(frozen=True, slots=True)
class Need:
    """A lane and the words that say why; the words follow `file: lane (`."""

    lane: Lane
    why: str


_Place = tuple[str, str]
"""A file and a name in it: `_MODULE` for all of it, `_IMPORT_ONLY` for what importing it runs."""

_Edge = Need | _Place


@dataclass(frozen=True, slots=True)
class _Names:
    """What the names of a file stand for: imports by bound name, `import *`, its own."""

    bound: Mapping[str, Import]
    stars: tuple[Import, ...]
    local: frozenset[str]


def need_of_target(target: str) -> tuple[Lane, str] | None:
    """Return the lane of a dotted name and the part of it that decides, None for any other."""
    if target.partition(".")[0] not in _FIRST_PARTS:
        return None
    parts = target.split(".")
    for number in range(len(parts), 0, -1):
        known = ".".join(parts[:number])
        if known in _LANES:
            return _LANES[known], known
    return None


class Reach:
    """Answers what code needs. `commands` are those of the configuration, with their lanes."""

    def __init__(
        self,
        sources: Sources,
        modules: Modules,
        folders: tuple[str, ...],
        commands: Mapping[str, str],
    ) -> None:
        self._sources = sources
        self._modules = modules
        self._folders = folders
        self._commands = [(tuple(name.split()), Lane(lane)) for name, lane in commands.items()]
        self._known: dict[_Place, Need | None] = {}
        self._edges_of: dict[_Place, tuple[_Edge, ...]] = {}
        self._names_of: dict[str, _Names] = {}

    def of_file(self, file: str) -> Need | None:
        """Return what the whole of a file needs: each import counts, used or not."""
        return self._search((file, _MODULE))

    def of_name(self, file: str, name: str) -> Need | None:
        """Return what one function or class of a file needs: only what it uses counts."""
        return self._search((file, name))

    def _search(self, start: _Place) -> Need | None:
        if start not in self._known:
            self._known[start] = self._most_demanding_below(start)
        return self._known[start]

    def _most_demanding_below(self, start: _Place) -> Need | None:
        """Search breadth first, so that the reason is the shortest chain."""
        best: Need | None = None
        queue: list[tuple[_Place, tuple[str, ...]]] = [(start, (start[0],))]
        seen = {start}
        for place, chain in queue:
            for edge in self._edges(place):
                if isinstance(edge, tuple):
                    if edge not in seen:
                        seen.add(edge)
                        file = edge[0]
                        queue.append((edge, chain if file == chain[-1] else (*chain, file)))
                elif best is None or most_demanding((best.lane, edge.lane)) is not best.lane:
                    best = Need(edge.lane, _told(chain[1:], edge.why))
                    if best.lane is Lane.BROWSER:
                        return best
        return best

    def _edges(self, place: _Place) -> tuple[_Edge, ...]:
        """Return what one place uses: what decides a lane, and places where to look on."""
        if place not in self._edges_of:
            facts = self._sources.facts(place[0])
            self._edges_of[place] = (
                () if facts is None else tuple(dict.fromkeys(self._uses(place, facts)))
            )
        return self._edges_of[place]

    def _uses(self, place: _Place, facts: SourceFacts) -> Iterator[_Edge]:
        file, name = place
        if facts.error is not None:
            yield Need(Lane.BROWSER, f"cannot be parsed ({problem(facts)})")
            return
        names = self._names(file, facts)
        if name == _MODULE:
            codes = list(_all_code(facts))
            yield from self._imports(facts.imports, file)
        else:
            codes = [facts.code, *_code_of(facts, name)]
            if name in names.bound:
                yield from self._target(names.bound[name].target, file)
            elif name not in names.local:
                for star in names.stars:
                    yield from self._target(f"{star.target}.{name}", file)
        used: dict[str, None] = {}
        for code in codes:
            yield from self._commands_in(code)
            if code.imports:
                yield from self._imports(code.imports, file)
                own = {entry.bound: entry for entry in code.imports}
                for use in code.names:
                    target = _resolved(use, own)
                    if target is not None:
                        yield from self._target(target, file)
            used.update(dict.fromkeys(code.names))
        for use in used:
            first = use.partition(".")[0]
            if first in names.local:
                if name != _MODULE:
                    yield file, first
                continue
            target = _resolved(use, names.bound)
            if target is not None:
                yield from self._target(target, file)
            else:
                for star in names.stars:
                    yield from self._target(f"{star.target}.{use}", file)

    def _names(self, file: str, facts: SourceFacts) -> _Names:
        if file not in self._names_of:
            self._names_of[file] = _Names(
                bound={entry.bound: entry for entry in facts.imports if entry.bound != "*"},
                stars=tuple(entry for entry in facts.imports if entry.bound == "*"),
                local=frozenset(
                    [found.name for found in facts.functions]
                    + [found.name for found in facts.classes]
                ),
            )
        return self._names_of[file]

    def _imports(self, imports: Iterable[Import], file: str) -> Iterator[_Edge]:
        for entry in imports:
            yield from self._target(entry.target, file, is_star=entry.bound == "*")

    def _target(self, target: str, file: str, *, is_star: bool = False) -> Iterator[_Edge]:
        known = need_of_target(target)
        if known is not None:
            lane, name = known
            yield Need(lane, f"imports {name}")
            return
        found = self._modules.find(target, file)
        if found is None or found[0] == file or not found[0].startswith(self._folders):
            return
        # A module that is imported as such is used through attributes, which come by themselves.
        whole = _MODULE if is_star else _IMPORT_ONLY
        yield found[0], found[1][0] if found[1] else whole

    def _commands_in(self, code: Code) -> Iterator[Need]:
        for words in code.commands:
            for known, lane in self._commands:
                if words[: len(known)] == known:
                    yield Need(lane, f"runs {' '.join(known)!r}")


def problem(facts: SourceFacts) -> str:
    """Say why a source cannot be parsed, and where."""
    where = f"line {facts.line}: " if facts.line is not None else ""
    return f"{where}{facts.error}"


def _told(chain: tuple[str, ...], end: str) -> str:
    return ", which ".join([*(f"imports {_dotted(file)}" for file in chain), end])


def _dotted(file: str) -> str:
    return file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _resolved(name: str, bound: Mapping[str, Import]) -> str | None:
    """Return the dotted target of a use: the longest name that an import binds, and the rest."""
    parts = name.split(".")
    for number in range(len(parts), 0, -1):
        entry = bound.get(".".join(parts[:number]))
        if entry is not None:
            return ".".join([entry.target, *parts[number:]])
    return None


def _all_code(facts: SourceFacts) -> Iterator[Code]:
    yield facts.code
    for function in facts.functions:
        yield function.code
    for found in facts.classes:
        yield from _class_code(found)


def _class_code(found: Class) -> Iterator[Code]:
    yield found.code
    yield Code(names=found.bases)
    for function in found.functions:
        yield function.code
    for inner in found.classes:
        yield from _class_code(inner)


def _code_of(facts: SourceFacts, name: str) -> list[Code]:
    codes = [function.code for function in facts.functions if function.name == name]
    for found in facts.classes:
        if found.name == name:
            codes += _class_code(found)
    return codes

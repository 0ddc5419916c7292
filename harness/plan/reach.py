"""What code needs by what it imports and runs, followed through the modules of the test folders."""

from collections import deque
from collections.abc import Iterator, Mapping
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


@dataclass(frozen=True, slots=True)
class _Place:
    """A name of a file, or the whole of it, and the modules that led there."""

    file: str
    name: str
    chain: tuple[str, ...]


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
        self._known: dict[tuple[str, str], Need | None] = {}

    def of_file(self, file: str) -> Need | None:
        """Return what the whole of a file needs: each import counts, used or not."""
        return self._search(_Place(file, _MODULE, ()))

    def of_name(self, file: str, name: str) -> Need | None:
        """Return what one function or class of a file needs: only what it uses counts."""
        return self._search(_Place(file, name, ()))

    def _search(self, start: _Place) -> Need | None:
        key = (start.file, start.name)
        if key not in self._known:
            self._known[key] = self._most_demanding_below(start)
        return self._known[key]

    def _most_demanding_below(self, start: _Place) -> Need | None:
        """Search breadth first, so that the reason is the shortest chain."""
        best: Need | None = None
        queue = deque([start])
        seen = {(start.file, start.name)}
        while queue:
            place = queue.popleft()
            facts = self._sources.facts(place.file)
            if facts is None:
                continue
            for found in self._uses(place, facts):
                if isinstance(found, _Place):
                    if (found.file, found.name) not in seen:
                        seen.add((found.file, found.name))
                        queue.append(found)
                elif best is None or most_demanding((best.lane, found.lane)) is not best.lane:
                    best = found
            if best is not None and best.lane is Lane.BROWSER:
                return best
        return best

    def _uses(self, place: _Place, facts: SourceFacts) -> Iterator[Need | _Place]:
        if facts.error is not None:
            yield Need(Lane.BROWSER, _told(place.chain, f"cannot be parsed ({problem(facts)})"))
            return
        bound = {entry.bound: entry for entry in facts.imports if entry.bound != "*"}
        stars = [entry for entry in facts.imports if entry.bound == "*"]
        if place.name == _MODULE:
            codes = list(_all_code(facts))
            for entry in facts.imports:
                yield from self._target(entry.target, place, is_star=entry.bound == "*")
        else:
            codes = [facts.code]
            if place.name in bound:
                yield from self._target(bound[place.name].target, place)
            codes += _code_of(facts, place.name)
        local = {function.name for function in facts.functions}
        local |= {found.name for found in facts.classes}
        for code in codes:
            yield from self._commands_in(code, place)
            for entry in code.imports:
                yield from self._target(entry.target, place, is_star=entry.bound == "*")
            names = bound | {entry.bound: entry for entry in code.imports}
            for name in code.names:
                first = name.partition(".")[0]
                if first in local:
                    yield _Place(place.file, first, place.chain)
                    continue
                target = _resolved(name, names)
                if target is not None:
                    yield from self._target(target, place)
                for star in stars:
                    yield from self._target(f"{star.target}.{name}", place)

    def _target(
        self, target: str, place: _Place, *, is_star: bool = False
    ) -> Iterator[Need | _Place]:
        known = need_of_target(target)
        if known is not None:
            lane, name = known
            yield Need(lane, _told(place.chain, f"imports {name}"))
            return
        found = self._modules.find(target, place.file)
        if found is None or not found[0].startswith(self._folders):
            return
        file, names = found
        if file == place.file:
            return
        chain = (*place.chain, _dotted(file))
        # A module that is imported as such is used through attributes, which come by themselves.
        whole = _MODULE if is_star else _IMPORT_ONLY
        yield _Place(file, names[0] if names else whole, chain)

    def _commands_in(self, code: Code, place: _Place) -> Iterator[Need]:
        for words in code.commands:
            for known, lane in self._commands:
                if words[: len(known)] == known:
                    yield Need(lane, _told(place.chain, f"runs {' '.join(known)!r}"))


def problem(facts: SourceFacts) -> str:
    """Say why a source cannot be parsed, and where."""
    where = f"line {facts.line}: " if facts.line is not None else ""
    return f"{where}{facts.error}"


def _told(chain: tuple[str, ...], end: str) -> str:
    return ", which ".join([*(f"imports {name}" for name in chain), end])


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

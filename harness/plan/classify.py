"""Which lane a test file belongs to, and why: from facts to a roster.

Most demanding wins, in a file and in a test. Fixtures are the strongest evidence: no mark
written by hand talks them away. A mark does beat what a file imports and runs.
"""

from collections.abc import Iterable, Mapping

from harness.config.pytest_ini import PytestIni
from harness.model.identifiers import Lane, TestFile, most_demanding
from harness.model.lane_fixtures import lane_of_name
from harness.plan.classification import Classification, Contradiction
from harness.plan.collected import Collected, Test, excluding_conftest
from harness.plan.facts import SourceFacts
from harness.plan.fixture_scopes import Definition, Scope, Scopes
from harness.plan.modules import Modules, Sources, folders_of_tests
from harness.plan.reach import Need, Reach, problem
from harness.plan.roster import LeftOut, Roster, RosterEntry

NOTHING_NEEDED = "needs no server and no browser"


def classify(
    files: Mapping[TestFile, int], sources: Sources, ini: PytestIni, commands: Mapping[str, str]
) -> Classification:
    """Classify test files, given with their sizes in bytes.

    `sources` answers for every other file of the project that they lead to; `commands` is the
    table of the configuration. A file that cannot be parsed is in the browser lane: what is not
    known may need everything. One that a conftest excludes is left out.
    """
    left_out = [
        LeftOut(file=file, reason=f"excluded by collect_ignore in {conftest}")
        for file in files
        if (conftest := excluding_conftest(file, sources)) is not None
    ]
    aside = {one.file for one in left_out}
    files = {file: size for file, size in files.items() if file not in aside}
    classifier = _Classifier(files, sources, ini, commands)
    entries = [
        RosterEntry(file=file, lane=need.lane, reason=need.why, size_bytes=size)
        for file, size in files.items()
        for need in [classifier.need_of(file)]
    ]
    contradictions = sorted(classifier.contradictions, key=lambda found: found.file)
    return Classification(roster=Roster.of(entries, left_out), contradictions=tuple(contradictions))


class _Classifier:
    def __init__(
        self,
        files: Iterable[TestFile],
        sources: Sources,
        ini: PytestIni,
        commands: Mapping[str, str],
    ) -> None:
        modules = Modules(sources, ini.pythonpath)
        self._sources = sources
        self._usefixtures = ini.usefixtures
        self._reach = Reach(sources, modules, folders_of_tests(files, ini.testpaths), commands)
        self._scopes = Scopes(sources, modules, ini.plugins)
        self._collected = Collected(sources, self._scopes, ini)
        self._unreadable: dict[str, Contradiction] = {}
        self._marks: list[Contradiction] = []

    @property
    def contradictions(self) -> list[Contradiction]:
        """What was found on the way, each once."""
        return [*self._unreadable.values(), *self._marks]

    def need_of(self, file: TestFile) -> Need:
        """Return the lane of one file and the reason."""
        for place in (file, *self._scopes.conftests(file)):
            facts = self._sources.facts(place)
            if facts is not None and facts.error is not None:
                return self._unparsed(file, place, facts)
        by_file = self._reach.of_file(file)
        best = _NOTHING
        tests = list(self._collected.tests(file))
        for test in tests:
            need = self._need_of_test(file, test, by_file)
            best = need if best is _NOTHING else _more_demanding(best, need)
        if not tests and by_file is not None:
            return by_file
        return best

    def _unparsed(self, file: TestFile, place: str, facts: SourceFacts) -> Need:
        why = f"cannot be parsed ({problem(facts)})"
        self._unreadable[place] = Contradiction(file=place, message=why)
        return Need(Lane.BROWSER, why if place == file else f"{place} {why}")

    def _need_of_test(self, file: TestFile, test: Test, by_file: Need | None) -> Need:
        by_fixture, through_fixture = self._fixture_needs(file, test)
        marked = _most_demanding_mark(test)
        if marked is None:
            best = by_fixture
            for weak in (by_file, through_fixture):
                best = best if weak is None else _more_demanding(best, weak)
            return best
        by_mark = Need(marked, f"mark {marked.value!r} on {test.name}")
        if _more_demanding(by_mark, by_fixture) is by_fixture:
            self._marks.append(
                Contradiction(file=file, message=f"{by_mark.why}, but {by_fixture.why}")
            )
        overruled = by_file if by_file is not None else through_fixture
        if by_fixture is _NOTHING and (marked is not Lane.UNIT or overruled is not None):
            return by_mark
        return _more_demanding(by_fixture, by_mark)

    def _fixture_needs(self, file: TestFile, test: Test) -> tuple[Need, Need | None]:
        """Return what the fixtures that a test reaches are, and what their code needs."""
        strong = _NOTHING
        weak: Need | None = None
        requested = [*test.requested, *self._usefixtures, *test.scope.autouse]
        for chain, definition in _closure(requested, test.scope, test.parameters):
            if definition is None:
                lane = lane_of_name(chain[-1])
                strong = _more_demanding(strong, Need(lane, _told(chain, test)))
            elif definition.file != file:
                need = self._reach.of_name(definition.file, definition.function.name)
                if need is not None:
                    why = f"{_told(chain, test)}, which {need.why}"
                    found = Need(need.lane, why)
                    weak = found if weak is None else _more_demanding(weak, found)
        return strong, weak


_NOTHING = Need(Lane.UNIT, NOTHING_NEEDED)


def _closure(
    requested: Iterable[str], scope: Scope, parameters: frozenset[str]
) -> Iterable[tuple[tuple[str, ...], Definition | None]]:
    """Yield every fixture that is run, breadth first, with the names that lead to it.

    A definition is None for a fixture that the project does not define. A name among
    `parameters` is a value, for every fixture that asks for it.
    """
    queue: list[tuple[tuple[str, ...], int]] = [
        ((name,), 0) for name in dict.fromkeys(requested) if name not in parameters
    ]
    seen = {(chain[-1], depth) for chain, depth in queue}
    for chain, depth in queue:
        name = chain[-1]
        definitions = scope.definitions(name)
        if depth >= len(definitions):
            yield chain, None
            continue
        definition = definitions[depth]
        yield chain, definition
        function = definition.function
        for asked in (*function.arguments, *function.code.requests):
            if asked in parameters:
                continue
            # A fixture that asks for its own name gets the one that it overrides.
            place = (asked, depth + 1 if asked == name else 0)
            if place not in seen:
                seen.add(place)
                queue.append((chain if asked == name else (*chain, asked), place[1]))


def _told(chain: tuple[str, ...], test: Test) -> str:
    first, *others = chain
    words = [f"fixture {first!r} in {test.name}", *(f"asks for {name!r}" for name in others)]
    return ", which ".join(words)


def _more_demanding(one: Need, other: Need) -> Need:
    """Return the more demanding one, the first of equals."""
    return one if most_demanding((one.lane, other.lane)) is one.lane else other


def _most_demanding_mark(test: Test) -> Lane | None:
    lanes = [Lane(name) for name in test.lanes]
    return most_demanding(lanes) if lanes else None

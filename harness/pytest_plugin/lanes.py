"""Which lane a test belongs to, by the fixtures it reaches; marked without anybody's doing."""

from collections.abc import Iterator, Sequence

import pytest

from harness.model.identifiers import Lane, most_demanding
from harness.model.lane_fixtures import lane_of_definition

_DESCRIPTIONS = {
    Lane.UNIT: "needs neither a server nor a browser (set by lanewright unless set by hand)",
    Lane.SERVER: "starts a server (set by lanewright unless set by hand)",
    Lane.BROWSER: "drives a browser (set by lanewright unless set by hand)",
}


class _LaneName(str):
    """A mark's name that `-m` matches and `-k` does not.

    `-k` looks for a text in lower-cased names, marks among them: `-k "not browser"` must
    select what it selected before there were lanes.
    """

    __slots__ = ()

    def lower(self) -> str:
        """Nothing that a keyword could be part of."""
        return ""


def declare(config: pytest.Config) -> None:
    """Declare the three marks, except those that the suite has already declared as its own."""
    for lane in Lane:
        if not _declarations(config, lane):
            config.addinivalue_line("markers", f"{lane.value}: {_DESCRIPTIONS[lane]}")


def _declarations(config: pytest.Config, lane: Lane) -> list[str]:
    """Return what is declared under a lane's name, by whomever."""
    return [
        line
        for line in config.getini("markers")
        if line.split(":")[0].split("(")[0].strip() == lane.value
    ]


def lane_of(item: pytest.Item) -> Lane:
    """Return the lane of one test: a mark written by hand, else its most demanding fixture.

    A fixture counts by the module that defines it, so that a parameter or a fixture of the
    suite's own that happens to be called `page` is no browser, while an override that asks
    for the one that it overrides is.
    """
    for lane in (Lane.BROWSER, Lane.SERVER, Lane.UNIT):
        if item.get_closest_marker(lane.value):
            return lane
    return lane_by_fixtures(item)


def lane_by_fixtures(item: pytest.Item) -> Lane:
    """Return the lane of the most demanding fixture that a test reaches, whatever its marks."""
    info = getattr(item, "_fixtureinfo", None)
    return most_demanding(
        lane_of_definition(name, module)
        for name, definitions in (info.name2fixturedefs if info else {}).items()
        for module in _reached(name, definitions)
    )


def _reached(name: str, definitions: Sequence[pytest.FixtureDef[object]]) -> Iterator[str]:
    """Yield the modules of the definitions that a request for `name` runs, outermost first."""
    for definition in reversed(definitions):
        yield getattr(definition.func, "__module__", None) or ""
        if name not in definition.argnames:
            break


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark every item with its lane before `-m` selects, in marks that are ours to set.

    Asked for only now: whoever is configured after us may have declared a mark of that name.
    """
    ours = {
        lane
        for lane in Lane
        if _declarations(config, lane) == [f"{lane.value}: {_DESCRIPTIONS[lane]}"]
    }
    for item in items:
        lane = lane_of(item)
        if lane in ours and item.get_closest_marker(lane.value) is None:
            _add_mark(item, lane)


def _add_mark(item: pytest.Item, lane: Lane) -> None:
    """Add a mark under a name that `-k` cannot find; what xdist sends on are plain texts."""
    decorator: pytest.MarkDecorator = getattr(pytest.mark, lane.value)
    object.__setattr__(decorator.mark, "name", _LaneName(lane.value))
    item.keywords[lane.value] = decorator
    item.own_markers.append(decorator.mark)

"""Which file of the project an import means, and which folders are those of the tests."""

import sys
from collections.abc import Iterable
from typing import Protocol

from harness.plan.facts import SourceFacts

_TEST_FOLDER_NAMES = frozenset({"test", "tests", "testing", "e2e", "integration", "functional"})


class Sources(Protocol):
    """The files of a project by `/`-separated paths relative to its root."""

    def facts(self, file: str) -> SourceFacts | None:
        """Return the facts of a file, None when there is no such file."""

    def is_folder(self, path: str) -> bool:
        """Whether there is a folder of that path."""


def folders_of_tests(files: Iterable[str], testpaths: Iterable[str]) -> tuple[str, ...]:
    """Return the folders whose modules serve tests, each ending in `/`.

    They are the outermost ones above a test file that are called like one, and those that
    `testpaths` names; never the root, where an application may lie beside its tests.
    """
    folders = {path.strip("/") + "/" for path in testpaths if path.strip("./")}
    for folder in {file.rpartition("/")[0] for file in files}:
        parts = folder.split("/")
        for number, part in enumerate(parts, start=1):
            if part in _TEST_FOLDER_NAMES:
                folders.add("/".join(parts[:number]) + "/")
                break
    return tuple(sorted(folders))


class Modules:
    """Finds modules where pytest's `prepend` and `importlib` modes, `pythonpath` and `src` do."""

    def __init__(self, sources: Sources, pythonpath: Iterable[str] = ()) -> None:
        self._sources = sources
        self._places = tuple(dict.fromkeys(["", *(path.strip("./") for path in pythonpath), "src"]))
        self._found: dict[tuple[str, str], tuple[str, tuple[str, ...]] | None] = {}
        self._bases: dict[tuple[str, str], str | None] = {}

    def find(self, target: str, importer: str) -> tuple[str, tuple[str, ...]] | None:
        """Return the file that a dotted target leads to, and the parts that are names in it.

        A target that begins with dots is relative to `importer`. None when it is no file of the
        project.
        """
        folder = importer.rpartition("/")[0]
        key = (folder, target)
        if key not in self._found:
            self._found[key] = self._find(target, folder)
        return self._found[key]

    def _find(self, target: str, folder: str) -> tuple[str, tuple[str, ...]] | None:
        name = target.lstrip(".")
        level = len(target) - len(name)
        parts = tuple(name.split(".")) if name else ()
        if level:
            for _ in range(level - 1):
                folder = folder.rpartition("/")[0]
            return self._below(folder, parts)
        base = self._base(parts[0], folder)
        return None if base is None else self._below(base, parts)

    def _base(self, first: str, folder: str) -> str | None:
        """Return the folder in which the first part of a dotted name lies."""
        if first in sys.stdlib_module_names:
            return None
        key = (folder, first)
        if key not in self._bases:
            places = (*self._places, self._package_base(folder), folder)
            self._bases[key] = next(
                (place for place in dict.fromkeys(places) if self._holds(place, first)), None
            )
        return self._bases[key]

    def _package_base(self, folder: str) -> str:
        while folder and self._sources.facts(f"{folder}/__init__.py") is not None:
            folder = folder.rpartition("/")[0]
        return folder

    def _holds(self, place: str, first: str) -> bool:
        path = _join(place, first)
        return self._sources.is_folder(path) or self._sources.facts(f"{path}.py") is not None

    def _below(self, folder: str, parts: tuple[str, ...]) -> tuple[str, tuple[str, ...]] | None:
        for number, part in enumerate(parts):
            path = _join(folder, part)
            if self._sources.is_folder(path):
                folder = path
                continue
            if self._sources.facts(f"{path}.py") is not None:
                return f"{path}.py", parts[number + 1 :]
            package = _join(folder, "__init__.py")
            return (package, parts[number:]) if self._sources.facts(package) is not None else None
        package = _join(folder, "__init__.py")
        return (package, ()) if self._sources.facts(package) is not None else None


def _join(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name

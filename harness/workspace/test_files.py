"""The test files of a project, found as pytest finds them and without running anything.

The rules are those of `_pytest.main` and `_pytest.python`: what is named in `testpaths` is
always looked at, what is found on the way must match `python_files` and lie in no folder that
`norecursedirs` or a virtual environment excludes. Conftests cannot be asked here.
"""

import fnmatch
import glob
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.config.pytest_ini import PytestIni
from harness.errors import UsageError
from harness.model.identifiers import TestFile

_VENV_MARKS = ("pyvenv.cfg", "conda-meta")


def find_test_files(root: Path, ini: PytestIni) -> tuple[TestFile, ...]:
    """Return the test files below `root` (absolute), in order of path.

    A file that several paths or symbolic links lead to comes once, under its own name where
    pytest would collect it under that, else under the first. Raises UsageError for a name in
    `testpaths` that lies outside of `root`, OSError for a folder that cannot be read.
    """
    starts = [Path(path) for path in _starts(root, ini)]
    for start in starts:
        if not start.is_relative_to(root):
            raise UsageError(f"testpaths in {ini.file} names {start}, which is outside of {root}")
    walk = _Walk(root=root, rules=_Rules.of(root, ini, starts))
    found = [name for start in starts for name in walk.below(str(start))]
    return tuple(TestFile(name) for name in sorted(_once(root, found, walk.linked)))


def _starts(root: Path, ini: PytestIni) -> list[str]:
    """Return what pytest would start from, as absolute paths."""
    named = [
        os.path.normpath(root / match)
        for pattern in ini.testpaths
        for match in sorted(glob.glob(pattern, root_dir=root, recursive=True))
    ]
    return list(dict.fromkeys(named)) or [str(root)]


def _once(root: Path, names: Iterable[str], linked: frozenset[str] | set[str]) -> set[str]:
    """Keep one name of each file; a symbolic link gives way to the file that it leads to."""
    kept = {name for name in names if name not in linked}
    here = os.path.realpath(root)
    known = {f"{here}/{name}" for name in kept}
    for name in sorted(linked):
        real = os.path.realpath(root / name)
        if real not in known:
            known.add(real)
            kept.add(name)
    return kept


@dataclass(frozen=True, slots=True, kw_only=True)
class _Patterns:
    """pytest's globs: one without `/` speaks of the last part of a path, others of all of it."""

    of_name: re.Pattern[str]
    of_path: re.Pattern[str]

    @classmethod
    def of(cls, patterns: Iterable[str]) -> "_Patterns":
        """Compile them; a relative one with `/` may begin anywhere."""
        names, paths = [], []
        for pattern in patterns:
            if "/" not in pattern:
                names.append(pattern)
            else:
                paths.append(pattern if pattern.startswith("/") else f"*/{pattern}")
        return cls(of_name=_any_of(names), of_path=_any_of(paths))

    def match(self, entry: "os.DirEntry[str]") -> bool:
        """Whether one of them fits."""
        return bool(self.of_name.match(entry.name) or self.of_path.match(entry.path))


def _any_of(patterns: Sequence[str]) -> re.Pattern[str]:
    return re.compile("|".join(map(fnmatch.translate, patterns)) or r"(?!)")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rules:
    """What is excluded, and what is looked at because it was named."""

    files: _Patterns
    folders: _Patterns
    named: frozenset[str]
    above_named: frozenset[str]

    @classmethod
    def of(cls, root: Path, ini: PytestIni, starts: Sequence[Path]) -> "_Rules":
        """Compile pytest's patterns."""
        return cls(
            files=_Patterns.of(ini.python_files),
            folders=_Patterns.of((*ini.norecursedirs, "__pycache__")),
            named=frozenset(str(start) for start in starts),
            above_named=frozenset(str(parent) for start in starts for parent in start.parents),
        )


class _Walk:
    """A walk that visits no folder twice. `linked` names what was reached by a symbolic link."""

    def __init__(self, *, root: Path, rules: _Rules) -> None:
        self._root = root
        self._rules = rules
        self.linked: set[str] = set()
        self._prefix = len(str(root).rstrip("/")) + 1
        self._seen: set[str] = set()

    def below(self, start: str) -> Iterator[str]:
        """Yield the test files at or below a path that was named."""
        linked = os.path.realpath(start) != os.path.join(
            os.path.realpath(self._root), start[self._prefix :]
        ).rstrip("/")
        if os.path.isfile(start):
            if start.endswith(".py"):
                yield self._found(start, linked)
            return
        yield from self._folder(start, linked, frozenset())

    def _folder(self, folder: str, linked: bool, above: frozenset[str]) -> Iterator[str]:
        if folder in self._seen:
            return
        self._seen.add(folder)
        if linked:
            real = os.path.realpath(folder)
            if real in above:
                return
            above |= {real}
        with os.scandir(folder) as scan:
            entries = list(scan)
        rules = self._rules
        if any(entry.name in _VENV_MARKS for entry in entries) and not self._is_named(folder):
            return
        for entry in entries:
            path = entry.path
            is_link = linked or entry.is_symlink()
            if entry.name.endswith(".py") and entry.is_file():
                if path in rules.named or rules.files.match(entry):
                    yield self._found(path, is_link)
            elif entry.is_dir() and self._is_open(entry):
                real_above = above | {os.path.realpath(folder)} if is_link else above
                yield from self._folder(path, is_link, real_above)

    def _is_named(self, path: str) -> bool:
        return path in self._rules.named or path in self._rules.above_named

    def _is_open(self, entry: "os.DirEntry[str]") -> bool:
        if self._is_named(entry.path):
            return True
        return not self._rules.folders.match(entry)

    def _found(self, path: str, linked: bool) -> str:
        name = path[self._prefix :]
        if linked:
            self.linked.add(name)
        return name

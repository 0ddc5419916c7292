"""The roster of a project, for every command that needs one."""

import os
from collections.abc import Sequence
from pathlib import Path

from harness.config.pytest_ini import PytestIni, read_pytest_ini
from harness.config.schema import Config
from harness.errors import UsageError
from harness.model.identifiers import TestFile
from harness.plan.classify import Classification, classify
from harness.plan.collected import ignored_by_conftest
from harness.plan.facts import SourceFacts
from harness.plan.roster import Roster, RosterEntry
from harness.records.facts_cache import FactsCache
from harness.workspace.sources import SourceReader
from harness.workspace.test_files import find_test_files


def load_roster(root: Path, config: Config) -> Roster:
    """Classify every test file below `root`. Nothing is imported and nothing is run.

    Raises ConfigError for a pytest configuration that cannot be read, OSError for a file.
    """
    return load_classification(root, config).roster


def load_classification(root: Path, config: Config) -> Classification:
    """As `load_roster`, with what the sources contradict themselves in."""
    root = Path(os.path.abspath(root))
    ini: PytestIni = read_pytest_ini(root)
    cache = FactsCache(root)
    sources: SourceReader[SourceFacts] = SourceReader(root, cache.facts)
    files: dict[TestFile, int] = {}
    for file in find_test_files(root, ini):
        # A file that has gone since is none.
        if sources.facts(file) is not None and not ignored_by_conftest(file, sources):
            files[file] = sources.size_bytes(file)
    classification = classify(files, sources, ini, config.commands)
    cache.save()
    return classification


def choose(
    entries: Sequence[RosterEntry], paths: Sequence[str], root: Path
) -> tuple[RosterEntry, ...]:
    """Return the entries at or below paths that a user named; all of them for no path.

    Raises UsageError that names every path without a test file.
    """
    if not paths:
        return tuple(entries)
    prefixes = {path: _relative(path, root) for path in paths}
    without = [
        path
        for path, prefix in prefixes.items()
        if not any(_is_below(entry.file, prefix) for entry in entries)
    ]
    if without:
        named = ", ".join(without)
        raise UsageError(f"no test file at {named}; `harness lanes` lists those that there are")
    return tuple(
        entry
        for entry in entries
        if any(_is_below(entry.file, prefix) for prefix in prefixes.values())
    )


def _relative(path: str, root: Path) -> str:
    return os.path.relpath(os.path.abspath(path), os.path.abspath(root))


def _is_below(file: str, prefix: str) -> bool:
    return prefix in (".", file) or file.startswith(prefix + "/")

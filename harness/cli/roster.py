"""The roster of a project, for every command that needs one."""

import os
from collections.abc import Sequence
from pathlib import Path

from harness.config.pytest_ini import PytestIni, read_pytest_ini
from harness.config.schema import Config
from harness.errors import PreconditionError, UsageError
from harness.model.identifiers import TestFile
from harness.plan.classification import Classification
from harness.plan.roster import Roster, RosterEntry
from harness.records.roster_cache import key_of, read_known, store_known
from harness.workspace.sources import SourceReader, is_unchanged
from harness.workspace.test_files import find_test_files


def load_roster(root: Path, config: Config) -> Roster:
    """Classify every test file below `root`. Nothing is imported and nothing is run.

    Raises ConfigError for a pytest configuration that cannot be read, PreconditionError for a file.
    """
    return load_classification(root, config).roster


def load_classification(root: Path, config: Config) -> Classification:
    """As `load_roster`, with what the sources contradict themselves in."""
    root = Path(os.path.abspath(root))
    try:
        return _classification(root, config)
    except OSError as error:
        raise PreconditionError(
            f"{error.filename or root}: {error.strerror}. Test files, conftests and their folders "
            "must be readable to be classified; what is no test goes into norecursedirs"
        ) from error


def _classification(root: Path, config: Config) -> Classification:
    ini = read_pytest_ini(root)
    found = find_test_files(root, ini)
    key = key_of(found, ini, sorted(config.commands.items()))
    known = read_known(root)
    if known is not None and known.key == key and is_unchanged(root, known.files, known.folders):
        return known.classification
    return _classify(root, config, ini, found, key)


def _classify(
    root: Path, config: Config, ini: PytestIni, found: Sequence[TestFile], key: str
) -> Classification:
    # Imported here: where nothing has changed, nobody pays for them.
    from harness.plan.classify import classify
    from harness.plan.facts import SourceFacts
    from harness.records.facts_cache import FactsCache

    cache = FactsCache(root)
    sources: SourceReader[SourceFacts] = SourceReader(root, cache.facts)
    files = {
        file: sources.size_bytes(file)
        for file in found
        # A file that has gone since is none.
        if sources.facts(file) is not None
    }
    classification = classify(files, sources, ini, config.commands)
    cache.save()
    store_known(root, key, sources.digests, sources.folders, classification)
    return classification


def choose(
    entries: Sequence[RosterEntry], paths: Sequence[str], root: Path
) -> tuple[RosterEntry, ...]:
    """Return the entries at or below paths that a user named, each once; all for no path.

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

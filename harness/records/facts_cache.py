"""Facts of sources under the digest of their bytes, kept from one command to the next."""

import contextlib
import sys
from pathlib import Path

import msgspec

from harness.errors import PreconditionError
from harness.plan.facts import FACTS_VERSION, SourceFacts
from harness.plan.source_facts import facts_of
from harness.records.state_folder import STATE_FOLDER, replace_file, state_folder

_NAME = "facts.msgpack"


class _Stored(msgspec.Struct, frozen=True):
    """The whole cache. What a Python cannot parse depends on its version."""

    version: int
    python: str
    facts: dict[bytes, SourceFacts]


_HERE = (FACTS_VERSION, sys.version.split()[0])


class FactsCache:
    """The facts that a project's last command knew, and those that this one adds.

    A cache that is missing, broken or of another version is an empty one.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._stored = _read(root / STATE_FOLDER / _NAME)
        self._used: dict[bytes, SourceFacts] = {}

    def facts(self, digest: bytes, source: bytes) -> SourceFacts:
        """Return the facts of a source with that digest, from the cache where they are there."""
        found = self._used.get(digest) or self._stored.get(digest) or facts_of(source)
        self._used[digest] = found
        return found

    def save(self) -> None:
        """Store what was used, atomically. A tree that cannot be written to goes without."""
        if self._used.keys() == self._stored.keys():
            return
        stored = _Stored(version=_HERE[0], python=_HERE[1], facts=self._used)
        with contextlib.suppress(OSError, UnicodeEncodeError, PreconditionError):
            replace_file(state_folder(self._root) / _NAME, msgspec.msgpack.encode(stored))


def _read(path: Path) -> dict[bytes, SourceFacts]:
    try:
        stored = msgspec.msgpack.decode(path.read_bytes(), type=_Stored)
    except (OSError, msgspec.MsgspecError, ValueError):
        return {}
    return stored.facts if (stored.version, stored.python) == _HERE else {}

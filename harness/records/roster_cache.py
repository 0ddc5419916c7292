"""The last classification of a project, with everything that it was made from.

It holds as long as each file and folder that was asked for, the missing ones too, is what it was.
"""

import contextlib
import hashlib
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from harness import __version__
from harness.errors import PreconditionError
from harness.plan.classification import Classification
from harness.plan.facts import FACTS_VERSION
from harness.records.state_folder import STATE_FOLDER, replace_file, state_folder

_NAME = "roster.msgpack"


class KnownRoster(msgspec.Struct, frozen=True):
    """`files` has the digest of each file that was asked for, nothing for one that is not there.

    `key` stands for the settings, the list of test files and the versions of all that decides.
    """

    key: str
    files: dict[str, bytes]
    folders: dict[str, bool]
    classification: Classification


def key_of(files: Sequence[str], *settings: object) -> str:
    """Return the key of a classification of `files` under settings that have a stable `repr`."""
    parts = [__version__, FACTS_VERSION, sys.version, list(files), *settings]
    return hashlib.sha256(repr(parts).encode("utf-8", "surrogateescape")).hexdigest()


def read_known(root: Path) -> KnownRoster | None:
    """Return what is stored; None when it is missing or broken."""
    try:
        data = (root / STATE_FOLDER / _NAME).read_bytes()
        return msgspec.msgpack.decode(data, type=KnownRoster)
    except (OSError, msgspec.MsgspecError, ValueError):
        return None


def store_known(
    root: Path,
    key: str,
    files: Mapping[str, bytes],
    folders: Mapping[str, bool],
    classification: Classification,
) -> None:
    """Store it, atomically. A tree that cannot be written to, and names in no UTF-8, go without."""
    known = KnownRoster(
        key=key, files=dict(files), folders=dict(folders), classification=classification
    )
    with contextlib.suppress(OSError, UnicodeEncodeError, PreconditionError):
        replace_file(state_folder(root) / _NAME, msgspec.msgpack.encode(known))

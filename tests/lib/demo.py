"""The demo as browser tests know it."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnDemo:
    """A demo that no other test writes to; `root` is its workspace."""

    url: str
    root: Path

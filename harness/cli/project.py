"""Which folder a command works in: the one that it was started in, and no other by mistake."""

import tomllib
from pathlib import Path

from harness.config.reader import FILE_NAME
from harness.errors import UsageError


def project_root() -> Path:
    """Return the current folder.

    Raises UsageError where it has no pyproject.toml and one above it configures the harness:
    nothing of that would hold here.
    """
    here = Path.cwd()
    if (here / FILE_NAME).exists():
        return here
    for folder in here.parents:
        if _configures_harness(folder / FILE_NAME):
            raise UsageError(
                f"{here} has no {FILE_NAME}, and {folder / FILE_NAME} configures the harness for "
                f"a project that this folder is part of: run in {folder}, and name "
                f"{here.relative_to(folder)} to narrow it down"
            )
    return here


def _configures_harness(path: Path) -> bool:
    try:
        return path.is_file() and "harness" in tomllib.loads(path.read_text()).get("tool", {})
    except (OSError, ValueError):
        return False

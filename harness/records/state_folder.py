"""The folder in which a project keeps what the harness knows from one run to the next."""

from pathlib import Path

STATE_FOLDER = ".harness"


def state_folder(root: Path) -> Path:
    """Make a project's state folder, which git ignores, and return it."""
    folder = root / STATE_FOLDER
    folder.mkdir(exist_ok=True)
    ignore = folder / ".gitignore"
    if not ignore.exists():
        ignore.write_text("*\n", encoding="ascii")
    return folder

"""A project's own folder for what the harness keeps between runs."""

from pathlib import Path

STATE_FOLDER = ".harness"


def state_folder(root: Path) -> Path:
    """Make the folder, which git ignores, and return it."""
    folder = root / STATE_FOLDER
    folder.mkdir(exist_ok=True)
    ignore = folder / ".gitignore"
    if not ignore.exists():
        ignore.write_text("*\n", encoding="ascii")
    return folder

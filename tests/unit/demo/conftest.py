"""A workspace for the demo."""

from pathlib import Path

import pytest


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A workspace with two files, one of them in a folder."""
    root = tmp_path / "workspace"
    (root / "notes").mkdir(parents=True)
    (root / "plan.txt").write_bytes(b"12345")
    (root / "notes" / "a.txt").write_bytes(b"123")
    return root

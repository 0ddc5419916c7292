"""What the server lane shares: a scratch root of each test's own."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.process import scratch


@pytest.fixture
def scratch_root(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Hold every scratch that the test's families make, in a path short enough for sockets."""
    with tempfile.TemporaryDirectory(prefix="hn-", dir="/tmp") as folder:
        monkeypatch.setenv(scratch.ROOT_VARIABLE, folder)
        yield Path(folder)

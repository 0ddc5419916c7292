"""What the browser lane shares: the demo, a suite of somebody else's, a scratch root."""

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.demo.app import create_app
from harness.process import scratch
from tests.lib.demo import OwnDemo


@pytest.fixture(scope="session")
def demo_url(serve_session: Callable[..., Any]) -> str:
    """The demo with its seeded workspace; the session shares it, so nobody writes to it."""
    return str(serve_session(create_app).url)


@pytest.fixture
def own_demo(serve_session: Callable[..., Any], tmp_path: Path) -> OwnDemo:
    """A demo over a workspace of this test's own, which holds one file of five bytes."""
    root = tmp_path / "workspace"
    root.mkdir()
    (root / "plan.txt").write_bytes(b"12345")
    return OwnDemo(url=str(serve_session(lambda: create_app(root)).url), root=root)


@pytest.fixture
def suite(pytester: pytest.Pytester) -> pytest.Pytester:
    """A suite of its own process."""
    pytester.makeini("[pytest]\naddopts = -p no:cacheprovider\n")
    return pytester


@pytest.fixture
def scratch_root(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Hold every scratch that the test's families make, in a path short enough for sockets."""
    with tempfile.TemporaryDirectory(prefix="hn-", dir="/tmp") as folder:
        monkeypatch.setenv(scratch.ROOT_VARIABLE, folder)
        yield Path(folder)

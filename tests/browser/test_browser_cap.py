"""`max_browsers` with real browsers: one owner at a time, however many it starts."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.process import lease
from tests.lib.events import wait_for_file
from tests.lib.suite_run import running_suite

pytestmark = pytest.mark.browser


@pytest.fixture
def root(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A host of this test's own: nobody else's places are in its scratch root."""
    with tempfile.TemporaryDirectory(prefix="hn-", dir="/tmp") as folder:
        monkeypatch.setenv("HARNESS_STATE_DIR", folder)
        yield Path(folder)


@pytest.fixture
def suite(
    pytester: pytest.Pytester, root: Path, monkeypatch: pytest.MonkeyPatch
) -> pytest.Pytester:
    """A suite that may have one browser."""
    monkeypatch.setenv("CI", "1")
    pytester.makeini("[pytest]\naddopts = -p no:cacheprovider\n")
    pytester.makepyprojecttoml("[tool.harness]\nmax_browsers = 1\n")
    return pytester


def test_two_runs_at_once_are_served_one_after_the_other(suite: pytest.Pytester) -> None:
    suite.makepyfile(
        test_first="""
        import os, time
        from pathlib import Path

        def test_first(page, chromium):
            Path("draft").write_text(str(chromium.pid))
            os.replace("draft", "first")
            deadline = time.monotonic() + 60
            while not Path("go").exists() and time.monotonic() < deadline:
                page.wait_for_timeout(10)
        """,
        test_second="""
        import os
        from pathlib import Path

        def test_second(page):
            assert not os.path.exists(f"/proc/{Path('first').read_text()}")
        """,
    )
    with running_suite(suite.path, "test_first.py") as first:
        wait_for_file(suite.path / "first", 60)
        with running_suite(suite.path, "test_second.py") as second:
            said = second.has_said(" UTC)")
            assert f"held by pid {first.pid} (pytest -p no:cacheprovider test_first.py in" in said
            (suite.path / "go").touch()
            assert first.ends()[0] == 0
            code, said = second.ends()
    assert code == 0, said
    assert "got one of 1 browser of this host after" in said


def test_one_place_is_enough_for_the_browsers_of_one_process(suite: pytest.Pytester) -> None:
    suite.makepyfile(
        """
        import subprocess, sys

        def test_two(browser, launch_browser):
            other = launch_browser()
            assert browser.is_connected()
            assert other.is_connected()
            other.close()

        def test_a_run_inside(page):
            command = [sys.executable, "-m", "pytest", "inner.py", "-p", "no:cacheprovider"]
            result = subprocess.run(command, capture_output=True, text=True, timeout=60)
            assert "1 passed" in result.stdout
        """,
        inner="def test_inner(page): page.set_content('x')",
    )
    with running_suite(suite.path) as run:
        code, said = run.ends()
    assert code == 0, said
    assert "2 passed" in said
    assert "waiting" not in said


def test_a_browser_that_the_lane_does_not_show_waits_when_it_is_launched(
    suite: pytest.Pytester, root: Path
) -> None:
    suite.makepyfile(
        """
        def test_hidden(request):
            print("before")
            request.getfixturevalue("page").set_content("x")
        """
    )
    held = lease.acquire(
        root / ".browsers", 1, command="pytest there", token="x", told=lambda _: None
    )
    try:
        with running_suite(suite.path) as run:
            run.has_said("waiting for one of 1 browser of this host (max_browsers): held by pid")
            held.release()
            code, said = run.ends()
    finally:
        held.release()
    assert code == 0, said
    assert "before" not in said, "what the test printed is still captured"

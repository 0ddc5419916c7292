"""`max_browsers`: who waits, where, what is said meanwhile, and who need not wait.

The suites here mark their tests `browser` by hand, which is all that the cap asks for.
"""

import signal
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import groupby
from pathlib import Path

import pytest

from harness.process import lease
from harness.process.lease import Lease
from tests.lib.suite_run import running_suite

MARKED = """
    import pytest

    def test_unit():
        pass

    @pytest.mark.browser
    def test_browser():
        print("in the browser test")
"""


@pytest.fixture
def root(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A host of this test's own: nobody else's places are in its scratch root."""
    with tempfile.TemporaryDirectory(prefix="hn-", dir="/tmp") as folder:
        monkeypatch.setenv("HARNESS_STATE_DIR", folder)
        yield Path(folder)


@pytest.fixture
def suite(pytester: pytest.Pytester, root: Path) -> pytest.Pytester:
    """A suite that may have one browser."""
    pytester.makeini("[pytest]\naddopts = -p no:cacheprovider\n")
    pytester.makepyprojecttoml("[tool.harness]\nmax_browsers = 1\n")
    return pytester


@pytest.fixture
def occupy(root: Path) -> Iterator[Callable[[], Lease]]:
    """Hold the first place, as another run would."""
    with ExitStack() as stack:

        def take() -> Lease:
            held = lease.acquire(
                root / ".browsers", 1, command="pytest there", token="x", told=lambda _: None
            )
            stack.callback(held.release)
            return held

        yield take


def test_a_run_waits_for_the_holder_by_name_before_the_time_of_its_test_begins(
    suite: pytest.Pytester, occupy: Callable[[], Lease]
) -> None:
    suite.makepyfile(MARKED)
    suite.makeconftest(
        """
        import pytest

        @pytest.hookimpl(tryfirst=True)
        def pytest_timeout_set_timer(item):
            item.config.get_terminal_writer().line(f"the time of {item.name} begins")
        """
    )
    held = occupy()
    with running_suite(suite.path, "-v", "--timeout=60") as run:
        said = run.has_said("waiting for one of 1 browser of this host (max_browsers): held by pid")
        assert "pytest there, since 20" in run.has_said(" UTC)")
        assert "test_unit PASSED" in said
        assert "the time of test_unit begins" in said
        assert "the time of test_browser begins" not in said
        held.release()
        code, said = run.ends()
    assert code == 0
    assert "lanewright: got one of 1 browser of this host after " in said
    assert said.index("got one of") < said.index("the time of test_browser begins")


def test_a_place_that_is_free_is_taken_without_a_word_and_given_back(
    suite: pytest.Pytester, root: Path
) -> None:
    suite.makepyfile(MARKED)
    result = suite.runpytest_subprocess()
    result.assert_outcomes(passed=2)
    assert "browser of this host" not in result.stdout.str() + result.stderr.str()
    assert [path.name for path in (root / ".browsers").iterdir()] == ["0.place"]


def test_without_a_cap_nothing_is_counted_and_no_file_is_made(
    suite: pytest.Pytester, root: Path
) -> None:
    suite.makepyprojecttoml("[tool.harness]\n")
    suite.makepyfile(MARKED)
    suite.runpytest_subprocess().assert_outcomes(passed=2)
    assert not (root / ".browsers").exists()


def test_a_run_without_a_test_of_the_browser_lane_needs_no_place(
    suite: pytest.Pytester, root: Path, occupy: Callable[[], Lease]
) -> None:
    suite.makepyfile(MARKED)
    occupy()
    suite.runpytest_subprocess("-m", "not browser").assert_outcomes(passed=1, deselected=1)


@pytest.mark.parametrize(
    ("number", "code", "words"),
    [(signal.SIGINT, 2, "KeyboardInterrupt"), (signal.SIGTERM, 143, "received SIGTERM")],
)
def test_a_signal_ends_a_run_that_waits(
    suite: pytest.Pytester, occupy: Callable[[], Lease], number: int, code: int, words: str
) -> None:
    suite.makepyfile(MARKED)
    occupy()
    with running_suite(suite.path) as run:
        run.has_said("waiting for")
        run.process.send_signal(number)
        ended, said = run.ends()
    assert (ended, words in said, "1 passed" in said) == (code, True, True)


LOGGING = """
    import json, os
    from pathlib import Path
    import pytest

    pytestmark = pytest.mark.browser

    @pytest.mark.parametrize("number", range(6))
    def test_logged(number):
        holder = json.loads(Path(os.environ["HARNESS_STATE_DIR"], ".browsers/0.holder").read_text())
        assert holder["pid"] == os.getpid()
        assert holder["command"].endswith(f", worker {os.environ['PYTEST_XDIST_WORKER']}")
        with open("log", "a") as log:
            log.write(f"{os.getpid()}\\n")
"""


@pytest.mark.parametrize(
    "distribution",
    [
        "load",
        "worksteal",
        pytest.param("loadfile", marks=pytest.mark.soak),
        pytest.param("each", marks=pytest.mark.soak),
    ],
)
def test_workers_of_xdist_are_served_one_after_the_other(
    suite: pytest.Pytester, distribution: str, occupy: Callable[[], Lease]
) -> None:
    for name in ("test_a", "test_b", "test_c"):
        suite.makepyfile(**{name: LOGGING})
    tx = ["--tx", "3*popen"] if distribution == "each" else ["-n", "3"]
    held = occupy()
    with running_suite(suite.path, *tx, "--dist", distribution) as run:
        for worker in ("gw0", "gw1", "gw2"):
            run.has_said(f"lanewright {worker}: waiting for one of 1 browser of this host")
        held.release()
        code, said = run.ends()
    assert code == 0, said
    pids = (suite.path / "log").read_text().split()
    assert len(pids) == (54 if distribution == "each" else 18)
    turns = [pid for pid, _ in groupby(pids)]
    assert len(turns) == len(set(turns)), "one came back while another had its turn"
    assert len(turns) == 3


def test_a_run_inside_of_a_holder_shares_its_place(suite: pytest.Pytester) -> None:
    suite.makepyfile(
        """
        import subprocess, sys
        import pytest

        @pytest.mark.browser
        def test_outer():
            command = [sys.executable, "-m", "pytest", "inner.py", "-p", "no:cacheprovider"]
            result = subprocess.run(command, capture_output=True, text=True, timeout=60)
            assert "1 passed" in result.stdout
            assert "browser of this host" not in result.stdout + result.stderr
        """,
        inner="""
        import pytest

        @pytest.mark.browser
        def test_inner():
            pass
        """,
    )
    suite.runpytest_subprocess().assert_outcomes(passed=1)


def test_a_forked_child_that_goes_on_with_the_session_shares_too(suite: pytest.Pytester) -> None:
    suite.makepyfile(
        """
        import os
        import pytest

        pytestmark = pytest.mark.browser

        def test_fork():
            child = os.fork()
            if child:
                assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0

        def test_next():
            with open("log", "a") as log:
                log.write("ran\\n")
        """
    )
    with running_suite(suite.path) as run:
        code, said = run.ends()
    assert code == 0, said
    assert (suite.path / "log").read_text() == "ran\nran\n"
    assert "waiting" not in said


def test_a_folder_that_cannot_hold_a_place_fails_browser_tests_with_the_remedy(
    suite: pytest.Pytester, root: Path
) -> None:
    (root / ".browsers").touch()
    suite.makepyfile(MARKED)
    result = suite.runpytest_subprocess("-rA")
    result.assert_outcomes(passed=1, errors=1)
    text = result.stdout.str()
    assert f"no place can be held in {root}/.browsers: " in text
    assert "set HARNESS_STATE_DIR to a folder" in text
    assert "in the browser test" not in text

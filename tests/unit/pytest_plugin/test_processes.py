"""What a suite does with processes of its own is its own business, until the run ends."""

import signal

import pytest

from tests.lib import witness
from tests.lib.events import wait_until


@pytest.fixture
def suite(pytester: pytest.Pytester) -> pytest.Pytester:
    """A suite of its own process."""
    pytester.makeini("[pytest]\naddopts = -p no:cacheprovider -W ignore::ResourceWarning\n")
    return pytester


def test_a_forked_child_dies_of_sigterm_as_ever(suite: pytest.Pytester) -> None:
    suite.makepyfile(
        """
        import multiprocessing, signal, time

        def sleep(ready):
            ready.set()
            time.sleep(60)

        def test_terminate():
            context = multiprocessing.get_context("fork")
            ready = context.Event()
            process = context.Process(target=sleep, args=(ready,))
            process.start()
            assert ready.wait(20)
            process.terminate()
            process.join(20)
            assert process.exitcode == -signal.SIGTERM
        """
    )
    result = suite.runpytest_subprocess()
    result.assert_outcomes(passed=1)
    assert "left processes behind" not in result.stdout.str()


def test_a_child_that_shed_its_environment_is_ended_and_named_too(
    suite: pytest.Pytester,
) -> None:
    suite.makepyfile(
        """
        import subprocess
        from pathlib import Path

        def test_strays():
            for seconds, alone in ("611", False), ("612", True):
                stray = subprocess.Popen(["/bin/sleep", seconds], env={}, start_new_session=alone)
                # A process has no command line for a moment while it executes.
                while not Path(f"/proc/{stray.pid}/cmdline").read_bytes():
                    pass
        """
    )
    result = suite.runpytest_subprocess()
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines_random(
        ["pid * (descent): /bin/sleep 611", "pid * (descent): /bin/sleep 612"]
    )


def test_an_unusable_scratch_root_is_a_usage_error_with_the_remedy(
    suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HARNESS_STATE_DIR", "/etc/passwd")
    suite.makepyfile("def test_unit(): pass")
    result = suite.runpytest_subprocess()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "set HARNESS_STATE_DIR to a folder of yours" in result.stderr.str()


@pytest.mark.parametrize("value", ["None", "3", "'x'", "type('P', (), {'pid': -1})()"])
def test_owning_what_is_no_process_is_refused(suite: pytest.Pytester, value: str) -> None:
    suite.makepyfile(
        f"""
        import pytest
        from harness.errors import UsageError

        def test_own(own):
            with pytest.raises(UsageError, match="expected a process"):
                own({value})
        """
    )
    suite.runpytest_subprocess().assert_outcomes(passed=1)


def test_a_forked_child_that_stays_is_ended_with_its_parents_run(suite: pytest.Pytester) -> None:
    suite.makepyfile(
        """
        import os, time

        def test_fork():
            if os.fork() == 0:
                os.setsid()
                if os.fork() != 0:
                    os._exit(0)
                time.sleep(60)
                os._exit(0)
            os.wait()
        """
    )
    result = suite.runpytest_subprocess()
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines_random(["pid * (group of an adopted process): *"])


def test_a_child_that_was_forked_behind_pythons_back_ends_with_a_killed_run(
    suite: pytest.Pytester,
) -> None:
    suite.makepyfile(
        """
        import ctypes, os, signal

        def test_fork():
            pid = ctypes.PyDLL(None).fork()
            if pid == 0:
                signal.alarm(60)
                signal.pause()
                os._exit(1)
            print("forked", pid, flush=True)
            os.kill(os.getpid(), signal.SIGKILL)
        """
    )
    result = suite.runpytest_subprocess("-s")
    assert result.ret == -signal.SIGKILL
    child = next(line for line in result.outlines if "forked " in line and "rootdir" not in line)
    pid = int(child.split()[-1])
    wait_until(lambda: witness.identity(pid) is None, 10, "the forked child to be gone")

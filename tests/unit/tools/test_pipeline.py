"""Steps: one line each, whole output of a failure, and no child left behind."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tools.pipeline import (
    Outcome,
    Pipeline,
    Step,
    Stopped,
    StopSignals,
    child_environment,
    exit_code,
    summary,
)

ROOT = Path(__file__).parents[3]
# What a failing test leaves behind ends by itself.
MORTAL = "import signal; signal.alarm(60)"


def python(code: str, **options: object) -> Step:
    return Step(name="a step", command=(sys.executable, "-c", code), **options)  # type: ignore[arg-type]


@pytest.fixture
def pipeline(tmp_path: Path) -> Pipeline:
    """A pipeline whose clock shows 1.5 seconds between two looks."""
    ticks = iter(range(1000))
    return Pipeline(
        folder=tmp_path,
        environment=dict(os.environ),
        signals=StopSignals(),
        now=lambda: next(ticks) * 1.5,
    )


def outcome(name: str, result: str) -> Outcome:
    return Outcome(name=name, result=result, seconds=1.25)


def test_a_step_that_passes_prints_one_line(
    pipeline: Pipeline, capfd: pytest.CaptureFixture[str]
) -> None:
    assert pipeline.run(python("print('noise')")).passed

    assert capfd.readouterr().out.split() == ["a", "step", "ok", "1.5", "s"]


def test_a_step_that_fails_shows_its_whole_output(
    pipeline: Pipeline, capfd: pytest.CaptureFixture[str]
) -> None:
    code = "import sys; print('first'); sys.stdout.flush(); sys.exit('last')"

    assert pipeline.run(python(code)).result == "exit 1"
    assert capfd.readouterr().out.splitlines()[1:] == ["first", "last"]


def test_a_streamed_step_shows_its_output_under_its_name(
    pipeline: Pipeline, capfd: pytest.CaptureFixture[str]
) -> None:
    pipeline.run(python("print('words')", streamed=True))

    first, second, third = capfd.readouterr().out.splitlines()
    assert (first, second) == ("== a step", "words")
    assert third.split() == ["a", "step", "ok", "1.5", "s"]


def test_the_steps_after_a_failing_one_still_run(pipeline: Pipeline) -> None:
    outcomes = pipeline.run_all([python("raise SystemExit(7)"), python("")])

    assert [outcome.result for outcome in outcomes] == ["exit 7", "ok"]


def test_a_step_that_a_signal_ended_names_the_signal(pipeline: Pipeline) -> None:
    step = python("import os, signal; os.kill(os.getpid(), signal.SIGKILL)")

    assert pipeline.run(step).result == "ended by SIGKILL"


def test_a_program_that_does_not_exist_fails_its_step(pipeline: Pipeline) -> None:
    step = Step(name="a step", command=("/nonexistent/program",))

    assert pipeline.run(step).result.startswith("cannot start: ")


def test_a_step_past_its_bound_is_ended(pipeline: Pipeline) -> None:
    outcome = pipeline.run(python(f"{MORTAL}; signal.pause()", timeout_seconds=0.2))

    assert outcome.result == "not over after 0.2 s"


def test_a_question_gets_the_status_and_all_output(pipeline: Pipeline) -> None:
    command = (sys.executable, "-c", "print('five'); raise SystemExit(5)")

    assert pipeline.ask(command, timeout_seconds=60) == (5, "five\n")


def test_a_question_that_nobody_can_answer_has_no_status(pipeline: Pipeline) -> None:
    status, reason = pipeline.ask(("/nonexistent/program",), timeout_seconds=60)

    assert status is None
    assert "/nonexistent/program" in reason


STOPPABLE = """
import sys
from pathlib import Path
from tools.pipeline import Pipeline, Step, Stopped, StopSignals
child = (sys.executable, "-c", sys.argv[1])
with StopSignals() as signals:
    pipeline = Pipeline(folder=Path.cwd(), environment={}, signals=signals)
    try:
        pipeline.run(Step(name="a step", command=child, streamed=True))
    except Stopped as stop:
        sys.exit(stop.exit_code)
"""


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_stop_signal_ends_the_child_before_it_ends_the_pipeline(number: int, code: int) -> None:
    child = f"{MORTAL}; import os; print(os.getpid(), flush=True); signal.pause()"
    with subprocess.Popen(
        [sys.executable, "-c", STOPPABLE, child], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as runner:
        assert runner.stdout is not None
        assert runner.stdout.readline() == "== a step\n"
        child_pid = int(runner.stdout.readline())
        runner.send_signal(number)

        assert runner.wait(60) == code
    with pytest.raises(ProcessLookupError):
        os.kill(child_pid, 0)


def test_a_second_stop_signal_shortens_the_wait_for_a_stubborn_child() -> None:
    child = (
        f"import os; {MORTAL}\n"
        "def show(number, frame): os.write(1, (signal.Signals(number).name + '\\n').encode())\n"
        "signal.signal(signal.SIGINT, show)\n"
        "signal.signal(signal.SIGTERM, show)\n"
        "os.write(1, b'ready\\n')\n"
        "while True: signal.pause()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", STOPPABLE, child], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as runner:
        assert runner.stdout is not None
        assert [runner.stdout.readline() for _ in range(2)] == ["== a step\n", "ready\n"]
        for shown in ("SIGINT\n", "SIGTERM\n"):
            runner.send_signal(signal.SIGINT)
            assert runner.stdout.readline() == shown
        runner.send_signal(signal.SIGINT)

        assert runner.wait(8) == 130


def test_a_stop_signal_between_two_steps_stops_at_the_next_one(pipeline: Pipeline) -> None:
    with pipeline.signals:
        signal.raise_signal(signal.SIGTERM)

        with pytest.raises(Stopped) as caught:
            pipeline.run(python(f"{MORTAL}; signal.pause()", timeout_seconds=20.0))

    assert caught.value.exit_code == 143


def test_the_summary_names_every_step_and_the_failed_ones() -> None:
    table = summary([outcome("ruff check", "ok"), outcome("mypy", "exit 1")])

    assert [line.split() for line in table.splitlines()] == [
        [],
        ["ruff", "check", "ok", "1.2", "s"],
        ["mypy", "exit", "1", "1.2", "s"],
        ["failed:", "mypy"],
    ]


def test_the_summary_of_a_clean_run_says_so() -> None:
    assert summary([outcome("mypy", "ok")]).endswith("\nevery step passed")


def test_one_failed_step_fails_the_whole() -> None:
    assert exit_code([outcome("a", "ok"), outcome("b", "exit 1")]) == 1
    assert exit_code([outcome("a", "ok"), outcome("b", "ok")]) == 0


def test_no_step_at_all_is_not_a_pass() -> None:
    assert exit_code([]) == 1


def test_the_programs_of_the_environment_come_first_on_the_path() -> None:
    child = child_environment({"PATH": "/usr/bin"}, programs=Path("/v/bin"), is_terminal=True)

    assert child["PATH"] == "/v/bin:/usr/bin"


def test_in_a_pipe_no_step_is_asked_for_colours() -> None:
    shell = {"FORCE_COLOR": "1", "PY_COLORS": "1"}

    child = child_environment(shell, programs=Path("/v/bin"), is_terminal=False)

    assert (child.get("FORCE_COLOR"), child.get("PY_COLORS"), child["NO_COLOR"]) == (
        None,
        None,
        "1",
    )


def test_on_a_terminal_colours_are_left_alone() -> None:
    child = child_environment({"FORCE_COLOR": "1"}, programs=Path("/v/bin"), is_terminal=True)

    assert child["FORCE_COLOR"] == "1"
    assert "NO_COLOR" not in child

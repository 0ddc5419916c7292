#!/usr/bin/env python3
"""Set up, test and measure Lanewright on a machine that has nothing but Python.

    python3 tools/dev.py test      what CI runs: lint, types, layers, and the three test lanes
    python3 tools/dev.py accept    end-to-end acceptance of the demo application in Chromium
    python3 tools/dev.py soak      what is too long for every push, several times
    python3 tools/dev.py bench     the measurements
    python3 tools/dev.py setup     only the set-up that each of the others does first

Set-up makes .venv beside pyproject.toml, installs the packages, and makes sure that there is a
Chromium. It is repeated only when pyproject.toml or the interpreter has changed.

exit codes: 0 passed, 1 a step failed, 2 usage, 5 something outside is missing (it is named, with
the command that provides it), 6 a fault of the harness, 130 Ctrl-C.
"""

import sys

if sys.version_info < (3, 11):  # noqa: UP036 - an older one must read this file to say so
    sys.exit(
        "tools/dev.py needs Python 3.11 or newer, and {} is {}.{}; run it with a newer "
        "python3".format(sys.executable, *sys.version_info[:2])
    )

import argparse
import os
from collections.abc import Callable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
if __name__ == "__main__":
    sys.path[0] = str(ROOT)

from tools.environment import FAULT, VENV, SetupError, prepare
from tools.pipeline import (
    Pipeline,
    Step,
    Stopped,
    StopSignals,
    child_environment,
    exit_code,
    speak_plainly,
    summary,
)

PROGRAMS = ROOT / VENV / "bin"
LANES = ("unit", "server", "browser")
FOLDERS = tuple(f"tests/{lane}" for lane in LANES)
DEFAULT_SOAK_TIMES = 3


def steps_of_test() -> list[Step]:
    """Return what CI runs, in order."""
    return [
        _check("ruff check", "ruff", "check"),
        _check("ruff format", "ruff", "format", "--check"),
        _check("mypy", "mypy"),
        _check("lint-imports", "lint-imports"),
        _check("lanes", "harness", "lanes", "--check"),
        *(_lane(lane) for lane in LANES),
    ]


def steps_of_accept(demo_tests: Sequence[str]) -> list[Step]:
    """Return the acceptance of the demo application by the given test files."""
    return [_pytest("accept the demo", "accept", "-m", "browser", *demo_tests)]


def steps_of_soak(times: int) -> list[Step]:
    """Return the long proofs and the whole failure matrix, `times` times over."""
    return [
        _pytest(f"soak {turn} of {times}", f"soak-{turn}", "-m", "soak or matrix", *FOLDERS)
        for turn in range(1, times + 1)
    ]


def steps_of_bench() -> list[Step]:
    """Return the measurements."""
    return [_check("bench", "python", "tools/bench/run.py", streamed=True)]


def _check(name: str, program: str, *arguments: str, streamed: bool = False) -> Step:
    return Step(name=name, command=(str(PROGRAMS / program), *arguments), streamed=streamed)


def _lane(lane: str) -> Step:
    """Run one lane by the harness itself; the files that measure seconds run alone, at its end."""
    return _check(f"lane {lane}", "harness", "run", "--lane", lane, "--workers", "2", streamed=True)


def _pytest(name: str, output: str, *arguments: str) -> Step:
    # pytest-playwright deletes its output folder when a session starts: one folder for each.
    output_folder = f"--output=test-results/{output}"
    return _check(name, "python", "-m", "pytest", output_folder, *arguments, streamed=True)


def _accept() -> list[Step]:
    folder = ROOT / "tests" / "browser"
    demo_tests = [str(path.relative_to(ROOT)) for path in sorted(folder.glob("test_demo*.py"))]
    if not demo_tests:
        raise SetupError("tests/browser holds no test_demo*.py: there is nothing to accept", FAULT)
    print("acceptance is the browser lane of the demo application")
    return steps_of_accept(demo_tests)


def parse_arguments(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Read the command line. Exits with 2 on bad usage."""
    parser = argparse.ArgumentParser(
        prog="tools/dev.py",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, what in (
        ("setup", "make the environment and the browser ready"),
        ("test", "lint, types, layers, unit, server and browser lanes"),
        ("accept", "accept the demo application in a real Chromium"),
        ("soak", "run the long proofs and the failure matrix, several times"),
        ("bench", "run the measurements"),
    ):
        command = commands.add_parser(name, help=what, description=what)
        if name == "soak":
            command.add_argument(
                "--times",
                type=_positive,
                default=DEFAULT_SOAK_TIMES,
                metavar="N",
                help="how many times (default: %(default)s)",
            )
    return parser.parse_args(arguments)


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"expected a whole number above 0, found {text!r}")
    return int(text)


def main() -> int:
    """Set up, run the steps of the command, and return the exit code."""
    options = parse_arguments()
    speak_plainly()
    steps_for: dict[str, Callable[[], list[Step]]] = {
        "test": steps_of_test,
        "accept": _accept,
        "soak": lambda: steps_of_soak(options.times),
        "bench": steps_of_bench,
    }
    with StopSignals() as signals:
        environment = child_environment(
            os.environ, programs=PROGRAMS, is_terminal=sys.stdout.isatty()
        )
        pipeline = Pipeline(folder=ROOT, environment=environment, signals=signals)
        try:
            prepare(pipeline)
            if options.command == "setup":
                print("ready")
                return 0
            outcomes = pipeline.run_all(steps_for[options.command]())
        except SetupError as error:
            print(f"tools/dev.py: {error}", file=sys.stderr)
            return error.exit_code
        except Stopped as stop:
            print(f"\ntools/dev.py: stopped by {stop}", file=sys.stderr)
            return stop.exit_code
    print(summary(outcomes), flush=True)
    return exit_code(outcomes)


if __name__ == "__main__":
    sys.exit(main())

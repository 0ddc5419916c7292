#!/usr/bin/env python3
"""Run public pytest-playwright suites without and with Lanewright, and compare every test.

    python tools/compatibility/run.py --folder /var/tmp/suites
    python tools/compatibility/run.py --folder /var/tmp/suites --suite shiny --rounds 3

Each suite is installed from the index that pip is configured for, into an environment of its
own below the folder, with Lanewright beside it. It is run alternately with `-p no:lanewright`
and without that option; both times the same browser is used. A test differs when a run with the
plugin shows an outcome that no run without it showed. One that is flaky by itself is named.

exit codes: 0 the same, 1 a difference, 2 usage, 5 a suite or a browser cannot be had,
130 Ctrl-C.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
if __name__ == "__main__":
    sys.path[0] = str(ROOT)

from harness.browser.binary import find
from harness.errors import PreconditionError
from tools.compatibility.measuring import CannotCompare, measure
from tools.compatibility.preparing import CannotBeHad
from tools.compatibility.report import Measured, as_json, as_table
from tools.compatibility.suites import SUITES, Suite
from tools.pipeline import Stopped, StopSignals, speak_plainly

DIFFERENT = 1
PRECONDITION = 5
DEFAULT_ROUNDS = 2


def parse_arguments(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Read the command line. Exits with 2 on bad usage."""
    names = [suite.name for suite in SUITES]
    parser = argparse.ArgumentParser(
        prog="tools/compatibility/run.py",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--folder",
        type=Path,
        required=True,
        help="where suites, their environments and the logs of their runs go; used again",
    )
    parser.add_argument(
        "--suite",
        action="append",
        choices=names,
        metavar="NAME",
        help=f"one of {', '.join(names)}; may be given again (default: all)",
    )
    parser.add_argument(
        "--rounds",
        type=_positive,
        default=DEFAULT_ROUNDS,
        metavar="N",
        help="runs of each kind; with one, a flaky test looks like a difference "
        "(default: %(default)s)",
    )
    parser.add_argument(
        "--browser",
        type=Path,
        metavar="FILE",
        help="the Chromium of both kinds of run (default: what `harness doctor` finds)",
    )
    parser.add_argument(
        "--lanewright",
        type=Path,
        default=ROOT,
        metavar="TREE",
        help="the source tree of Lanewright to install (default: this one)",
    )
    parser.add_argument(
        "--lock",
        type=Path,
        metavar="FILE",
        help="locked during each run (as flock(1) does), where others start browsers as well; "
        "waiting for it is not counted",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there as well")
    return parser.parse_args(arguments)


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"expected a whole number above 0, found {text!r}")
    return int(text)


def _chosen(names: Sequence[str] | None) -> tuple[Suite, ...]:
    return tuple(suite for suite in SUITES if not names or suite.name in names)


def main() -> int:
    """Measure the chosen suites, print the table, and return the exit code."""
    options = parse_arguments()
    speak_plainly()
    try:
        browser = options.browser or find().path
    except PreconditionError as error:
        print(f"no browser to compare with: {error}", file=sys.stderr)
        return PRECONDITION
    measured: list[Measured] = []
    not_had: list[str] = []
    with StopSignals() as signals:
        for suite in _chosen(options.suite):
            try:
                measured.append(
                    measure(
                        suite,
                        folder=options.folder.resolve() / suite.name,
                        lanewright=options.lanewright.resolve(),
                        browser=browser,
                        rounds=options.rounds,
                        signals=signals,
                        lock=options.lock,
                    )
                )
            except (CannotBeHad, CannotCompare, OSError) as error:
                print(f"{suite.name}: {error}", file=sys.stderr, flush=True)
                not_had.append(suite.name)
            except Stopped as stop:
                print(f"\nstopped by {stop}", file=sys.stderr)
                return stop.exit_code
    if measured:
        print(as_table(measured))
        if options.json:
            options.json.write_text(as_json(measured), encoding="utf-8")
    if not_had:
        print(f"could not be measured: {', '.join(not_had)}")
        return PRECONDITION
    return 0 if all(one.comparison.same for one in measured) else DIFFERENT


if __name__ == "__main__":
    sys.exit(main())

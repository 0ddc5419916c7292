"""Live progress on a real pty of 80 columns."""

import os
import subprocess
import sys
from pathlib import Path

from tests.lib.terminal import Screen, run_on_terminal

ROOT = Path(__file__).parents[3]
PROGRAM = """
import os, sys
from harness.model.run_events import RunEnded
from harness.report.live import Live
from tests.lib.run_example import events_of_example

clock = [0.0]
live = Live(sys.stdout, os.environ, now=lambda: clock[0], refresh_seconds=None)
for event in events_of_example()[:{told}]:
    clock[0] += 3.0
    live.on(event)
    live._display.refresh()
{then}
"""


def environment(**given: str) -> dict[str, str]:
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in ("CI", "NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES")
    }
    return kept | {"TERM": "xterm-256color", "PYTHONPATH": str(ROOT)} | given


def shown(told: int, then: str = "", **given: str) -> tuple[int, str, Screen]:
    program = PROGRAM.format(told=told, then=then)
    code, output = run_on_terminal([sys.executable, "-c", program], environment(**given))
    screen = Screen(80)
    screen.feed(output)
    return code, output, screen


KILLED = "os.kill(os.getpid(), 9)"


def test_in_the_middle_of_a_run_rows_stand_below_the_markers() -> None:
    _, _, screen = shown(6, KILLED)

    assert screen.lines == [
        "Lane browser: 7 files on 2 slots, 1 of them alone afterwards; expected to take 4",
        "0.0 s.",
        "harness: failed: tests/browser/test_room.py (test_opens[dark])",
        "1 of 7 files ended, 1 failed, 5 wait, 15.0 s, about 27.3 s left",
        "  0  idle",
        "  1  tests/browse…s_and_has_a_long_name.py > test_hangs           9.0 s / 20.0 s",
    ]


def test_at_the_end_the_rows_are_gone_and_markers_and_summary_stay() -> None:
    code, _, screen = shown(99)

    assert code == 0
    assert [line for line in screen.lines if line.startswith("harness: ")] == [
        "harness: failed: tests/browser/test_room.py (test_opens[dark])",
        "harness: passed: tests/browser/test_links.py",
        "harness: crashed: tests/browser/test_player.py (test_plays)",
        "harness: empty: tests/browser/test_macos_only.py (all of its 2 tests were skippe",
        "harness: timeout: tests/browser/test_waiting_for_a_socket_that_never_answers_and",
        "harness: interrupted: tests/browser/test_upload.py (test_uploads)",
        "harness: not_run: tests/browser/test_audio.py (the run was stopped before it beg",
    ]
    assert not any("files ended" in line for line in screen.lines)
    assert "Not passed:" in screen.lines
    assert screen.widest <= 80


def test_the_cursor_is_never_hidden_whatever_ends_the_run() -> None:
    for then in ("", KILLED, "raise SystemExit(3)"):
        _, output, screen = shown(9, then)
        assert "\x1b[?25l" not in output
        assert screen.cursor_visible


def test_an_unexpected_end_erases_the_rows() -> None:
    code, _, screen = shown(6, "raise SystemExit(3)")

    assert code == 3
    assert not any("files ended" in line for line in screen.lines)
    assert "harness: failed: tests/browser/test_room.py (test_opens[dark])" in screen.lines


def test_no_color_keeps_the_rows_and_drops_the_colours() -> None:
    _, coloured, _ = shown(6, KILLED)
    _, plain, screen = shown(6, KILLED, NO_COLOR="1")

    assert "\x1b[31m" in coloured
    assert "\x1b[31m" not in plain
    assert "  0  idle" in screen.lines


def test_rows_move_by_themselves_while_nothing_happens() -> None:
    program = """
import sys, os, threading
from harness.report.live import Live
from tests.lib.run_example import events_of_example
enough = threading.Event()
calls = []
def now():
    calls.append(1)
    if len(calls) > 5:
        enough.set()
    return 1.0
live = Live(sys.stdout, os.environ, now=now, refresh_seconds=0.01)
live.on(events_of_example()[0])
sys.exit(0 if enough.wait(30) else 1)
"""
    code, _ = run_on_terminal([sys.executable, "-c", program], environment())
    assert code == 0


def test_rich_is_imported_only_when_live_progress_is_made() -> None:
    script = (
        "import sys, harness.report.live, harness.report.plain, harness.report.junit\n"
        "sys.exit('rich' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0

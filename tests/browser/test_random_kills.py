"""An owner that is killed at any moment of a start leaves nothing."""

import os
import random
import select
import signal
import sys
import tempfile
from pathlib import Path

import pytest

from tests.lib import witness
from tests.lib.events import wait_until
from tests.lib.stage import Stage

ROUNDS = 30
LATEST_SECONDS = 0.7
OWNER = "from harness.browser.launch import launch\nwith launch():\n    input()\n"
ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.soak
@pytest.mark.browser
@pytest.mark.parametrize("round_number", range(ROUNDS))
def test_an_owner_killed_while_it_starts_a_browser_leaves_nothing(
    tmp_path: Path, round_number: int
) -> None:
    seconds = random.Random(round_number).uniform(0, LATEST_SECONDS)
    with tempfile.TemporaryDirectory(prefix="hn-", dir="/tmp") as root:
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "HARNESS_STATE_DIR": root}
        with Stage([sys.executable, "-c", OWNER], env=environment, log=tmp_path / "log") as stage:
            # The moment is the case under test; there is no event to wait for.
            select.poll().poll(seconds * 1000)
            if witness.identity(stage.owner_pid):
                stage.signal(signal.SIGKILL)
            stage.wait(20.0)
            wait_until(
                lambda: not stage.descendants() and not list(Path(root).glob("[!.]*")),
                1.0,
                "the family, its warden and its scratch to be gone",
            )

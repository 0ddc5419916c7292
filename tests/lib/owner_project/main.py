"""A program that has a child of its own and runs a browser suite: the owner in ownership tests.

Usage: main.py STATE_FILE [PYTEST ARGUMENT ...]. The unrelated child leads a session of its own,
carries no run token, and exits with 7 on SIGTERM; how it ended is written beside the state.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

_NEIGHBOUR = (
    "import signal, sys\n"
    "signal.signal(signal.SIGTERM, lambda *_: sys.exit(7))\n"
    "print('ready', flush=True)\n"
    "while True: signal.pause()\n"
)


def main() -> int:
    """Run pytest beside a child that is nobody else's business."""
    state = Path(sys.argv[1])
    with subprocess.Popen(
        [sys.executable, "-c", _NEIGHBOUR], stdout=subprocess.PIPE, start_new_session=True
    ) as neighbour:
        assert neighbour.stdout is not None
        neighbour.stdout.readline()
        state.with_name("neighbour.json").write_text(json.dumps({"pid": neighbour.pid}))
        try:
            return int(pytest.main(sys.argv[2:]))
        finally:
            neighbour.terminate()
            state.with_name("neighbour_end.json").write_text(
                json.dumps({"returncode": neighbour.wait()})
            )


if __name__ == "__main__":
    sys.exit(main())

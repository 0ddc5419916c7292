"""The owner in ownership tests: a program with a child of its own and a browser to drive.

Usage: main.py pytest [ARGUMENT ...], or main.py script. The unrelated child leads a session of
its own, carries no run token, and exits with 7 on SIGTERM; how it ended is published.
"""

import subprocess
import sys

import moments

_NEIGHBOUR = (
    "import signal, sys\n"
    "signal.signal(signal.SIGTERM, lambda *_: sys.exit(7))\n"
    f"signal.alarm({moments.LIFETIME_SECONDS})\n"
    "print('ready', flush=True)\n"
    "while True: signal.pause()\n"
)


def main() -> int:
    """Run pytest or the script beside a child that is nobody else's business."""
    with subprocess.Popen(
        [sys.executable, "-c", _NEIGHBOUR], stdout=subprocess.PIPE, start_new_session=True
    ) as neighbour:
        assert neighbour.stdout is not None
        neighbour.stdout.readline()
        moments.publish("neighbour", pid=neighbour.pid)
        try:
            return run(sys.argv[1], sys.argv[2:])
        finally:
            neighbour.terminate()
            moments.publish("neighbour_end", returncode=neighbour.wait())


def run(kind: str, arguments: list[str]) -> int:
    """Import what this owner needs only now: its child shall not wait for that."""
    if kind == "script":
        import script

        return int(script.main())
    import pytest

    return int(pytest.main(arguments))


if __name__ == "__main__":
    sys.exit(main())

"""Names of signals, and the one with a meaning of ours."""

import signal

STACKS_SIGNAL = int(signal.SIGUSR2)
"""Makes a file run write the stack of every thread; nothing else of ours listens to it."""


def signal_name(number: int) -> str:
    """Return `SIGTERM` and the like, or the number of a signal without a name."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"

"""Names of signals."""

import signal


def signal_name(number: int) -> str:
    """Return `SIGTERM` and the like, or the number of a signal without a name."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"

"""Every error the harness raises, and the exit code each one stands for."""

from collections.abc import Iterable
from enum import IntEnum


class ExitCode(IntEnum):
    """What a `harness` command's exit status says. Signals use 128 + the signal's number."""

    PASSED = 0
    FAILED = 1
    USAGE = 2
    REFUSED = 3
    EMPTY = 4
    PRECONDITION = 5
    FAULT = 6
    LOCK_BUSY = 75
    HANGUP = 129
    INTERRUPTED = 130
    TERMINATED = 143


_PRECEDENCE = (
    ExitCode.FAULT,
    ExitCode.TERMINATED,
    ExitCode.INTERRUPTED,
    ExitCode.HANGUP,
    ExitCode.LOCK_BUSY,
    ExitCode.PRECONDITION,
    ExitCode.REFUSED,
    ExitCode.FAILED,
    ExitCode.EMPTY,
    ExitCode.PASSED,
)


def most_severe(codes: Iterable[ExitCode]) -> ExitCode:
    """Return the code that a command ends with when several apply; PASSED for none.

    USAGE never competes: bad usage is refused before anything else is known.
    """
    present = frozenset(codes)
    return next((code for code in _PRECEDENCE if code in present), ExitCode.PASSED)


class HarnessError(Exception):
    """Base of everything the harness raises on purpose: what, where and what next."""

    exit_code: ExitCode = ExitCode.FAULT


class UsageError(HarnessError):
    """The call itself is wrong; nothing was started."""

    exit_code = ExitCode.USAGE


class PreconditionError(HarnessError):
    """Something outside the harness is missing; the message names it and the remedy."""

    exit_code = ExitCode.PRECONDITION


class OwnershipError(HarnessError):
    """A process, a scratch directory or an exit report is not in the state that was promised.

    Raised by the verifier, which fails closed: what it cannot read is not gone.
    """


class StartError(HarnessError):
    """A browser or a server did not come up; the message quotes its own words, bounded."""

    exit_code = ExitCode.FAILED


class BrowserGone(HarnessError):
    """The browser process ended while it was in use; the message names the signal or code."""

    exit_code = ExitCode.FAILED

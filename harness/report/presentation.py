"""How a run is shown: live or plain, with colour or without. Pure: a stream and an environment in.

Honours NO_COLOR (https://no-color.org), FORCE_COLOR, TERM=dumb and CI.
"""

from collections.abc import Mapping
from typing import Literal, Protocol

from harness.config.ci import in_ci

Mode = Literal["live", "plain"]
_OFF = ("", "0", "false")


class _Stream(Protocol):
    def isatty(self) -> bool: ...


def choose(stream: _Stream, environment: Mapping[str, str]) -> Mode:
    """Return `live` for a terminal that can move its cursor and is not a CI's, else `plain`."""
    return "live" if _is_capable(stream, environment) and not in_ci(environment) else "plain"


def colour(stream: _Stream, environment: Mapping[str, str]) -> bool:
    """Tell whether to colour. NO_COLOR wins, then FORCE_COLOR, then what the terminal can do."""
    if environment.get("NO_COLOR"):
        return False
    forced = environment.get("FORCE_COLOR")
    if forced:
        return forced.lower() not in _OFF
    return _is_capable(stream, environment)


def _is_capable(stream: _Stream, environment: Mapping[str, str]) -> bool:
    try:
        terminal = stream.isatty()
    except ValueError:  # it is closed
        return False
    return terminal and environment.get("TERM", "dumb") not in ("", "dumb", "unknown")

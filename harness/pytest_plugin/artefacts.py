"""What pytest-playwright has kept of a failed test, once its teardown has written it. Pure."""

import shlex
from collections.abc import Iterable

_TRACE = "playwright_trace"
_VIDEO = "playwright_video"


def artefact_lines(properties: Iterable[tuple[str, object]]) -> list[str]:
    """Return what to say of traces and videos, by the report properties of pytest-playwright.

    Each trace comes with the command that opens it, its path quoted for a shell.
    """
    found = list(properties)
    traces = [str(path) for name, path in found if name == _TRACE]
    videos = [str(path) for name, path in found if name == _VIDEO]
    lines = []
    for path in traces:
        lines += [f"trace: {path}", f"  playwright show-trace {shlex.quote(path)}"]
    return lines + [f"video: {path}" for path in videos]

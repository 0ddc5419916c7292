"""Server commands that behave well or badly in one named way.

Every function returns an argv that runs in this Python, in a process that is the server (no
wrapper). Where a server answers, it does so on 127.0.0.1, on a port of its own choice, which
its start line on standard output names: `serving on http://127.0.0.1:PORT/`. Each GET gets
200 and a body, and the header `X-Harness-Nonce` when HARNESS_NONCE is in the environment;
any other method gets 405. Each ends itself after `LIFETIME_SECONDS`, however badly a test
fails.
"""

import sys
from pathlib import Path

from tests.lib.fake_server_program import BODY, LIFETIME_SECONDS, WRONG_NONCE

__all__ = [
    "BODY",
    "LIFETIME_SECONDS",
    "WRONG_NONCE",
    "answers_wrong_nonce",
    "dies_at_once",
    "floods_output",
    "forks_and_exits",
    "grandchild_holds_port",
    "ignores_sigterm",
    "listens_on_inherited_fd",
    "never_ready",
    "ok_server",
    "prints_port_then_closes_it",
]

_PROGRAM = str(Path(__file__).resolve().with_name("fake_server_program.py"))


def ok_server(start_line: bool = True) -> list[str]:
    """Serves; without `start_line` it serves and never says where."""
    return _argv("ok_server", str(int(start_line)))


def ignores_sigterm() -> list[str]:
    """Serves, deaf to SIGTERM, SIGINT and SIGHUP from before its start line on."""
    return _argv("ignores_sigterm")


def forks_and_exits() -> list[str]:
    """Becomes a daemon: a child in a session of its own serves, the parent says where, exits 0."""
    return _argv("forks_and_exits")


def dies_at_once(code: int, words: str) -> list[str]:
    """Writes `words` to standard error and exits with `code`."""
    return _argv("dies_at_once", str(code), words)


def never_ready() -> list[str]:
    """Runs without a word or a port."""
    return _argv("never_ready")


def prints_port_then_closes_it() -> list[str]:
    """Names a port on which it soon stops to listen, says `closed`, and runs on.

    The port stays bound, so that nobody else answers there.
    """
    return _argv("prints_port_then_closes_it")


def grandchild_holds_port() -> list[str]:
    """A grandchild in a session of its own serves; the leader says where and only waits.

    The process between them has ended: the grandchild is no descendant of the leader.
    """
    return _argv("grandchild_holds_port")


def floods_output(mebibytes: int) -> list[str]:
    """Writes so much to standard output before its start line, then serves."""
    return _argv("floods_output", str(mebibytes))


def answers_wrong_nonce() -> list[str]:
    """Serves, always with `WRONG_NONCE` as its nonce."""
    return _argv("answers_wrong_nonce")


def listens_on_inherited_fd() -> list[str]:
    """Serves on the socket whose descriptor HARNESS_LISTEN_FD names, bound by the caller."""
    return _argv("listens_on_inherited_fd")


def _argv(behaviour: str, *arguments: str) -> list[str]:
    return [sys.executable, "-IS", _PROGRAM, behaviour, *arguments]

"""Executables that start the way a Chromium must not: one builder for each start-up failure.

Every builder writes one executable to `folder` and returns its path. It accepts any
switches, reads `--user-data-dir=...`, and runs as the pid that was started (no wrapper stays
in between). One that hangs ends itself after `LIFETIME_SECONDS`, however badly a test fails.
"""

import sys
from pathlib import Path

from tests.lib.fake_browser_program import LIFETIME_SECONDS

__all__ = [
    "LIFETIME_SECONDS",
    "accepts_and_hangs_up",
    "accepts_but_never_answers",
    "announces_but_never_writes_port_file",
    "exits_with",
    "floods_stderr",
    "forks_and_hangs",
    "ignores_sigterm",
    "leaves_an_escapee",
    "never_opens_its_port",
    "not_executable",
    "port_file_disagrees",
    "prints_garbage",
    "prints_nothing_and_hangs",
    "stops_once_announced",
]

_ROOT = str(Path(__file__).resolve().parents[2])
# binfmt_script in Linux before 5.1 cuts the first line at 127 bytes.
_SHEBANG_LIMIT_BYTES = 127


def exits_with(folder: Path, code: int, words: str) -> Path:
    """Writes `words` to standard error and exits with `code`."""
    return _write(folder, "exits_with", code, words)


def prints_nothing_and_hangs(folder: Path) -> Path:
    """Runs without a word, a port or a file."""
    return _write(folder, "prints_nothing_and_hangs")


def prints_garbage(folder: Path) -> Path:
    """200 lines of garbage on standard error, then hangs.

    Among them: bytes that are no UTF-8, terminal escapes, a NUL, and lines that nearly
    announce an endpoint.
    """
    return _write(folder, "prints_garbage")


def not_executable(folder: Path) -> Path:
    """A good script without the permission to be executed: not even root can."""
    path = _write(folder, "not_executable")
    path.chmod(0o644)
    return path


def announces_but_never_writes_port_file(folder: Path) -> Path:
    """Listens, announces it on standard error, writes no DevToolsActivePort, hangs.

    So does Chromium when it may not write to its profile.
    """
    return _write(folder, "announces_but_never_writes_port_file")


def port_file_disagrees(folder: Path) -> Path:
    """Listens on two ports: standard error announces one, DevToolsActivePort the other."""
    return _write(folder, "port_file_disagrees")


def never_opens_its_port(folder: Path) -> Path:
    """Announcement and port file agree on a port where nobody listens; hangs.

    The port is bound, so that nobody else can get it.
    """
    return _write(folder, "never_opens_its_port")


def accepts_and_hangs_up(folder: Path) -> Path:
    """Announcement and port file agree; every connection there is closed without a word."""
    return _write(folder, "accepts_and_hangs_up")


def forks_and_hangs(folder: Path) -> Path:
    """Starts a child in a session of its own, then both hang without a word.

    The child's command line does not name the profile, its environment is inherited: only
    descent and the environment tell whose it is. Its pid is in the file `<returned
    path>.child` once it has left the group.
    """
    return _write(folder, "forks_and_hangs")


def ignores_sigterm(folder: Path) -> Path:
    """Ignores SIGTERM, SIGINT and SIGHUP, says `ignoring polite signals`, hangs."""
    return _write(folder, "ignores_sigterm")


def floods_stderr(folder: Path) -> Path:
    """Writes 1 MiB of numbered lines to standard error and exits with 1."""
    return _write(folder, "floods_stderr")


def accepts_but_never_answers(folder: Path) -> Path:
    """Announces a port that accepts every connection and answers nothing; hangs.

    The file `<returned path>.asked-<pid>` is there once a client has sent something.
    """
    return _write(folder, "accepts_but_never_answers")


def stops_once_announced(folder: Path, browser: Path) -> Path:
    """Runs the real `browser` as a child and stops it (SIGSTOP) once its endpoint is complete.

    The announcement is handed on after that: whoever reads it connects to a stopped browser.
    """
    return _write(folder, "stops_once_announced", str(browser))


def leaves_an_escapee(folder: Path, browser: Path) -> Path:
    """Becomes the real `browser`, with an orphan in a session of its own left behind.

    The orphan holds every descriptor that the browser was given, names no profile, and hangs.
    """
    return _write(folder, "leaves_an_escapee", str(browser))


def _write(folder: Path, behaviour: str, *arguments: object) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / behaviour
    path.write_text(
        f"{_first_line(sys.executable)}\n"
        "import sys\n"
        f"sys.path.insert(0, {_ROOT!r})\n"
        "from tests.lib import fake_browser_program as program\n"
        f"program.{behaviour}({', '.join(map(repr, arguments))})\n",
        encoding="utf-8",
    )
    path.chmod(0o755)
    return path


def _first_line(python: str) -> str:
    """A first line that runs the rest in `python`, also where its path is long or has spaces."""
    shebang = f"#!{python} -IS"
    if len(shebang.encode()) < _SHEBANG_LIMIT_BYTES and not any(map(str.isspace, python)):
        return shebang
    # For sh it is a command that never returns, for Python a string: no process in between.
    return f"#!/bin/sh\n'''exec' \"{python}\" -IS \"$0\" \"$@\" #'''"

"""`serve`: whatever was given, a ready server comes back, or an error and nothing is left."""

import os
import re
import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import assert_never

from harness.errors import PreconditionError, UsageError
from harness.server import environment as environments
from harness.server import inprocess, readiness, targets
from harness.server.command import PLACEHOLDER, CommandOptions, FamilyServer
from harness.server.handle import Server
from harness.server.start_line import compiled

START_SECONDS = 15.0
GRACE_SECONDS = 2.0
_SHOWN_CHARS = 1000
# The harness and the application must be importable there as they are here; the folder that
# is served from comes first, as with `python -m`.
_ENTRY = (
    "import sys; sys.path += [p for p in sys.argv[2].split('\\n') if p not in sys.path]; "
    "from harness.server.app_main import main; main()"
)
_PACKAGE_PARENT = str(Path(__file__).resolve().parents[2])


def serve(
    target: object,
    *,
    ready: str = "/",
    start_seconds: float = START_SECONDS,
    bound_key: str = "start_seconds",
    environment: Mapping[str, str] | None = None,
    inherit: Sequence[str] = (),
    directory: str | os.PathLike[str] | None = None,
    start_line: str | re.Pattern[str] | None = None,
    inherit_socket: bool = False,
    label: str | None = None,
    private_home: bool = False,
    grace_seconds: float = GRACE_SECONDS,
) -> Server:
    """Start a server on a port of its own on 127.0.0.1; return its handle once it is ready.

    `target` is one of

    - a command, `["node", "server.js"]`: a process family. It is given `PORT=0`, binds itself,
      and prints where: the first `http://host:port` in its output, or what the group `port` of
      the pattern `start_line` matches. With `inherit_socket` it is given a listening socket
      as descriptor 3 instead (`HARNESS_LISTEN_FD=3`, `PORT` is the real port, `{fd}` and
      `{port}` in its arguments are filled in: `uvicorn app:app --fd {fd}`,
      `gunicorn --bind fd://{fd} app:app`, `flask run --host fd://{fd}`);
    - an import string, `"package.module:app"`: an aiohttp, WSGI or ASGI application or a
      factory of one, imported by a Python process of its own with `directory` first on its path;
    - an application or a factory: on a thread of this process;
    - a `Path`: a folder of static files, on a thread of this process.

    Ready means that `GET ready` is answered with a status below 500 within `start_seconds`
    (`bound_key` says what sets it, in the error), and that the answer is this server's own: by
    its nonce (`X-Harness-Nonce`), or by the kernel's word that a process of its family holds
    the socket.

    A process gets a few variables of this one's environment (PATH, HOME, LANG, LC_*, ...),
    those named in `inherit`, and `environment`, which wins; `directory` (default: the current
    one) is where it runs. `private_home` gives it a HOME of its own. When it is closed it gets
    SIGTERM and `grace_seconds`, then its whole family is killed.

    Raises UsageError for a call that cannot be meant, StartError with the server's own last
    words when it does not get ready, PreconditionError for a missing package. Nothing is left
    behind in any case. May be called from several threads at once.
    """
    _check_kinds(environment, inherit, ready, directory)
    _check_numbers(start_seconds=start_seconds, grace_seconds=grace_seconds)
    environments.check(environment, inherit)
    pattern = compiled(start_line)
    path = readiness.check_path(ready)
    recognised = targets.recognise(target)
    given = {
        "environment": environment is not None,
        "directory": directory is not None,
        "start_line": start_line is not None,
        "inherit_socket": inherit_socket,
    }
    match recognised:
        case targets.Command():
            _refuse_placeholders(recognised, inherit_socket)
            if inherit_socket:
                _refuse(recognised, given, "start_line", why="its port is known")
            arguments = recognised.arguments
        case targets.ImportString():
            _refuse(recognised, given, "start_line", "inherit_socket", why="it is given a socket")
            arguments = (sys.executable, "-c", _ENTRY, str(recognised), _import_path())
        case targets.Folder() | targets.Application():
            _refuse(recognised, given, *given, why="it runs on a thread of this process")
            return inprocess.start(
                recognised,
                label=label or str(recognised),
                ready=path,
                start_seconds=start_seconds,
                bound_key=bound_key,
                grace_seconds=grace_seconds,
            )
        case _ as never:
            assert_never(never)
    imported = isinstance(recognised, targets.ImportString)
    options = CommandOptions(
        label=label or str(recognised),
        arguments=arguments,
        shown="" if imported else shlex.join(arguments)[:_SHOWN_CHARS],
        directory=_existing(directory),
        ready=path,
        start_seconds=start_seconds,
        bound_key=bound_key,
        grace_seconds=grace_seconds,
        inherit=tuple(inherit),
        environment=dict(environment or {}),
        start_line=pattern,
        inherit_socket=inherit_socket or imported,
        must_answer_nonce=imported,
        private_home=private_home,
    )
    running, nonce = FamilyServer.start(options)
    return Server(running, label=options.label, port=running.port, nonce=nonce)


def _check_numbers(**seconds: object) -> None:
    for name, value in seconds.items():
        number = isinstance(value, int | float) and not isinstance(value, bool)
        lowest_is_fine = name == "grace_seconds" and value == 0
        if not number or not (0 < value < float("inf") or lowest_is_fine):  # type: ignore[operator]
            raise UsageError(f"{name}={value!r} is no bound: give a number of seconds")


def _check_kinds(environment: object, inherit: object, ready: object, directory: object) -> None:
    """Refuse, with what is expected, what a caller that is not type-checked may have passed."""
    if environment is not None and not isinstance(environment, Mapping):
        raise UsageError(f"environment={environment!r}: expected a mapping of names to values")
    if isinstance(inherit, str) or not isinstance(inherit, Sequence):
        raise UsageError(f'inherit={inherit!r}: expected names of variables, such as ["API_KEY"]')
    wrong = [name for name in inherit if not isinstance(name, str) or not name or "=" in name]
    if wrong:
        raise UsageError(f"inherit: {wrong!r} are no names of variables")
    if not isinstance(ready, str):
        raise UsageError(f'ready={ready!r}: expected a path, such as "/health"')
    if directory is not None and not isinstance(directory, str | os.PathLike):
        raise UsageError(f"directory={directory!r}: expected a folder")


def _refuse(target: targets.Target, given: Mapping[str, bool], *names: str, why: str) -> None:
    wrong = [name for name in names if given[name]]
    if wrong:
        raise UsageError(f"{', '.join(wrong)} cannot be given to {target}: {why}")


def _refuse_placeholders(command: targets.Command, inherit_socket: bool) -> None:
    used = [each for each in command.arguments if PLACEHOLDER.search(each)]
    if used and not inherit_socket:
        raise UsageError(f"{used!r} needs inherit_socket=True: there is no socket to name without")


def _existing(directory: str | os.PathLike[str] | None) -> str:
    path = os.path.abspath(os.fspath(directory) if directory is not None else os.getcwd())
    if not os.path.isdir(path):
        raise PreconditionError(f"directory {path} does not exist: a server cannot run there")
    return path


def _import_path() -> str:
    here = [os.path.abspath(each) for each in sys.path]
    return "\n".join([*here, _PACKAGE_PARENT])

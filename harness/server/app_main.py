"""Serve `package.module:attribute` on the socket that HARNESS_LISTEN_FD names, until SIGTERM."""

import importlib
import os
import socket
import sys
import traceback

from harness.errors import HarnessError, PreconditionError, UsageError
from harness.process.signals import SignalReceiver
from harness.server.engines import engine_for
from harness.server.environment import LISTEN_FD_VARIABLE, NONCE_VARIABLE
from harness.server.targets import Application, recognise_application

_GRACE_SECONDS = 1.0


def main() -> None:
    """Serve on the main thread, as an application's own start script would; exit with 0.

    The current folder comes first on the import path. Whatever keeps the application from
    being served is written to standard error and is the exit status.
    """
    sys.exit(_serve(sys.argv[1]))


def _serve(import_string: str) -> int:
    sys.path.insert(0, os.getcwd())
    try:
        target = load(import_string)
        with _inherited_socket() as listener:
            engine = engine_for(
                target,
                listener,
                nonce=os.environ[NONCE_VARIABLE],
                grace_seconds=_GRACE_SECONDS,
                tell=_tell,
            )
            SignalReceiver(lambda _: engine.stop()).install()
            engine.run()
    except HarnessError as problem:
        _tell(f"harness: {import_string}: {problem}\n")
        return problem.exit_code
    except Exception:
        traceback.print_exc()
        return 1
    return 0


def load(import_string: str) -> Application:
    """Import and recognise an application; a factory is called.

    Raises UsageError when the module, the attribute or an application is not there; what
    the module itself raises goes through.
    """
    module_name, _, attribute = import_string.partition(":")
    try:
        found: object = importlib.import_module(module_name)
    except ModuleNotFoundError as missing:
        # A module that it imports itself is the application's own trouble.
        if not f"{module_name}.".startswith(f"{missing.name}."):
            raise
        raise UsageError(
            f"there is no module {missing.name} in {os.getcwd()} or on the import path"
        ) from None
    for name in attribute.split("."):
        try:
            found = getattr(found, name)
        except AttributeError:
            raise UsageError(f"{module_name} has no {attribute}") from None
    return recognise_application(found)


def _inherited_socket() -> socket.socket:
    # What the application starts by itself must not take it for its own.
    named = os.environ.pop(LISTEN_FD_VARIABLE, None)
    if named is None:
        raise PreconditionError(f"{LISTEN_FD_VARIABLE} names no listening socket")
    listener = socket.socket(fileno=int(named))
    listener.set_inheritable(False)
    return listener


def _tell(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()

"""Fixtures for every lane: owned servers, an owned scratch folder, ownership of a process."""

import contextlib
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import pytest

from harness.errors import UsageError
from harness.process.guard import stop_process
from harness.pytest_plugin.session import SESSION

if TYPE_CHECKING:
    from harness.server.handle import Server

_OWN_GRACE_SECONDS = 2.0


class Serve(Protocol):
    """Start a server and own it; arguments as of `harness.server.serving.serve`."""

    def __call__(self, target: Any, **options: Any) -> "Server": ...


def _serving(config: pytest.Config) -> Iterator[Serve]:
    settings = config.stash[SESSION].settings
    with contextlib.ExitStack() as stack:

        def serve(target: Any, **options: Any) -> "Server":
            # Imported here: a suite without servers need not pay for them.
            from harness.server.serving import serve as start_server

            if "start_seconds" not in options:
                options["start_seconds"] = settings.server_start_seconds
                options["bound_key"] = "server_start_seconds in [tool.harness]"
            options.setdefault("private_home", settings.private_home)
            options["inherit"] = (*settings.pass_environment, *options.get("inherit", ()))
            return stack.enter_context(start_server(target, **options))

        yield serve


@pytest.fixture
def serve(pytestconfig: pytest.Config) -> Iterator[Serve]:
    """Start servers that end with the test: a command, an import string, an application, a folder.

    Each comes back ready, on a port of its own, and is proven gone afterwards.
    """
    yield from _serving(pytestconfig)


@pytest.fixture(scope="session")
def serve_session(pytestconfig: pytest.Config) -> Iterator[Serve]:
    """Like `serve`, for servers that end with the session."""
    yield from _serving(pytestconfig)


@pytest.fixture
def scratch(pytestconfig: pytest.Config) -> Iterator[Path]:
    """An empty folder that is gone after the test, and after the run even if it is killed."""
    root = pytestconfig.stash[SESSION].need_guard().scratch / "tests"
    root.mkdir(mode=0o700, exist_ok=True)
    folder = Path(tempfile.mkdtemp(dir=root))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


class _Waitable(Protocol):
    pid: int


P = TypeVar("P", bound=_Waitable)


@pytest.fixture
def own(pytestconfig: pytest.Config) -> Iterator[Callable[[P], P]]:
    """Own a process that the test spawned by itself: `server = own(subprocess.Popen(...))`.

    It is ended after the test (SIGTERM, 2 seconds, SIGKILL, with its group if it leads one) and
    by the guard when the test process dies. Its object is polled, so that no zombie stays.
    """
    guard = pytestconfig.stash[SESSION].need_guard()
    owned: list[tuple[Any, Any]] = []

    def take(process: P) -> P:
        pid = getattr(process, "pid", None)
        if not isinstance(pid, int) or isinstance(pid, bool) or pid <= 0:
            raise UsageError(
                f"own({process!r}): expected a process with its pid, such as a subprocess.Popen"
            )
        with contextlib.suppress(ProcessLookupError):
            owned.append((process, guard.own(process.pid)))
        return process

    yield take
    for process, identity in reversed(owned):
        stop_process(guard, identity, _OWN_GRACE_SECONDS)
        poll = getattr(process, "poll", None)
        if callable(poll):
            poll()

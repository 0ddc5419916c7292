"""Starts private instances: the project's server, each with a seeded data folder of its own."""

import re
import shlex
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from harness.config.accept import TABLE, AcceptSettings
from harness.config.schema import Config
from harness.errors import UsageError
from harness.server.serving import serve

ROOT_VARIABLE = "HARNESS_ACCEPT_ROOT"
_IMPORT_STRING = re.compile(r"[^\W\d][\w.]*:[^\W\d][\w.]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivateInstance:
    """A running private instance."""

    origin: str
    root: Path


def seeded_root(folder: Path, seed: Mapping[str, str]) -> Path:
    """Make `folder`/root, private, with the seeded files; `folder` is made and must be new."""
    folder.mkdir(mode=0o700, parents=True)
    root = folder / "root"
    root.mkdir(mode=0o700)
    for name, content in seed.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode())
    return root


@contextmanager
def private_instance(
    config: Config, settings: AcceptSettings, project: Path, folder: Path, seconds: float
) -> Iterator[PrivateInstance]:
    """Start one with its data below `folder`; it is ended, and proven gone, afterwards.

    `{root}` in a command, and the variable HARNESS_ACCEPT_ROOT, name its data folder; `{port}`
    stands for a free port of the server's own choice (0), `{fd}` for a socket that is handed to
    it. Raises UsageError for a `serve` that names nothing, StartError with the server's own words
    when it does not get ready.
    """
    root = seeded_root(folder, settings.seed)
    target = _target(settings, project, root)
    on_a_thread = isinstance(target, Path)
    inherits_socket = isinstance(target, list) and any("{fd}" in word for word in target)
    with serve(
        target,
        ready=settings.pages[0] if settings.pages else "/",
        start_seconds=min(config.server_start_seconds, seconds),
        bound_key="server_start_seconds in [tool.harness]",
        environment=None if on_a_thread else {ROOT_VARIABLE: str(root)},
        inherit=config.pass_environment,
        directory=None if on_a_thread else project,
        inherit_socket=inherits_socket,
        private_home=config.private_home,
    ) as server:
        yield PrivateInstance(origin=server.url, root=root)


def _target(settings: AcceptSettings, project: Path, root: Path) -> list[str] | str | Path:
    match settings.serve:
        case None:
            raise UsageError(f"{TABLE}.serve is missing: it says how the page is started")
        case str() as text if _IMPORT_STRING.fullmatch(text):
            return text
        case str() as text if (project / text).is_dir():
            return project / text
        case str() as text:
            words = _split(text)
        case tuple() as words:
            pass
    inherits_socket = any("{fd}" in word for word in words)
    found = [word.replace("{root}", str(root)) for word in words]
    return found if inherits_socket else [word.replace("{port}", "0") for word in found]


def _split(text: str) -> tuple[str, ...]:
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        raise UsageError(f"{TABLE}.serve is no command: {error}: {text}") from error
    if len(words) == 1 and text.endswith("/"):
        raise UsageError(f"{TABLE}.serve: the folder {text} is not there")
    return words

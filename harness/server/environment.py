"""The environment of a server: what it needs, what was named, and nothing else of the shell's."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from harness.errors import UsageError
from harness.process.procfs import FAMILY_VARIABLE, TOKEN_VARIABLE

NONCE_VARIABLE = "HARNESS_NONCE"
LISTEN_FD_VARIABLE = "HARNESS_LISTEN_FD"
# The run token is how a server that escapes its warden is still found.
ALWAYS_INHERITED = (
    "PATH", "HOME", "LANG", "TZ", "USER", "LOGNAME", "SHELL", "VIRTUAL_ENV", "SYSTEMROOT",
    TOKEN_VARIABLE,
)  # fmt: skip
_INHERITED_PREFIX = "LC_"
RESERVED = (NONCE_VARIABLE, LISTEN_FD_VARIABLE, TOKEN_VARIABLE, FAMILY_VARIABLE)


def check(environment: Mapping[Any, Any] | None, inherit: object) -> None:
    """Raise UsageError, naming each, for variables that no server can be given."""
    problems = []
    if isinstance(inherit, str):
        problems.append(f"inherit is a collection of names, not one string: [{inherit!r}]")
    for name, value in (environment or {}).items():
        if not isinstance(name, str) or not isinstance(value, str):
            problems.append(f"{name!r}: {value!r} is not text, say {str(value)!r}")
        elif not name or "=" in name or "\0" in name + value:
            problems.append(f"{name!r} cannot be a variable")
        elif name in RESERVED:
            problems.append(f"{name} is the harness's own")
    if problems:
        raise UsageError(f"environment of a server: {'; '.join(problems)}")


def build(
    shell: Mapping[str, str],
    *,
    scratch: Path,
    port: int,
    nonce: str,
    listen_descriptor: int | None = None,
    inherit: Iterable[str] = (),
    environment: Mapping[str, str] | None = None,
    private_home: bool = False,
) -> dict[str, str]:
    """Return a server's whole environment.

    Of `shell` it holds ALWAYS_INHERITED, `LC_*` and the names in `inherit` that are set there.
    `environment` wins over these and over TMPDIR, PORT, PYTHONUNBUFFERED and a private HOME.
    """
    named = frozenset((*ALWAYS_INHERITED, *inherit))
    built = {
        name: value
        for name, value in shell.items()
        if name in named or name.startswith(_INHERITED_PREFIX)
    }
    built.update(
        TMPDIR=str(scratch / "tmp"),
        PORT=str(port),
        # A start line that waits in the buffer of a pipe is one that never comes.
        PYTHONUNBUFFERED="1",
    )
    if private_home:
        built["HOME"] = str(scratch / "home")
    built.update(environment or {})
    # These two name something of this process; a server inside a server gets its own.
    built.pop(LISTEN_FD_VARIABLE, None)
    built[NONCE_VARIABLE] = nonce
    if listen_descriptor is not None:
        built[LISTEN_FD_VARIABLE] = str(listen_descriptor)
    return built

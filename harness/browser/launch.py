"""Launch a Chromium under a warden and wait for its endpoint, which is an event."""

import os
import socket
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.browser import binary, endpoint, switches
from harness.browser.chromium import Chromium
from harness.errors import StartError
from harness.process.client import Family
from harness.process.report import clause
from harness.process.spec import FamilySpec, new_scratch

START_SECONDS = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchOptions:
    """What a caller may choose; names follow Playwright's where it has the same option.

    `environment` None means this process's own, as Playwright does. `private_home` gives the
    browser a HOME inside its scratch, which hides `~/.pki` and the user's fonts from it.
    `start_seconds` bounds the way from the spawn to an endpoint that accepts a connection;
    `bound_key` is what sets it, named when a start fails.
    """

    headless: bool = True
    executable_path: str | os.PathLike[str] | None = None
    channel: str | None = None
    arguments: Sequence[str] = ()
    environment: Mapping[str, str] | None = None
    zygote: bool = True
    private_home: bool = False
    start_seconds: float = START_SECONDS
    bound_key: str = "start_seconds"


def launch(options: LaunchOptions | None = None) -> Chromium:
    """Start a Chromium and return its handle once it accepts connections.

    Raises PreconditionError when there is no browser, StartError with the browser's own words
    when it does not come up within its bound; nothing is left behind in either case.
    """
    options = options or LaunchOptions()
    program = binary.find(
        executable_path=options.executable_path,
        channel=options.channel,
        headless=options.headless,
    )
    identifier, scratch = new_scratch()
    profile = scratch / "profile"
    command = [
        str(program.path),
        *switches.command_line(
            profile=str(profile),
            headless=options.headless,
            headless_shell=program.headless_shell,
            zygote=options.zygote,
            arguments=options.arguments,
        ),
    ]
    began = time.monotonic()
    family = Family(
        FamilySpec(
            label=f"Chromium ({program.path})",
            command=command,
            environment=_environment(options, scratch),
            directory=os.getcwd(),
            scratch=identifier,
            side_pipe=True,
        )
    )
    try:
        found = _await_endpoint(family, profile, began + options.start_seconds)
    except StartError as error:
        message = _failure(family, program, options, error, time.monotonic() - began)
        family.end()
        raise StartError(message) from None
    except BaseException:
        family.end()
        raise
    return Chromium(family, program, found)


def _await_endpoint(family: Family, profile: Path, deadline: float) -> endpoint.Endpoint:
    def heard() -> bool:
        said = endpoint.announced(family.output.text())
        return said is not None or family.leader_status is not None

    family.wait_for(heard, max(0.0, deadline - time.monotonic()))
    said = endpoint.announced(family.output.text())
    ended = family.ended_as()
    if ended is not None:
        raise StartError(f"it {clause(ended)} before it was ready")
    if said is None:
        raise StartError("it announced no debugging port")
    left = max(0.001, min(2.0, deadline - time.monotonic()))
    found = endpoint.confirm(profile, said, left)
    try:
        socket.create_connection(("127.0.0.1", found.port), timeout=left).close()
    except OSError as error:
        raise StartError(
            f"it announced port {found.port}, which does not accept: {error}"
        ) from error
    return found


def _failure(
    family: Family,
    program: binary.Binary,
    options: LaunchOptions,
    error: StartError,
    seconds: float,
) -> str:
    family.poll()
    words = family.output.last_lines()
    said = f"Its own words:\n{words}" if words else "It printed nothing."
    return (
        f"Chromium did not start after {seconds:.1f} s "
        f"(its bound is {options.start_seconds:g} s: {options.bound_key}): {error}\n"
        f"Browser: {program.path} ({program.source})\n{said}"
    )


def _environment(options: LaunchOptions, scratch: Path) -> dict[str, str]:
    base = dict(os.environ if options.environment is None else options.environment)
    home = base.get("HOME")
    own_data = base.get("XDG_DATA_HOME") or (home and f"{home}/.local/share")
    base.update(
        TMPDIR=str(scratch / "tmp"),
        XDG_CONFIG_HOME=str(scratch / "config"),
        XDG_CACHE_HOME=str(scratch / "cache"),
        XDG_DATA_HOME=str(scratch / "data"),
        BREAKPAD_DUMP_LOCATION=str(scratch / "crash"),
    )
    if options.private_home:
        base["HOME"] = str(scratch / "home")
    elif own_data:
        # Read only, so that the user's fonts are seen as ever.
        others = base.get("XDG_DATA_DIRS") or "/usr/local/share:/usr/share"
        base["XDG_DATA_DIRS"] = f"{own_data}:{others}"
    return base

"""What this machine can do for a run, and what a run goes without where it cannot."""

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from harness.browser import switches
from harness.errors import PreconditionError, UsageError
from harness.process import cgroup, place, scratch
from harness.process.shim import Shim
from harness.process.spec import new_scratch

PACKAGES = (
    "lanewright", "playwright", "pytest", "pytest-playwright", "pytest-timeout", "psutil",
    "aiohttp", "pytest-xdist",
)  # fmt: skip
_HANG_UP_SECONDS = 5.0
_SMALL_SHM_BYTES = 256 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Capability:
    """One thing a run may rely on; `consequence` says what it goes without when it is not there."""

    name: str
    available: bool
    detail: str
    consequence: str


def versions() -> dict[str, str | None]:
    """Return installed versions, None for a package that is not there."""
    found: dict[str, str | None] = {"python": sys.version.split()[0]}
    for name in PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = None
    return found


def capabilities() -> Iterator[Capability]:
    """Yield every capability, each looked at now."""
    for look in (
        _proc, _pidfd, _subreaper, _control_group, _sandbox, _scratch, _places, _driver, _shm,
        _pressure, _display, _video,
    ):  # fmt: skip
        yield look()
    yield _switches()


def _try(act: Callable[[], object]) -> str | None:
    """Return why `act` fails, None when it works."""
    try:
        act()
    except (OSError, AttributeError) as error:
        return str(error)
    return None


def _proc() -> Capability:
    problem = _try(lambda: Path("/proc/self/stat").read_bytes())
    return Capability(
        name="process table",
        available=problem is None,
        detail=problem or "/proc is readable",
        consequence="nothing can be proven gone: ownership fails closed",
    )


def _pidfd() -> Capability:
    def look() -> None:
        os.close(os.pidfd_open(os.getpid()))

    problem = _try(look)
    return Capability(
        name="pidfd",
        available=problem is None,
        detail=problem or "pidfd_open(2) works",
        consequence="an owner whose forked child lives on is noticed later",
    )


def _subreaper() -> Capability:
    linux = sys.platform == "linux"
    return Capability(
        name="child subreaper",
        available=linux,
        detail="prctl(PR_SET_CHILD_SUBREAPER)" if linux else f"not on {sys.platform}",
        consequence="a child that leaves its session is found by token only",
    )


def _control_group() -> Capability:
    group = cgroup.Group.create(f"doctor-{os.getpid()}")
    parent = cgroup.base()
    if group is not None:
        group.remove()
    elif parent is not None:
        parent = f"{parent} cannot be written to, or has no cgroup.kill"
    return Capability(
        name="control groups",
        available=group is not None,
        detail=parent or "no version 2 hierarchy is mounted",
        consequence="what has left the session of a warden that is itself killed lives on",
    )


def _driver() -> Capability:
    def look() -> None:
        with tempfile.TemporaryDirectory(dir=scratch.root()) as folder:
            Shim.create(Path(folder), "doctor", "true", ends_with_input="")

    try:
        problem = _try(look)
    except PreconditionError as error:
        problem = str(error)
    return Capability(
        name="warden of Playwright's driver",
        available=problem is None,
        detail=problem or "programs in the scratch folder can be executed",
        consequence="what a suite launches by itself is ended by its run token only",
    )


def _sandbox() -> Capability:
    root = switches.needs_no_sandbox()
    return Capability(
        name="Chromium's sandbox",
        available=not root,
        detail="runs as uid 0, so Chromium gets --no-sandbox" if root else "kept",
        consequence="pages run outside Chromium's sandbox",
    )


def _scratch() -> Capability:
    def look() -> None:
        identifier, _ = new_scratch()
        path, lock = scratch.create(scratch.root(), identifier, b"doctor")
        os.close(lock)
        scratch.remove(path)

    try:
        problem = _try(look)
    except UsageError as error:
        problem = str(error)
    return Capability(
        name="scratch folder",
        available=problem is None,
        detail=problem or scratch.root(),
        consequence=f"no test can run; set {scratch.ROOT_VARIABLE} to a short, writable folder",
    )


def _places() -> Capability:
    def look() -> None:
        with tempfile.TemporaryDirectory(prefix=".doctor-", dir=scratch.root()) as folder:
            path = os.path.join(folder, "0.place")
            held = place.take(path)
            with place.Watch([path]) as watch:
                if held is None or place.take(path) is not None:
                    raise OSError("a named pipe is locked by two at once")
                place.give_up(held)
                if not watch.wait(_HANG_UP_SECONDS):
                    raise OSError("the end of a named pipe's last writer is not told")

    problem = _try(look)
    return Capability(
        name="places that the kernel keeps",
        available=problem is None,
        detail=problem or "a named pipe can be locked and waited for",
        consequence="max_browsers cannot be kept: where it is set every browser test fails",
    )


def _shm() -> Capability:
    try:
        size = shutil.disk_usage("/dev/shm").total
    except OSError as error:
        return Capability(
            name="/dev/shm", available=False, detail=str(error),
            consequence="Chromium uses its scratch instead",
        )  # fmt: skip
    return Capability(
        name="/dev/shm",
        available=size >= _SMALL_SHM_BYTES,
        detail=f"{size // (1024 * 1024)} MiB",
        consequence="Chromium uses its scratch instead (--disable-dev-shm-usage)",
    )


def _pressure() -> Capability:
    there = Path("/proc/pressure/cpu").exists()
    return Capability(
        name="pressure readings",
        available=there,
        detail="/proc/pressure" if there else "this kernel has no /proc/pressure",
        consequence="a slow test is attributed by load average only",
    )


def _display() -> Capability:
    there = sys.platform == "darwin" or any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY")
    )
    return Capability(
        name="display",
        available=there,
        detail="a display is configured" if there else "neither DISPLAY nor WAYLAND_DISPLAY is set",
        consequence="--headed cannot work",
    )


def _video() -> Capability:
    from harness.browser.binary import playwright_tool

    path = playwright_tool("ffmpeg")
    return Capability(
        name="video",
        available=path is not None,
        detail=str(path) if path else "Playwright's ffmpeg is not downloaded",
        consequence="--video fails; `playwright install ffmpeg` provides it",
    )


def _switches() -> Capability:
    installed = metadata.version("playwright")
    same = installed.startswith(f"{switches.PLAYWRIGHT_VERSION}.")
    return Capability(
        name="Playwright's switches",
        available=same,
        detail=f"pinned from {switches.PLAYWRIGHT_VERSION}, installed {installed}",
        consequence="Chromium may get other switches than this Playwright would give it",
    )

"""Which browser: the one place that knows where browsers live.

The order is: `HARNESS_CHROMIUM`, what the suite itself asked for (an executable path or a
channel), Playwright's own download, the system's browsers.
"""

import json
import os
import platform
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from harness.errors import PreconditionError

VARIABLE = "HARNESS_CHROMIUM"

_BINARY_MAGIC = (b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe")
_MAC_PATHS = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
_LINUX_PATHS = (
    "/usr/bin/chromium",
    "/usr/bin/chromium-browser",
    "/usr/bin/google-chrome-stable",
    "/usr/bin/google-chrome",
    "/opt/google/chrome/chrome",
    "/snap/bin/chromium",
)
_WRAPPER_NAMES = frozenset(
    {"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"}
)
_CHANNEL_PATHS = {
    "chrome": ("/opt/google/chrome/chrome", _MAC_PATHS[0]),
    "chrome-beta": ("/opt/google/chrome-beta/chrome",),
    "chrome-dev": ("/opt/google/chrome-unstable/chrome",),
    "msedge": ("/opt/microsoft/msedge/msedge",),
    "msedge-beta": ("/opt/microsoft/msedge-beta/msedge",),
    "msedge-dev": ("/opt/microsoft/msedge-dev/msedge",),
}  # fmt: skip
_PLAYWRIGHT_FOLDERS = {
    ("linux", "x86_64"): ("chrome-linux64", "chrome-headless-shell-linux64"),
    ("linux", "aarch64"): ("chrome-linux-arm64", "chrome-headless-shell-linux-arm64"),
    ("darwin", "x86_64"): ("chrome-mac-x64", "chrome-headless-shell-mac-x64"),
    ("darwin", "arm64"): ("chrome-mac-arm64", "chrome-headless-shell-mac-arm64"),
}
_MAC_BINARY = "Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing"


class Outcome(StrEnum):
    """What became of a candidate."""

    USABLE = "usable"
    MISSING = "missing"
    NOT_SET = "not set"
    NOT_EXECUTABLE = "not executable"
    WRAPPER = "a wrapper script whose browser was not found"


class Source(StrEnum):
    """Who named a candidate."""

    ENVIRONMENT = VARIABLE
    SUITE = "the suite's executable_path"
    CHANNEL = "--browser-channel"
    PLAYWRIGHT = "Playwright's download"
    SYSTEM = "system path"


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One place that was looked at; `binary` is the real program behind `path` if usable."""

    source: Source
    path: Path | None
    outcome: Outcome
    binary: Path | None = None

    def __str__(self) -> str:
        where = str(self.path) if self.path else "-"
        behind = f" -> {self.binary}" if self.binary and self.binary != self.path else ""
        return f"{self.source}: {where}{behind}: {self.outcome}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Binary:
    """The browser to launch. A headless shell can do nothing but headless."""

    path: Path
    source: Source
    headless_shell: bool


def candidates(
    *,
    executable_path: str | os.PathLike[str] | None = None,
    channel: str | None = None,
    headless: bool = True,
    environment: Mapping[str, str] | None = None,
) -> Iterator[Candidate]:
    """Yield every place in order of preference, with its outcome.

    A name that somebody gave on purpose (the variable, a path, a channel) is exclusive: when
    it is given, nothing after it is a candidate, so that a typing error is not papered over.
    """
    environment = os.environ if environment is None else environment
    named = environment.get(VARIABLE)
    if named:
        yield _judge(Source.ENVIRONMENT, Path(named), named=True)
        return
    yield Candidate(source=Source.ENVIRONMENT, path=None, outcome=Outcome.NOT_SET)
    if executable_path:
        yield _judge(Source.SUITE, Path(executable_path), named=True)
        return
    if channel and channel not in ("chromium", "chromium-headless-shell"):
        for place in _CHANNEL_PATHS.get(channel, ()):
            yield _judge(Source.CHANNEL, Path(place))
        if channel not in _CHANNEL_PATHS:
            yield Candidate(source=Source.CHANNEL, path=Path(channel), outcome=Outcome.MISSING)
        return
    shell = headless and channel != "chromium"
    for path in _playwright_paths(headless_shell=shell, environment=environment):
        yield _judge(Source.PLAYWRIGHT, path)
    for place in _MAC_PATHS if sys.platform == "darwin" else _LINUX_PATHS:
        yield _judge(Source.SYSTEM, Path(place))


def find(
    *,
    executable_path: str | os.PathLike[str] | None = None,
    channel: str | None = None,
    headless: bool = True,
) -> Binary:
    """Return the browser to launch; PreconditionError names every place that was looked at."""
    looked_at = []
    for candidate in candidates(
        executable_path=executable_path, channel=channel, headless=headless
    ):
        looked_at.append(candidate)
        if candidate.binary is not None:
            return Binary(
                path=candidate.binary,
                source=candidate.source,
                headless_shell=is_headless_shell(candidate.binary),
            )
    places = "\n".join(f"  {candidate}" for candidate in looked_at)
    raise PreconditionError(
        f"no Chromium was found. Looked at:\n{places}\n"
        f"Install one (`playwright install chromium`, or your distribution's package), or set "
        f"{VARIABLE} to its path."
    )


def is_headless_shell(path: Path) -> bool:
    """Tell whether it is the small browser that Playwright downloads for headless runs."""
    return path.name in ("chrome-headless-shell", "headless_shell")


def _judge(source: Source, path: Path, *, named: bool = False) -> Candidate:
    if not path.exists():
        return Candidate(source=source, path=path, outcome=Outcome.MISSING)
    if not path.is_file() or not os.access(path, os.X_OK):
        return Candidate(source=source, path=path, outcome=Outcome.NOT_EXECUTABLE)
    binary = _behind(path)
    if binary is None and not named:
        return Candidate(source=source, path=path, outcome=Outcome.WRAPPER)
    # A script that somebody named on purpose is taken at their word: the warden owns it too.
    return Candidate(source=source, path=path, outcome=Outcome.USABLE, binary=binary or path)


def _behind(path: Path) -> Path | None:
    """Return the program itself, or the one that a packager's wrapper script starts.

    A script of any other name is somebody's own and stands for no other program.
    """
    real = path.resolve()
    if _is_program(real):
        return None if real.name == "snap" else real
    if not {path.name, real.name} & _WRAPPER_NAMES:
        return None
    folders = [real.parent]
    for library in ("/usr/lib", "/usr/lib64"):
        folders += [Path(library, name) for name in (path.name, real.name)]
    for folder in folders:
        for name in (path.name, real.name, "chrome", "chromium"):
            program = folder / name
            if program.is_file() and os.access(program, os.X_OK) and _is_program(program):
                return program
    return None


def _is_program(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(4) in _BINARY_MAGIC
    except OSError:
        return False


def playwright_driver_folder() -> Path:
    """Return where the installed Playwright keeps its driver package."""
    import playwright

    return Path(playwright.__file__).parent / "driver" / "package"


def _playwright_paths(*, headless_shell: bool, environment: Mapping[str, str]) -> Iterator[Path]:
    """Yield where the installed Playwright would have put its own Chromium for this machine."""
    folders = _PLAYWRIGHT_FOLDERS.get((sys.platform, platform.machine()))
    if folders is None:
        return
    driver = playwright_driver_folder()
    try:
        browsers = json.loads((driver / "browsers.json").read_text(encoding="utf-8"))["browsers"]
    except (OSError, ValueError, KeyError):
        return
    revisions = {row["name"]: row["revision"] for row in browsers}
    store = _playwright_store(driver, environment)
    full, shell = folders
    if headless_shell and "chromium-headless-shell" in revisions:
        name = f"chromium_headless_shell-{revisions['chromium-headless-shell']}"
        yield store / name / shell / "chrome-headless-shell"
    if "chromium" in revisions:
        program = _MAC_BINARY if sys.platform == "darwin" else "chrome"
        yield store / f"chromium-{revisions['chromium']}" / full / program


def _playwright_store(driver: Path, environment: Mapping[str, str]) -> Path:
    named = environment.get("PLAYWRIGHT_BROWSERS_PATH")
    if named == "0":
        return driver / ".local-browsers"
    if named:
        return Path(named).absolute()
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "ms-playwright"
    cache = environment.get("XDG_CACHE_HOME")
    return Path(cache) / "ms-playwright" if cache else Path.home() / ".cache" / "ms-playwright"


def playwright_tool(name: str) -> Path | None:
    """Return the folder of a tool that the installed Playwright has downloaded, such as ffmpeg."""
    driver = playwright_driver_folder()
    try:
        browsers = json.loads((driver / "browsers.json").read_text(encoding="utf-8"))["browsers"]
        revision = next(row["revision"] for row in browsers if row["name"] == name)
    except (OSError, ValueError, KeyError, StopIteration):
        return None
    folder = _playwright_store(driver, os.environ) / f"{name}-{revision}"
    return folder if folder.is_dir() else None

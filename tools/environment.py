"""Make a fresh machine ready: a virtual environment, the packages, a browser.

What is decided is a pure function of facts; `prepare` gathers the facts and acts.
"""

import contextlib
import hashlib
import importlib.util
import json
import os
import platform
import re
import shutil
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import Enum
from pathlib import Path

from tools.pipeline import Pipeline, Step

VENV = ".venv"
BESIDE = f"{VENV}/beside"
STAMP = "lanewright-setup.json"
OLDEST_PIP = (25, 1)  # the first with `pip install --group`
PRECONDITION = 5
FAULT = 6
_BESIDE_GROUP = "beside-"
_NO_BROWSER = 5
_DOWNLOAD_SECONDS = 600.0
_PACKAGE_SECONDS = 900.0
_QUESTION_SECONDS = 120.0


class SetupError(Exception):
    """The machine cannot be made ready; the message says what is missing and what to run."""

    def __init__(self, message: str, exit_code: int = PRECONDITION) -> None:
        super().__init__(message)
        self.exit_code = exit_code


@dataclass(frozen=True, slots=True, kw_only=True)
class Stamp:
    """What an environment was made from; written only after everything was installed."""

    interpreter: str
    requirements: str


class Refresh(Enum):
    """What has to be done to the virtual environment."""

    NOTHING = "nothing"
    INSTALL = "install"
    CREATE = "create"


class BrowserStep(Enum):
    """What to do next about the browser."""

    READY = "ready"
    DOWNLOAD = "download"
    PACKAGE = "package"
    TELL = "tell"


def choose_refresh(*, wanted: Stamp, found: Stamp | None, has_python: bool) -> Refresh:
    """Without a stamp an installation was cut short, or the environment is the developer's own."""
    if not has_python or (found is not None and found.interpreter != wanted.interpreter):
        return Refresh.CREATE
    return Refresh.NOTHING if found == wanted else Refresh.INSTALL


def choose_browser_step(
    *, found: bool, tried: frozenset[BrowserStep], is_root: bool, is_debian: bool
) -> BrowserStep:
    """Return the next thing to try; each is tried once, and TELL is the end."""
    if found:
        return BrowserStep.READY
    if BrowserStep.DOWNLOAD not in tried:
        return BrowserStep.DOWNLOAD
    if is_root and is_debian and BrowserStep.PACKAGE not in tried:
        return BrowserStep.PACKAGE
    return BrowserStep.TELL


def is_debian_like(release: Mapping[str, str]) -> bool:
    """Tell whether os-release describes Debian, Ubuntu or one of their descendants."""
    names = {release.get("ID", ""), *release.get("ID_LIKE", "").split()}
    return not names.isdisjoint({"debian", "ubuntu"})


def pip_is_too_old(version: str) -> bool:
    """An unreadable version counts as too old."""
    numbers = re.match(r"(\d+)\.(\d+)", version.strip())
    return numbers is None or (int(numbers[1]), int(numbers[2])) < OLDEST_PIP


def groups_beside(folder: Path) -> list[str]:
    """Return the names of the groups that are installed beside the environment, not into it."""
    groups = tomllib.loads((folder / "pyproject.toml").read_text())["dependency-groups"]
    return [name.removeprefix(_BESIDE_GROUP) for name in groups if name.startswith(_BESIDE_GROUP)]


def no_browser_message(*, is_debian: bool) -> str:
    """Say exactly what to run where no browser could be had."""
    ways = [f"{VENV}/bin/python -m playwright install --with-deps chromium"]
    if is_debian:
        ways.append("sudo apt-get install -y --no-install-recommends chromium fonts-liberation")
    ways.append("export HARNESS_CHROMIUM=/path/to/chromium")
    return "\n  ".join(["no Chromium could be found or installed; run one of", *ways])


def missing_modules_message(missing: list[str]) -> str:
    """Say what the interpreter lacks for a virtual environment, and how to get it."""
    return (
        f"{sys.executable} has no module {' and no module '.join(missing)}, which a virtual "
        "environment needs; on Debian or Ubuntu run\n"
        "  sudo apt-get install -y python3-venv\n"
        "elsewhere install a complete Python 3.11 or newer"
    )


def prepare(pipeline: Pipeline) -> None:
    """Return when the environment and a browser are there. Raises SetupError.

    Packages are installed only when pyproject.toml, the interpreter or the folder has changed.
    """
    _prepare_packages(pipeline)
    _prepare_browser(pipeline)


def _prepare_packages(pipeline: Pipeline) -> None:
    venv = pipeline.folder / VENV
    stamp_file = venv / STAMP
    python = str(venv / "bin" / "python")
    wanted = _wanted_stamp(pipeline.folder)
    found = _read_stamp(stamp_file)
    refresh = choose_refresh(wanted=wanted, found=found, has_python=Path(python).exists())
    if refresh is Refresh.NOTHING:
        return
    if refresh is Refresh.CREATE:
        missing = [name for name in ("venv", "ensurepip") if not importlib.util.find_spec(name)]
        if missing:
            raise SetupError(missing_modules_message(missing))
        # Inside the environment that is replaced, its own python cannot be the maker.
        maker = getattr(sys, "_base_executable", sys.executable)
        _must(pipeline, "create .venv", maker, "-m", "venv", "--clear", str(venv))
    stamp_file.unlink(missing_ok=True)
    _prepare_pip(pipeline, python)
    pip_install = (python, "-m", "pip", "install", "--disable-pip-version-check")
    _must(pipeline, "install packages", *pip_install, "-e", ".", "--group", "dev", streamed=True)
    shutil.rmtree(pipeline.folder / BESIDE, ignore_errors=True)
    for name in groups_beside(pipeline.folder):
        target = ("--no-deps", "--target", str(pipeline.folder / BESIDE / name))
        group = ("--group", f"{_BESIDE_GROUP}{name}")
        _must(pipeline, f"install beside: {name}", *pip_install, "--quiet", *target, *group)
    stamp_file.write_text(json.dumps(asdict(wanted), sort_keys=True))


def _prepare_pip(pipeline: Pipeline, python: str) -> None:
    query = (python, "-c", "import pip; print(pip.__version__)")
    status, version = pipeline.ask(query, timeout_seconds=_QUESTION_SECONDS)
    if status != 0:
        _must(pipeline, "install pip", python, "-m", "ensurepip", "--upgrade")
        status, version = pipeline.ask(query, timeout_seconds=_QUESTION_SECONDS)
    if pip_is_too_old(version):
        oldest = ".".join(map(str, OLDEST_PIP))
        upgrade = ("install", "--disable-pip-version-check", "--upgrade", f"pip>={oldest}")
        _must(pipeline, "upgrade pip", python, "-m", "pip", *upgrade)


def _prepare_browser(pipeline: Pipeline) -> None:
    is_debian = is_debian_like(_os_release())
    tried: frozenset[BrowserStep] = frozenset()
    while True:
        step = choose_browser_step(
            found=_has_browser(pipeline),
            tried=tried,
            is_root=os.geteuid() == 0,
            is_debian=is_debian,
        )
        if step is BrowserStep.READY:
            return
        if step is BrowserStep.TELL:
            raise SetupError(no_browser_message(is_debian=is_debian))
        # A failure is shown and not the end: the next way may work.
        if step is BrowserStep.DOWNLOAD:
            _download_browser(pipeline)
        else:
            _install_browser_package(pipeline)
        tried |= {step}


def _has_browser(pipeline: Pipeline) -> bool:
    doctor = (str(pipeline.folder / VENV / "bin" / "python"), "-m", "harness.cli", "doctor")
    status, output = pipeline.ask((*doctor, "--json"), timeout_seconds=_QUESTION_SECONDS)
    if status in (0, _NO_BROWSER):
        return status == 0
    raise SetupError(f"harness doctor ended with {status}:\n{output}", FAULT)


def _download_browser(pipeline: Pipeline) -> None:
    python = str(pipeline.folder / VENV / "bin" / "python")
    pipeline.run(
        Step(
            name="download Chromium",
            # Playwright's own programs heed this variable and not NO_COLOR.
            command=("env", "FORCE_COLOR=0", python, "-m", "playwright", "install", "chromium"),
            streamed=True,
            timeout_seconds=_DOWNLOAD_SECONDS,
        )
    )


def _install_browser_package(pipeline: Pipeline) -> None:
    apt = ("env", "DEBIAN_FRONTEND=noninteractive", "apt-get")
    packages = ("--no-install-recommends", "chromium", "fonts-liberation")
    for name, command in (
        ("apt-get update", (*apt, "update")),
        ("apt-get install chromium", (*apt, "install", "-y", *packages)),
    ):
        pipeline.run(
            Step(name=name, command=command, streamed=True, timeout_seconds=_PACKAGE_SECONDS)
        )


def _must(pipeline: Pipeline, name: str, *command: str, streamed: bool = False) -> None:
    outcome = pipeline.run(Step(name=name, command=command, streamed=streamed))
    if not outcome.passed:
        raise SetupError(f"{name}: {outcome.result}; the output above says why")


def _wanted_stamp(folder: Path) -> Stamp:
    requirements = (folder / "pyproject.toml").read_bytes()
    return Stamp(
        # The folder belongs to it: the programs of an environment name their own path.
        interpreter=f"{sys.version} {sys.base_prefix} {folder}",
        requirements=hashlib.sha256(requirements).hexdigest(),
    )


def _read_stamp(path: Path) -> Stamp | None:
    with contextlib.suppress(OSError, ValueError, TypeError):
        return Stamp(**json.loads(path.read_text()))
    return None


def _os_release() -> Mapping[str, str]:
    try:
        return platform.freedesktop_os_release()
    except OSError:
        return {}

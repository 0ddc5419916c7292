"""What pytest's own configuration says about which files are tests, without importing pytest.

Precedence and places are those of `_pytest.config.findpaths.locate_config`: per folder from the
root upwards, the first file that configures pytest.
"""

import shlex
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import iniconfig

from harness.config.problems import ConfigError, Problem

Options = Mapping[str, object]

PYTHON_FILES = ("test_*.py", "*_test.py")
NO_RECURSE = ("*.egg", ".*", "_darcs", "build", "CVS", "dist", "node_modules", "venv", "{arch}")


@dataclass(frozen=True, slots=True, kw_only=True)
class PytestIni:
    """Collection options with pytest's defaults. `file` is None where nothing configures pytest.

    `folder` is pytest's rootdir: `testpaths` count only where pytest is started in it, so they
    are empty for a root below. `plugins` are the `-p` modules of `addopts`; what its `--ignore`
    leaves out is a test file all the same.
    """

    file: Path | None = None
    folder: Path | None = None
    testpaths: tuple[str, ...] = ()
    python_files: tuple[str, ...] = PYTHON_FILES
    python_classes: tuple[str, ...] = ("Test",)
    python_functions: tuple[str, ...] = ("test",)
    norecursedirs: tuple[str, ...] = NO_RECURSE
    pythonpath: tuple[str, ...] = ()
    usefixtures: tuple[str, ...] = ()
    plugins: tuple[str, ...] = ()


def read_pytest_ini(root: Path) -> PytestIni:
    """Return what governs a pytest that is started in `root`, which must be absolute.

    Raises ConfigError for a file that pytest could not read either.
    """
    for folder in (root, *root.parents):
        for name, options_of in _READERS.items():
            path = folder / name
            if path.is_file():
                options = _read(path, options_of)
                if options is not None:
                    return _facts(path, root, options)
    return PytestIni()


def _facts(path: Path, root: Path, options: Options) -> PytestIni:
    def words(name: str, default: tuple[str, ...] = ()) -> tuple[str, ...]:
        if name not in options:
            return default
        try:
            return _words(options[name])
        except ValueError as error:
            message = f"{name} cannot be split as a shell would: {error}"
            raise ConfigError(
                [Problem(key="", file=str(path), line=None, message=message)]
            ) from None

    return PytestIni(
        file=path,
        folder=path.parent,
        testpaths=words("testpaths") if path.parent == root else (),
        python_files=words("python_files", PYTHON_FILES),
        python_classes=words("python_classes", ("Test",)),
        python_functions=words("python_functions", ("test",)),
        norecursedirs=words("norecursedirs", NO_RECURSE),
        pythonpath=words("pythonpath"),
        usefixtures=words("usefixtures"),
        plugins=_added_plugins(words("addopts")),
    )


def _words(value: object) -> tuple[str, ...]:
    """Split as pytest splits a value of type `args` (`pythonpath` holds no spaces either)."""
    if isinstance(value, list):
        return tuple(str(part) for part in value)
    return tuple(shlex.split(str(value)))


def _added_plugins(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the values of `-p`, joined or apart, but for plugins that are switched off."""
    found = []
    for number, word in enumerate(words):
        if word == "-p" and number + 1 < len(words):
            found.append(words[number + 1])
        elif word.startswith("-p") and len(word) > 2:
            found.append(word[2:])
    return tuple(name for name in found if not name.startswith("no:"))


def _read(path: Path, options_of: Callable[[str, str], Options | None]) -> Options | None:
    try:
        return options_of(path.read_text(encoding="utf-8"), path.name)
    except (OSError, ValueError, iniconfig.ParseError) as error:
        message = f"pytest's configuration cannot be read: {error}"
        raise ConfigError([Problem(key="", file=str(path), line=None, message=message)]) from error


def _section(text: str, name: str, section: str) -> Options | None:
    parsed = iniconfig.IniConfig(name, data=text)
    return dict(parsed[section].items()) if section in parsed else None


def _of_pytest_ini(text: str, name: str) -> Options | None:
    # A pytest.ini configures pytest also when it is empty.
    return _section(text, name, "pytest") or {}


def _of_pytest_toml(text: str, _: str) -> Options | None:
    return _table(tomllib.loads(text), "pytest") or {}


def _of_pyproject(text: str, _: str) -> Options | None:
    # Most have neither word, and reading TOML is not free.
    if "pytest" not in text:
        return None
    table = _table(_table(tomllib.loads(text), "tool"), "pytest")
    native = {name: value for name, value in table.items() if name != "ini_options"}
    if native:
        return native
    return _table(table, "ini_options") if "ini_options" in table else None


def _of_tox_ini(text: str, name: str) -> Options | None:
    return _section(text, name, "pytest")


def _of_setup_cfg(text: str, name: str) -> Options | None:
    return _section(text, name, "tool:pytest")


def _table(node: Options, name: str) -> Options:
    found = node.get(name, {})
    return found if isinstance(found, dict) else {}


_READERS: dict[str, Callable[[str, str], Options | None]] = {
    "pytest.toml": _of_pytest_toml,
    ".pytest.toml": _of_pytest_toml,
    "pytest.ini": _of_pytest_ini,
    ".pytest.ini": _of_pytest_ini,
    "pyproject.toml": _of_pyproject,
    "tox.ini": _of_tox_ini,
    "setup.cfg": _of_setup_cfg,
}

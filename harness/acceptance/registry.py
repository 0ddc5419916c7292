"""Which checks there are: those that come with the harness, and those of a project."""

import importlib.util
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from harness.acceptance.check import Check, Context, Phase, Result
from harness.errors import UsageError

_Run = Callable[[Context], Result]
_declared: list[Check] | None = None


def check(name: str, *, phase: Phase = Phase.PRIVATE, title: str = "") -> Callable[[_Run], _Run]:
    """Make a function a check of the project, when `accept` loads the file that holds it.

    Anywhere else, such as in a test of the check, the function stays what it is.
    """

    def register(run: _Run) -> _Run:
        if _declared is not None:
            _declared.append(Check(name=name, phase=phase, run=run, title=title))
        return run

    return register


def project_checks(project: Path, files: tuple[str, ...]) -> list[Check]:
    """Import the files, in order, and return the checks that they declare.

    Raises UsageError that names the file for one that is not there, cannot be imported, or
    declares none.
    """
    found: list[Check] = []
    for file in files:
        with _collecting() as declared:
            _import(project, file)
        if not declared:
            raise UsageError(
                f"{file} declares no check: decorate one with @harness.acceptance.check(NAME)"
            )
        found += declared
    return found


def refuse_double_names(checks: list[Check]) -> None:
    """Raise UsageError when two checks share a name, which is their key in every output."""
    names = [each.name for each in checks]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise UsageError(f"two checks are named {twice[0]!r}: give each a name of its own")


def refuse_unknown(only: tuple[str, ...], checks: list[Check]) -> None:
    """Raise UsageError for a name that no check has."""
    names = [each.name for each in checks]
    for name in only:
        if name not in names:
            raise UsageError(f"there is no check {name!r}; there are {', '.join(names)}")


@contextmanager
def _collecting() -> Iterator[list[Check]]:
    global _declared  # noqa: PLW0603 - a decorator has nowhere else to put what it found
    before, _declared = _declared, []
    try:
        yield _declared
    finally:
        _declared = before


def _import(project: Path, file: str) -> None:
    path = project / file
    if not path.is_file():
        raise UsageError(f"{file}, named in tool.harness.accept.checks, is not there")
    name = "harness_checks_" + "".join(each if each.isalnum() else "_" for each in file)
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise UsageError(f"{file} cannot be imported: it is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        raise UsageError(f"{file} cannot be imported: {type(error).__name__}: {error}") from error

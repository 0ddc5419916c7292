"""What was given to `serve`, as one of a few closed kinds; everything else is refused."""

import inspect
import os
import re
import shlex
import sys
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from harness.errors import UsageError

ACCEPTED = """serve() takes one of:
  a command         serve(["python", "-m", "myapp"])
  an import string  serve("package.module:app")
  an application    serve(app)         aiohttp, WSGI or ASGI
  a factory         serve(create_app)  no required argument, returns an application
  a folder          serve(Path("site"))"""
_EXPECTED_APPLICATION = (
    "expected an aiohttp web.Application, a WSGI callable `app(environ, start_response)`, an ASGI "
    "callable `async app(scope, receive, send)`, or a factory without required arguments that "
    "returns one of them"
)
_IMPORT_STRING = re.compile(
    r"(?P<module>[^\W\d]\w*(?:\.[^\W\d]\w*)*):(?P<attribute>[^\W\d]\w*(?:\.[^\W\d]\w*)*)"
)
_SHOWN_CHARS = 120


class ApplicationKind(StrEnum):
    """Which protocol an application object speaks."""

    AIOHTTP = "aiohttp"
    WSGI = "WSGI"
    ASGI = "ASGI"


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A program and its arguments."""

    arguments: tuple[str, ...]

    def __str__(self) -> str:
        return _shortened(shlex.join(self.arguments))


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportString:
    """An application, or its factory, that a process of its own is to import."""

    module: str
    attribute: str

    def __str__(self) -> str:
        return f"{self.module}:{self.attribute}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Folder:
    """A folder of static files; `path` is absolute."""

    path: Path

    def __str__(self) -> str:
        return f"folder {self.path}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Application:
    """An application object; a factory has been called already."""

    kind: ApplicationKind
    app: Any

    def __str__(self) -> str:
        return f"{self.kind} application {_name(self.app)}"


Target = Command | ImportString | Folder | Application


def recognise(target: object) -> Target:
    """Return what `target` is; a factory is called for it.

    Raises UsageError, naming what is accepted, for anything that is not clearly of one kind.
    """
    match target:
        case str():
            return _from_text(target)
        case list() | tuple():
            return _from_words(target)
        case os.PathLike():
            return _from_path(Path(target))
        case _:
            return recognise_application(target, or_else=f"\n{ACCEPTED}")


def recognise_application(candidate: object, *, or_else: str = "") -> Application:
    """Return the application that `candidate` is, or that it returns when it is a factory.

    Raises UsageError, ending in `or_else`, when its signature does not say which it is. What
    a factory raises goes through.
    """
    kind = _kind_of(candidate)
    if kind is not None:
        return Application(kind=kind, app=candidate)
    if not callable(candidate) or not _takes_nothing(candidate):
        raise UsageError(
            f"{_shown(candidate)} is no server: {_EXPECTED_APPLICATION}; "
            f"{_why_not(candidate)}{or_else}"
        )
    app = candidate()
    kind = _kind_of(app)
    if kind is None:
        if inspect.iscoroutine(app):
            app.close()
        raise UsageError(
            f"the factory {_name(candidate)} returned {_shown(app)}: {_EXPECTED_APPLICATION}"
        )
    return Application(kind=kind, app=app)


def _from_text(text: str) -> ImportString | Command:
    if found := _IMPORT_STRING.fullmatch(text):
        return ImportString(module=found["module"], attribute=found["attribute"])
    try:
        words = shlex.split(text)
    except ValueError:
        words = []
    if os.path.isdir(text):
        advice = f"a folder is given as serve(Path({text!r}))"
    elif words:
        advice = f"a command is given as a list: serve({words!r})"
    else:
        advice = "it is no import string"
    raise UsageError(f"serve({text!r}): {advice}\n{ACCEPTED}")


def _from_words(words: list[object] | tuple[object, ...]) -> Command:
    wrong = [word for word in words if not isinstance(word, str | os.PathLike)]
    if wrong:
        raise UsageError(f"a command is a list of str or paths, not of {wrong!r}\n{ACCEPTED}")
    arguments = tuple(os.fsdecode(word) for word in words)  # type: ignore[arg-type]
    if not arguments or not arguments[0]:
        raise UsageError(f"a command needs a program: {list(words)!r}\n{ACCEPTED}")
    if any("\0" in argument for argument in arguments):
        raise UsageError(f"no command holds a null character: {list(words)!r}")
    return Command(arguments=arguments)


def _from_path(path: Path) -> Folder:
    if not path.is_dir():
        what = "is a file, give its folder" if path.exists() else "does not exist"
        raise UsageError(f"a path is a folder of static files: {path} {what}\n{ACCEPTED}")
    return Folder(path=path.absolute())


def _kind_of(candidate: object) -> ApplicationKind | None:
    # Whoever holds an aiohttp application has imported aiohttp: nobody else pays for it.
    aiohttp_web = sys.modules.get("aiohttp.web")
    if aiohttp_web is not None and isinstance(candidate, aiohttp_web.Application):
        return ApplicationKind.AIOHTTP
    if not callable(candidate):
        return None
    match _required_parameters(candidate), _is_async(candidate):
        case 2, False:
            return ApplicationKind.WSGI
        case 3, True:
            return ApplicationKind.ASGI
        case _:
            return None


def _takes_nothing(candidate: Callable[..., object]) -> bool:
    return _required_parameters(candidate) == 0 and not _is_async(candidate)


def _required_parameters(candidate: Callable[..., object]) -> int | None:
    """Count them; None when the signature does not tell (`*args`, a required keyword, none)."""
    try:
        parameters = inspect.signature(candidate).parameters.values()
    except (TypeError, ValueError):
        return None
    required = [each for each in parameters if each.default is each.empty]
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    if any(each.kind not in (*positional, inspect.Parameter.VAR_KEYWORD) for each in required):
        return None
    return sum(each.kind in positional for each in required)


def _is_async(candidate: Callable[..., object]) -> bool:
    call = getattr(type(candidate), "__call__", None)  # noqa: B004 - its own, not a test for one
    return inspect.iscoroutinefunction(candidate) or (
        not inspect.isclass(candidate) and inspect.iscoroutinefunction(call)
    )


def _why_not(candidate: object) -> str:
    if not callable(candidate):
        return f"a {type(candidate).__name__} cannot be called"
    if _is_async(candidate) and _required_parameters(candidate) == 0:
        return "a factory is not a coroutine function"
    try:
        signature = str(inspect.signature(candidate))
    except (TypeError, ValueError):
        signature = "unknown"
    return f"its signature is {'async ' if _is_async(candidate) else ''}{signature}"


def _name(candidate: object) -> str:
    named = candidate if hasattr(candidate, "__qualname__") else type(candidate)
    return f"{named.__module__}.{named.__qualname__}"


def _shown(candidate: object) -> str:
    return _shortened(repr(candidate))


def _shortened(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _SHOWN_CHARS else f"{text[: _SHOWN_CHARS - 3]}..."

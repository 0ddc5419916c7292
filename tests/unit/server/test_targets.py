"""What is given to `serve` is of one kind, or the refusal says what is accepted."""

from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from harness.errors import UsageError
from harness.server.targets import (
    Application,
    ApplicationKind,
    Command,
    Folder,
    ImportString,
    recognise,
)

pytestmark = pytest.mark.unit


def wsgi(environ: Any, start_response: Any) -> list[bytes]:
    return []


async def asgi(scope: Any, receive: Any, send: Any) -> None:
    return None


class WsgiObject:
    def __call__(self, environ: Any, start_response: Any) -> list[bytes]:
        return []


class AsgiObject:
    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        return None


async def async_factory() -> web.Application:
    return web.Application()


def returns_coroutine() -> object:
    return async_factory()


def test_a_list_is_a_command_and_paths_in_it_are_words() -> None:
    assert recognise(["node", Path("/a b/server.js")]) == Command(
        arguments=("node", "/a b/server.js")
    )
    assert str(recognise(("node", "/a b"))) == "node '/a b'"


@pytest.mark.parametrize(
    ("text", "module", "attribute"),
    [
        ("app:app", "app", "app"),
        ("package.module:create_app", "package.module", "create_app"),
        ("package:holder.app", "package", "holder.app"),
    ],
)
def test_a_text_with_a_module_and_an_attribute_is_an_import_string(
    text: str, module: str, attribute: str
) -> None:
    assert recognise(text) == ImportString(module=module, attribute=attribute)


def test_a_folder_is_a_folder(tmp_path: Path) -> None:
    assert recognise(tmp_path) == Folder(path=tmp_path)


@pytest.mark.parametrize(
    ("app", "kind"),
    [
        (web.Application(), ApplicationKind.AIOHTTP),
        (wsgi, ApplicationKind.WSGI),
        (WsgiObject(), ApplicationKind.WSGI),
        (asgi, ApplicationKind.ASGI),
        (AsgiObject(), ApplicationKind.ASGI),
    ],
)
def test_an_application_is_told_by_its_type_or_signature(app: object, kind: str) -> None:
    assert recognise(app) == Application(kind=ApplicationKind(kind), app=app)


@pytest.mark.parametrize(
    ("factory", "kind"),
    [
        (web.Application, "aiohttp"),
        (lambda: wsgi, "WSGI"),
        (lambda debug=False: asgi, "ASGI"),
        (WsgiObject, "WSGI"),
    ],
)
def test_a_factory_is_called(factory: Any, kind: str) -> None:
    recognised = recognise(factory)
    assert isinstance(recognised, Application)
    assert recognised.kind == kind


@pytest.mark.parametrize(
    ("target", "said"),
    [
        (3, "a int cannot be called"),
        (None, "a NoneType cannot be called"),
        (b"python", "a bytes cannot be called"),
        (lambda one: None, "its signature is (one)"),
        (lambda *args: None, "its signature is (*args)"),
        (lambda a, b, c: None, "its signature is (a, b, c)"),
        (lambda *, key: None, "its signature is (*, key)"),
        (async_factory, "a factory is not a coroutine function"),
        (lambda: 3, "returned 3: expected an aiohttp web.Application"),
        (lambda: lambda: wsgi, "expected an aiohttp web.Application"),
        (returns_coroutine, "expected an aiohttp web.Application"),
        ([], "a command needs a program"),
        ([""], "a command needs a program"),
        (["python", 3], "not of [3]"),
        (["python", "a\0b"], "no command holds a null character"),
        ("python -m 'my app'", "serve(['python', '-m', 'my app'])"),
        ("python -c 'open", "it is no import string"),
        ("", "it is no import string"),
        ("/", "a folder is given as serve(Path('/'))"),
        (Path("/absent"), "/absent does not exist"),
        (Path(__file__), "is a file, give its folder"),
    ],
)
def test_anything_else_is_refused_with_the_reason(target: object, said: str) -> None:
    with pytest.raises(UsageError) as refused:
        recognise(target)
    assert said in str(refused.value)


@pytest.mark.parametrize("target", [3, "python x.py", [], Path("/absent")])
def test_a_refusal_shows_an_example_of_every_kind(target: object) -> None:
    with pytest.raises(UsageError) as refused:
        recognise(target)
    for example in (
        'serve(["python", "-m", "myapp"])',
        'serve("package.module:app")',
        "serve(app)",
        "serve(create_app)",
        'serve(Path("site"))',
    ):
        assert example in str(refused.value)


def test_what_a_factory_raises_goes_through() -> None:
    def broken() -> None:
        raise LookupError("no settings")

    with pytest.raises(LookupError, match="no settings"):
        recognise(broken)

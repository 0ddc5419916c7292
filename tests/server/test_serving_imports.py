"""An import string is served by a process of its own, on a socket that was bound for it."""

import importlib.util
import json
import sys
from pathlib import Path

import pytest

from harness.errors import StartError, UsageError
from harness.server.serving import serve
from tests.lib import witness
from tests.lib.events import wait_for_file
from tests.lib.http import fetch

pytestmark = pytest.mark.usefixtures("scratch_root")

APPLICATIONS = """
import json, os, pathlib, sys
from aiohttp import web

async def answer(request):
    return web.Response(text="aiohttp")

async def clean_up(app):
    pathlib.Path("cleaned").touch()

def create_app():
    app = web.Application()
    app.router.add_get("/", answer)
    app.on_cleanup.append(clean_up)
    return app

aiohttp_app = create_app()

def wsgi_app(environ, start_response):
    start_response("200 OK", [("Content-Type", "application/json")])
    return [json.dumps([sys.path[0], os.getcwd(), dict(os.environ)]).encode()]

async def asgi_app(scope, receive, send):
    assert scope["type"] == "http"
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"asgi"})

class holder:
    app = staticmethod(wsgi_app)

neither = 3
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "apps.py").write_text(APPLICATIONS)
    (tmp_path / "broken.py").write_text("raise LookupError('no settings')")
    (tmp_path / "needy.py").write_text("import absent_dependency")
    return tmp_path


@pytest.mark.parametrize("attribute", ["aiohttp_app", "create_app", "wsgi_app", "holder.app"])
def test_an_application_or_a_factory_is_served_with_its_nonce(
    project: Path, attribute: str
) -> None:
    with serve(f"apps:{attribute}", directory=project) as server:
        [process] = server.processes()
        who = witness.identity(process.pid)
        reply = fetch(server.port)
        assert (reply.status, reply.headers["x-harness-nonce"]) == (200, server.nonce)
        assert fetch(server.port, "/absent").headers["x-harness-nonce"] == server.nonce
    assert who is not None
    assert not witness.alive(who)
    assert not witness.is_listening(server.port)


def test_its_folder_comes_first_on_the_path_and_the_shell_does_not_leak(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET", "s")
    with serve("apps:wsgi_app", directory=project, environment={"GIVEN": "g"}) as server:
        first, folder, environment = json.loads(fetch(server.port).body)
    assert (first, folder) == (str(project), str(project))
    assert environment["GIVEN"] == "g"
    assert "SECRET" not in environment
    assert "HARNESS_LISTEN_FD" not in environment


def test_what_can_be_imported_here_can_be_imported_there(
    project: Path, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    monkeypatch.syspath_prepend(str(project))
    with serve("apps:wsgi_app", directory=tmp_path_factory.mktemp("elsewhere")) as server:
        assert fetch(server.port).status == 200


def test_it_cleans_up_when_it_is_closed(project: Path) -> None:
    with serve("apps:create_app", directory=project) as server:
        assert not (project / "cleaned").exists()
    report = server.close()
    wait_for_file(project / "cleaned", 0)
    assert report is not None
    assert report.leader_status == 0


@pytest.mark.parametrize(
    ("import_string", "said"),
    [
        ("absent.module:app", "there is no module absent"),
        ("apps:absent", "apps has no absent"),
        ("apps:neither", "expected an aiohttp web.Application"),
        ("broken:app", "LookupError: no settings"),
        ("needy:app", "No module named 'absent_dependency'"),
    ],
)
def test_what_cannot_be_served_is_told_at_once(
    project: Path, import_string: str, said: str
) -> None:
    with pytest.raises(StartError) as failed:
        serve(import_string, directory=project, start_seconds=300)
    assert said in str(failed.value)
    assert f"{import_string} was not ready" in str(failed.value)
    assert "before it was ready" in str(failed.value)


@pytest.mark.parametrize("options", [{"start_line": "(?P<port>1)"}, {"inherit_socket": True}])
def test_options_of_a_command_are_refused(options: dict) -> None:
    with pytest.raises(UsageError, match="it is given a socket"):
        serve("apps:app", **options)


def test_without_uvicorn_the_error_says_what_to_install(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "uvicorn.py").write_text("raise ModuleNotFoundError('uvicorn')")
    with pytest.raises(StartError, match=r"pip install 'lanewright\[asgi\]'"):
        serve("apps:asgi_app", directory=project)


@pytest.mark.skipif(importlib.util.find_spec("uvicorn") is None, reason="uvicorn is an extra")
def test_an_asgi_application_is_served_with_its_nonce(project: Path) -> None:
    with serve("apps:asgi_app", directory=project) as server:
        reply = fetch(server.port)
        assert (reply.status, reply.body) == (200, b"asgi")
        assert reply.headers["x-harness-nonce"] == server.nonce
    assert not witness.is_listening(server.port)


def test_this_process_imports_nothing_of_it(project: Path) -> None:
    with serve("apps:wsgi_app", directory=project):
        assert "apps" not in sys.modules

"""The read endpoints say what is on disk and leave it as it is."""

import os
from pathlib import Path

import pytest
from aiohttp.test_utils import TestClient, TestServer

from harness.demo.app import ROOT, STATIC_FOLDER, create_app
from harness.errors import ExitCode, UsageError
from tests.lib.conversation import Ask, answer, converse, run
from tests.lib.trace import trace

pytestmark = pytest.mark.unit


def test_files_are_listed_with_their_sizes_and_sorted(workspace: Path) -> None:
    reply = answer(create_app(workspace), Ask(path="/api/files"))
    assert reply.json() == {
        "files": [
            {"name": "notes/a.txt", "size_bytes": 3},
            {"name": "plan.txt", "size_bytes": 5},
        ]
    }


def test_the_root_is_named_and_its_files_are_counted(workspace: Path) -> None:
    reply = answer(create_app(workspace), Ask(path="/api/root"))
    assert reply.json() == {"root": "workspace", "files": 2}


def test_a_file_that_appears_is_listed_by_the_next_read(workspace: Path) -> None:
    (workspace / "zeta").write_bytes(b"")
    reply = answer(create_app(workspace), Ask(path="/api/root"))
    assert reply.json()["files"] == 3


def test_a_symbolic_link_is_neither_listed_nor_followed(workspace: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret").write_bytes(b"secret")
    (workspace / "folder").symlink_to(outside)
    (workspace / "file").symlink_to(outside / "secret")
    (workspace / "loop").symlink_to(workspace)
    reply = answer(create_app(workspace), Ask(path="/api/files"))
    assert [file["name"] for file in reply.json()["files"]] == ["notes/a.txt", "plan.txt"]


def test_a_name_that_is_not_utf_8_is_still_valid_json(workspace: Path) -> None:
    (workspace / os.fsdecode(b"\xff.txt")).write_bytes(b"")
    reply = answer(create_app(workspace), Ask(path="/api/files"))
    assert reply.json()["files"][-1]["name"] == "\udcff.txt"


@pytest.mark.parametrize("path", ["/api/files", "/api/root", "/", "/static/main.js"])
def test_reading_twice_changes_nothing_and_says_the_same(path: str, workspace: Path) -> None:
    (workspace / "plan.txt").chmod(0o640)
    before = trace(workspace)
    first, second = converse(create_app(workspace), Ask(path=path), Ask(path=path))
    assert trace(workspace) == before
    assert (first.status, first.body) == (second.status, second.body) == (200, second.body)


def test_a_refused_write_changes_nothing(workspace: Path) -> None:
    before = trace(workspace)
    reply = answer(create_app(workspace), Ask(path="/api/turn", method="POST", body=b"{}"))
    assert reply.status == 400
    assert trace(workspace) == before


def test_every_static_file_is_served_byte_for_byte(workspace: Path) -> None:
    names = sorted(path.relative_to(STATIC_FOLDER).as_posix() for path in STATIC_FOLDER.iterdir())
    asks = [Ask(path=f"/static/{name}") for name in names]
    replies = converse(create_app(workspace), *asks)
    served = {name: reply.body for name, reply in zip(names, replies, strict=True)}
    assert served == {name: (STATIC_FOLDER / name).read_bytes() for name in names}


def test_without_a_root_the_workspace_is_private_seeded_and_gone_afterwards() -> None:
    async def life() -> tuple[Path, int, dict[str, bytes]]:
        app = create_app()
        async with TestClient(TestServer(app)):
            root = app[ROOT]
            contents = {path.name: path.read_bytes() for path in root.iterdir()}
            return root, root.stat().st_mode & 0o777, contents

    root, mode, contents = run(life())
    assert mode == 0o700
    assert contents == {"welcome.txt": b"Welcome to the demo workspace.\n"}
    assert not root.exists()


def test_a_given_root_is_neither_seeded_nor_removed(tmp_path: Path) -> None:
    reply = answer(create_app(tmp_path), Ask(path="/api/files"))
    assert reply.json() == {"files": []}
    assert tmp_path.is_dir()


def test_a_root_that_is_not_a_folder_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"not a folder: .*absent") as refused:
        create_app(tmp_path / "absent")
    assert refused.value.exit_code is ExitCode.USAGE

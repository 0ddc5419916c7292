"""Scratch directories and the locks that say who owns one."""

import fcntl
import os
import stat
from pathlib import Path

import pytest

from harness.process import scratch


def test_a_scratch_is_private_and_has_its_folders(tmp_path: Path) -> None:
    path, lock = scratch.create(str(tmp_path / "root"), "one", b"who\n")
    os.close(lock)
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o700
    assert sorted(os.listdir(path)) == sorted([*scratch.FOLDERS, "record"])
    assert Path(path, "record").read_bytes() == b"who\n"


def test_a_scratch_with_a_living_owner_is_not_abandoned(tmp_path: Path) -> None:
    _, lock = scratch.create(str(tmp_path), "one", b"")
    try:
        assert scratch.abandoned(str(tmp_path)) == []
    finally:
        os.close(lock)


def test_a_scratch_whose_lock_is_free_is_abandoned_and_comes_locked(tmp_path: Path) -> None:
    path, lock = scratch.create(str(tmp_path), "one", b"")
    os.close(lock)
    [(found, held)] = scratch.abandoned(str(tmp_path))
    try:
        assert found == path
        with open(Path(path, "record")) as other, pytest.raises(BlockingIOError):
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
    finally:
        os.close(held)


def test_a_folder_that_we_did_not_make_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "somebody's").mkdir()
    assert scratch.abandoned(str(tmp_path)) == []


def test_a_root_that_belongs_to_no_directory_of_ours_is_refused(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(PermissionError, match="not a directory of this user"):
        scratch.create(str(tmp_path / "link"), "one", b"")


def test_removal_does_not_follow_links_and_opens_closed_folders(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "precious").write_text("keep me")
    tree = tmp_path / "tree"
    closed = tree / "closed"
    closed.mkdir(parents=True)
    (closed / "file").write_text("x")
    (tree / "link").symlink_to(outside)
    closed.chmod(0)
    assert scratch.remove(str(tree)) is None
    assert not tree.exists()
    assert (outside / "precious").read_text() == "keep me"


def test_a_removal_that_fails_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tree").mkdir()

    def refuse(path: str) -> None:
        raise OSError(16, "Device or resource busy", path)

    monkeypatch.setattr(os, "rmdir", refuse)
    assert "Device or resource busy" in (scratch.remove(str(tmp_path / "tree")) or "")


def test_a_root_too_long_for_a_socket_falls_back_to_a_short_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv(scratch.ROOT_VARIABLE, raising=False)
    monkeypatch.setenv("TMPDIR", "/tmp/" + "deep/" * 20)
    assert scratch.root() == f"/tmp/lanewright-{os.getuid()}"
    monkeypatch.setenv("TMPDIR", "/var/tmp")
    assert scratch.root() == f"/var/tmp/lanewright-{os.getuid()}"

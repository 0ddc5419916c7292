"""Which tree stands in a folder, asked of real git."""

import os
import subprocess
from pathlib import Path

import pytest

from harness.repository.tree import TreeState, tree_state


def git(folder: Path, *arguments: str) -> str:
    environment = {name: value for name, value in os.environ.items() if "GIT_" not in name}
    environment |= {
        "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a",
        "GIT_COMMITTER_EMAIL": "a@b",
    }  # fmt: skip
    done = subprocess.run(
        ["git", *arguments], cwd=folder, env=environment, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q")
    (tmp_path / "file").write_text("one")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "first")
    return tmp_path


def test_a_clean_tree_is_named_by_git(repository: Path) -> None:
    tree = git(repository, "rev-parse", "HEAD^{tree}")
    assert tree_state(repository) == TreeState(tree=tree, dirty=False)


@pytest.mark.parametrize("change", ["edited", "staged", "untracked", "deleted"])
def test_a_difference_makes_it_dirty(repository: Path, change: str) -> None:
    if change == "untracked":
        (repository / "other").write_text("new")
    elif change == "deleted":
        (repository / "file").unlink()
    else:
        (repository / "file").write_text("two")
    if change == "staged":
        git(repository, "add", ".")
    assert tree_state(repository).dirty is True


def test_outside_of_a_repository_nothing_is_known(tmp_path: Path) -> None:
    assert tree_state(tmp_path) == TreeState(tree=None, dirty=None)


def test_without_a_commit_nothing_is_known(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    assert tree_state(tmp_path) == TreeState(tree=None, dirty=None)


def test_without_git_nothing_is_known(
    repository: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "nowhere"))
    assert tree_state(repository) == TreeState(tree=None, dirty=None)


def test_the_environment_of_a_hook_does_not_steer_it(
    repository: Path, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    expected = tree_state(repository)
    other = tmp_path_factory.mktemp("other")
    git(other, "init", "-q")
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other / "index"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other))
    assert tree_state(repository) == expected

"""A URL path names a file below the folder or nothing."""

from pathlib import Path

import pytest

from harness.server.static_files import content_type, resolve

pytestmark = pytest.mark.unit


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "outside.txt").write_text("secret")
    root = (tmp_path / "site").resolve()
    (root / "sub").mkdir(parents=True)
    (root / "page.html").write_text("page")
    (root / "out").symlink_to(tmp_path / "outside.txt")
    (root / "in").symlink_to(root / "page.html")
    (root / "loop").symlink_to(root / "loop")
    return root


def test_what_is_there_is_found(root: Path) -> None:
    assert resolve(root, "/") == root
    assert resolve(root, "/page.html") == root / "page.html"
    assert resolve(root, "/sub/") == root / "sub"
    assert resolve(root, "/in") == root / "page.html"


@pytest.mark.parametrize(
    "path",
    [
        "/absent", "/..", "/../outside.txt", "/sub/../../outside.txt", "/./page.html",
        "/sub//..", "/out", "/loop", "/page.html\0", "/..\\outside.txt", "/page.html/x",
    ],
)  # fmt: skip
def test_what_is_not_below_the_folder_is_not_found(root: Path, path: str) -> None:
    assert resolve(root, path) is None


def test_a_sibling_with_the_same_beginning_is_outside(root: Path) -> None:
    sibling = root.with_name("site-private")
    sibling.mkdir()
    (root / "link").symlink_to(sibling)
    assert resolve(root, "/link") is None


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.html", "text/html; charset=utf-8"),
        ("a.JS", "text/javascript; charset=utf-8"),
        ("a.mjs", "text/javascript; charset=utf-8"),
        ("a.css", "text/css; charset=utf-8"),
        ("a.json", "application/json"),
        ("a.wasm", "application/wasm"),
        ("a.svg", "image/svg+xml"),
        ("a.unheard-of", "application/octet-stream"),
        ("noending", "application/octet-stream"),
    ],
)
def test_a_browser_is_told_the_right_type(name: str, kind: str) -> None:
    assert content_type(name) == kind

"""docs/compatibility.md says what the plugin does."""

import re
from pathlib import Path

from harness.pytest_plugin import native_launch
from harness.pytest_plugin.pool import is_ours_to_launch

PAGE = Path(__file__).resolve().parents[3] / "docs" / "compatibility.md"
TEXT = PAGE.read_text(encoding="utf-8")


def test_every_proof_exists() -> None:
    links = re.findall(r"\]\(([^)]+)\)", TEXT)
    assert len(links) > 10
    assert [link for link in links if not (PAGE.parent / link).is_file()] == []


def test_every_option_that_is_said_to_go_to_playwright_goes_there() -> None:
    sentence = TEXT[TEXT.index("- the launch options") : TEXT.index("and any that we do not know")]
    named = re.findall(r"`(\w+)`", sentence)
    assert named == [
        "proxy", "traces_dir", "downloads_path", "ignore_default_args",
        "chromium_sandbox", "firefox_user_prefs", "artifacts_dir",
    ]  # fmt: skip
    assert [name for name in named if is_ours_to_launch("chromium", {name: "x"})] == []
    assert is_ours_to_launch("chromium", {"slow_mo": 10, "args": ["--lang=de"]})


def test_arguments_that_playwright_judges_go_there() -> None:
    for argument in ("http://page.test/", "--user-data-dir=/tmp/x", "--remote-debugging-port=9"):
        assert not is_ours_to_launch("chromium", {"args": [argument]})


def test_the_way_to_bisect_is_named_as_it_is() -> None:
    assert TEXT.count(native_launch.OPTION) == 2
    assert TEXT.count(native_launch.INI) == 2

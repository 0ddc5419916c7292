"""One owner of discovery: what is looked at, in which order, with which outcome."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from harness.browser import binary
from harness.browser.binary import Outcome, Source
from harness.errors import PreconditionError

ROOT = Path(__file__).resolve().parents[3]


def program(path: Path) -> Path:
    """Put something that looks like a compiled program at `path`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"\x7fELF and so on")
    path.chmod(0o755)
    return path


def wrapper(path: Path) -> Path:
    """Put a shell script at `path`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\nexit 0\n")
    path.chmod(0o755)
    return path


def only_system_paths(monkeypatch: pytest.MonkeyPatch, *paths: Path) -> None:
    """Leave nothing to be found but `paths`."""
    monkeypatch.delenv(binary.VARIABLE, raising=False)
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", "/no/such/store")
    monkeypatch.setattr(binary, "_LINUX_PATHS", [str(path) for path in paths])
    monkeypatch.setattr(binary, "_MAC_PATHS", [str(path) for path in paths])


def test_the_variable_wins_over_everything_and_hides_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = program(tmp_path / "named")
    monkeypatch.setenv(binary.VARIABLE, str(named))
    found = list(binary.candidates(executable_path=tmp_path / "suite"))
    assert [(one.source, one.binary) for one in found] == [(Source.ENVIRONMENT, named)]


def test_a_variable_that_names_nothing_is_not_papered_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    only_system_paths(monkeypatch, program(tmp_path / "chromium"))
    monkeypatch.setenv(binary.VARIABLE, str(tmp_path / "typo"))
    with pytest.raises(PreconditionError, match=r"HARNESS_CHROMIUM: .*typo: missing"):
        binary.find()


def test_the_suites_own_path_comes_before_any_download_or_system_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    only_system_paths(monkeypatch, program(tmp_path / "chromium"))
    mine = program(tmp_path / "mine")
    assert binary.find(executable_path=mine).path == mine


def test_a_channel_is_looked_for_in_its_own_places_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    only_system_paths(monkeypatch, program(tmp_path / "chromium"))
    beta = program(tmp_path / "beta" / "chrome")
    monkeypatch.setitem(binary._CHANNEL_PATHS, "chrome-beta", (str(beta),))
    assert binary.find(channel="chrome-beta").path == beta
    with pytest.raises(PreconditionError, match=r"--browser-channel: no-such: missing"):
        binary.find(channel="no-such")


@pytest.mark.parametrize(
    ("headless", "channel", "names"),
    [
        (True, None, ["chromium_headless_shell-", "chromium-"]),
        (False, None, ["chromium-"]),
        (True, "chromium", ["chromium-"]),
    ],
)
def test_playwrights_own_choice_of_download_is_kept(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    headless: bool,
    channel: str | None,
    names: list[str],
) -> None:
    only_system_paths(monkeypatch)
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path))
    looked_at = [
        one.path.relative_to(tmp_path).parts[0]
        for one in binary.candidates(headless=headless, channel=channel)
        if one.source is Source.PLAYWRIGHT and one.path
    ]
    assert [re.sub(r"\d+$", "", name) for name in looked_at] == names


def test_playwrights_download_is_where_playwright_itself_looks() -> None:
    """The driver names the folder that it would launch from when asked for what it lacks."""
    if binary._PLAYWRIGHT_FOLDERS.get(("linux", os.uname().machine)) is None:
        pytest.skip("Playwright has no Chromium for this machine")
    driver = binary.playwright_driver_folder()
    listing = subprocess.run(
        [str(driver.parent / "node"), str(driver / "cli.js"), "install", "--dry-run", "chromium"],
        capture_output=True, text=True, check=True, timeout=60,
    ).stdout  # fmt: skip
    folders = set(re.findall(r"Install location:\s+(\S+)", listing))
    ours = {
        str(one.path.parents[1])
        for one in binary.candidates()
        if one.source is Source.PLAYWRIGHT and one.path
    }
    assert ours
    assert ours <= folders


def test_a_wrapper_is_resolved_to_the_program_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = wrapper(tmp_path / "chromium-browser")
    real = program(tmp_path / "chrome")
    only_system_paths(monkeypatch, script)
    assert binary.find().path == real


def test_a_wrapper_without_a_program_is_passed_over_and_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    only_system_paths(monkeypatch, wrapper(tmp_path / "browser"))
    with pytest.raises(PreconditionError, match=f"browser: {Outcome.WRAPPER}"):
        binary.find()


def test_a_script_that_was_named_on_purpose_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = wrapper(tmp_path / "mine.sh")
    monkeypatch.setenv(binary.VARIABLE, str(script))
    assert binary.find().path == script


@pytest.mark.parametrize("make", ["folder", "plain file"])
def test_what_cannot_be_executed_is_said_to_be_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: str
) -> None:
    thing = tmp_path / "thing"
    thing.mkdir() if make == "folder" else thing.write_text("")
    monkeypatch.setenv(binary.VARIABLE, str(thing))
    assert [one.outcome for one in binary.candidates()] == [Outcome.NOT_EXECUTABLE]


def test_a_missing_browser_names_every_place_and_the_remedy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    only_system_paths(monkeypatch, Path("/no/such/chromium"))
    with pytest.raises(PreconditionError) as caught:
        binary.find()
    message = str(caught.value)
    assert "system path: /no/such/chromium: missing" in message
    assert "playwright install chromium" in message
    assert binary.VARIABLE in message


def test_no_second_list_of_browser_paths_exists() -> None:
    """One file knows where browsers live, and one place reads the variable."""
    literal = re.compile(r"[\"'][^\"'\s]*/(?:google-chrome|chromium|chrome)[^\"'\s]*[\"']")
    read = re.compile(r"(?:environ|getenv)[^\n]*HARNESS_CHROMIUM")
    owner = ROOT / "harness" / "browser" / "binary.py"
    files = [*ROOT.glob("harness/**/*.py"), *ROOT.glob("tools/**/*.py")]
    assert len(files) > 30
    texts = {path: path.read_text() for path in files if path != owner}
    assert [str(path) for path, text in texts.items() if len(literal.findall(text)) > 1] == []
    assert [str(path) for path, text in texts.items() if read.search(text)] == []

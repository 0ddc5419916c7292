"""The command line of a Chromium, pinned to the installed Playwright's."""

import os
import re
from importlib import metadata

import pytest

from harness.browser import switches
from harness.browser.binary import playwright_driver_folder

NEVER = ("--no-zygote", "--single-process", "--disable-crashpad-for-testing")


def _array(bundle: str, opening: str) -> list[str]:
    """Return the string literals of a JavaScript array in the driver's bundle."""
    text = bundle[bundle.index(opening) :]
    text = text[: text.index("].filter(Boolean)")]
    return re.findall(r'"((?:[^"\\]|\\.)*)"', re.sub(r"^\s*//.*$", "", text, flags=re.MULTILINE))


def test_the_list_is_that_of_the_installed_playwright() -> None:
    bundle = (playwright_driver_folder() / "lib" / "coreBundle.js").read_text(encoding="utf-8")
    version = metadata.version("playwright")
    assert version.startswith(f"{switches.PLAYWRIGHT_VERSION}."), "the pinned list is of another"
    disabled = _array(bundle, "disabledFeatures = [")
    assert list(switches.DISABLED_FEATURES) == [name for name in disabled if name]
    found = [word for word in _array(bundle, "chromiumSwitches = (options) => [") if word]
    found = [word for word in found if word not in (",",)]
    ours = [
        word.split("=")[0] + "=" if word.startswith(("--disable-features", "--enable-features"))
        else word
        for word in switches.PLAYWRIGHT_SWITCHES
    ]  # fmt: skip
    assert ours == found
    for word in switches.HEADLESS_SWITCHES:
        assert f'"{word}"' in bundle


def line(**options: object) -> list[str]:
    chosen = {"profile": "/p", "headless": True, "headless_shell": False} | options
    return switches.command_line(**chosen)  # type: ignore[arg-type]


def test_both_debugging_switches_and_no_window_are_always_there() -> None:
    assert line()[-4:] == [
        "--user-data-dir=/p",
        "--remote-debugging-port=0",
        "--remote-debugging-pipe",
        "--no-startup-window",
    ]


def test_switches_that_break_ownership_are_never_there() -> None:
    assert not set(NEVER) & set(line())


def test_headless_mode_follows_the_binary() -> None:
    assert "--headless=new" in line()
    assert "--headless" in line(headless_shell=True)
    assert not [word for word in line(headless=False) if word.startswith("--headless")]


def test_the_sandbox_is_given_up_for_root_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert "--no-sandbox" in line()
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert "--no-sandbox" not in line()


def test_the_zygote_is_an_option() -> None:
    assert "--no-zygote" in line(zygote=False)


def test_a_callers_switch_comes_after_playwrights_so_that_it_wins() -> None:
    words = line(arguments=["--force-color-profile=generic-rgb"])
    assert words.index("--force-color-profile=generic-rgb") > words.index(
        "--force-color-profile=srgb"
    )

"""What set-up decides, from facts alone."""

from pathlib import Path

import pytest

from tools.environment import (
    BrowserStep,
    Refresh,
    Stamp,
    choose_browser_step,
    choose_refresh,
    groups_beside,
    is_debian_like,
    missing_modules_message,
    no_browser_message,
    pip_is_too_old,
)

STAMP = Stamp(interpreter="3.11 /usr /src", requirements="aa")


@pytest.mark.parametrize(
    ("found", "has_python", "expected"),
    [
        (STAMP, True, Refresh.NOTHING),
        (None, False, Refresh.CREATE),
        (STAMP, False, Refresh.CREATE),
        (None, True, Refresh.INSTALL),
        (Stamp(interpreter="3.11 /usr /src", requirements="bb"), True, Refresh.INSTALL),
        (Stamp(interpreter="3.12 /usr /src", requirements="aa"), True, Refresh.CREATE),
    ],
)
def test_the_environment_is_made_anew_only_for_another_interpreter(
    found: Stamp | None, has_python: bool, expected: Refresh
) -> None:
    assert choose_refresh(wanted=STAMP, found=found, has_python=has_python) is expected


def browser_steps(*, is_root: bool, is_debian: bool) -> list[BrowserStep]:
    """Follow the decisions on a machine where nothing helps."""
    steps: list[BrowserStep] = []
    while BrowserStep.TELL not in steps:
        step = choose_browser_step(
            found=False, tried=frozenset(steps), is_root=is_root, is_debian=is_debian
        )
        assert step not in steps
        steps.append(step)
    return steps


def test_a_browser_that_is_found_is_taken_as_it_is() -> None:
    step = choose_browser_step(found=True, tried=frozenset(), is_root=True, is_debian=True)

    assert step is BrowserStep.READY


def test_root_on_debian_tries_the_download_and_then_the_package() -> None:
    assert browser_steps(is_root=True, is_debian=True) == [
        BrowserStep.DOWNLOAD,
        BrowserStep.PACKAGE,
        BrowserStep.TELL,
    ]


@pytest.mark.parametrize(("is_root", "is_debian"), [(False, True), (True, False)])
def test_nobody_else_installs_a_package(is_root: bool, is_debian: bool) -> None:
    assert browser_steps(is_root=is_root, is_debian=is_debian) == [
        BrowserStep.DOWNLOAD,
        BrowserStep.TELL,
    ]


@pytest.mark.parametrize(
    ("release", "expected"),
    [
        ({"ID": "debian"}, True),
        ({"ID": "ubuntu", "ID_LIKE": "debian"}, True),
        ({"ID": "linuxmint", "ID_LIKE": "ubuntu debian"}, True),
        ({"ID": "fedora"}, False),
        ({}, False),
    ],
)
def test_debian_is_known_by_its_os_release(release: dict[str, str], expected: bool) -> None:
    assert is_debian_like(release) is expected


@pytest.mark.parametrize(
    ("version", "too_old"),
    [("23.2.1", True), ("25.0.1", True), ("25.1", False), ("25.1.1\n", False), ("26.0", False)],
)
def test_pip_is_too_old_before_it_knew_dependency_groups(version: str, too_old: bool) -> None:
    assert pip_is_too_old(version) is too_old


def test_a_version_of_pip_that_cannot_be_read_is_too_old() -> None:
    assert pip_is_too_old("") is True


def test_without_a_browser_the_message_says_which_command_to_run() -> None:
    assert no_browser_message(is_debian=True).splitlines() == [
        "no Chromium could be found or installed; run one of",
        "  .venv/bin/python -m playwright install --with-deps chromium",
        "  sudo apt-get install -y --no-install-recommends chromium fonts-liberation",
        "  export HARNESS_CHROMIUM=/path/to/chromium",
    ]


def test_apt_is_not_recommended_where_there_is_none() -> None:
    assert "apt-get" not in no_browser_message(is_debian=False)


def test_a_python_without_venv_is_told_what_is_missing_and_what_to_run() -> None:
    message = missing_modules_message(["venv", "ensurepip"])

    assert "has no module venv and no module ensurepip" in message
    assert "sudo apt-get install -y python3-venv" in message


def test_groups_named_beside_are_the_only_ones_kept_out_of_the_environment(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        "[dependency-groups]\ndev = ['a']\nbeside-web = ['b']\nbeside-async = ['c']\n"
    )

    assert groups_beside(tmp_path) == ["web", "async"]

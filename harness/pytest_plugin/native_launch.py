"""`--harness-native-launch`: every browser by Playwright's own launch, to find out who is to blame.

What is not about the launch stays: the guard, the signals, the evidence, the lanes.
"""

import argparse
import contextlib

import pytest

OPTION = "--harness-native-launch"
INI = "harness_native_launch"
_DESTINATION = "lanewright_native_launch"
_HELP = "let Playwright launch every browser by itself; ownership and evidence stay (lanewright)"


def declare(parser: pytest.Parser) -> None:
    """Add the option and the ini value, unless somebody else already has one of that name."""
    group = parser.getgroup("lanewright", "Lanewright")
    with contextlib.suppress(ValueError, argparse.ArgumentError):
        group.addoption(OPTION, action="store_true", default=False, dest=_DESTINATION, help=_HELP)
    with contextlib.suppress(ValueError, argparse.ArgumentError):
        parser.addini(INI, type="bool", default=False, help=_HELP)


def asked_for(config: pytest.Config) -> bool:
    """Tell whether our launch is turned off, by the command line or by the ini file."""
    return bool(config.getoption(_DESTINATION, default=False) or config.getini(INI))


def reason(config: pytest.Config) -> str:
    """Say why a browser is Playwright's own."""
    return f"{OPTION} is set" if asked_for(config) else "its own launch or a connection"

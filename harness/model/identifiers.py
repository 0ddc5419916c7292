"""Identifiers that are more than a `str`, and the lanes a test file can have."""

from collections.abc import Iterable
from enum import StrEnum
from typing import NewType

TestFile = NewType("TestFile", str)
"""A test file, as a `/`-separated path relative to the project root."""

RunToken = NewType("RunToken", str)
"""What every process of one run carries in its environment, so that a stray can be traced."""


class Lane(StrEnum):
    """What a test file needs in order to run. Members are declared from least to most demanding."""

    UNIT = "unit"
    SERVER = "server"
    BROWSER = "browser"


_DEMAND = {lane: demand for demand, lane in enumerate(Lane)}


def most_demanding(lanes: Iterable[Lane]) -> Lane:
    """Return the lane of a file from the lanes of its items; UNIT when it has none.

    A file runs whole, so one browser item puts all of it in the browser lane.
    """
    return max(lanes, key=_DEMAND.__getitem__, default=Lane.UNIT)

"""The test of each household: it waits for the trigger of the matrix."""

import os

import pytest


@pytest.mark.parametrize("number", range(int(os.environ["OWNER_HOUSEHOLDS"])))
def test_household(waiting):
    waiting()

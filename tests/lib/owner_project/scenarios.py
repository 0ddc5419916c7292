"""One test for each end that is not in the product of the matrix, by OWNER_SCENARIO."""

import os

import pytest

SCENARIO = os.environ["OWNER_SCENARIO"]


@pytest.mark.parametrize("number", [0])
@pytest.mark.usefixtures(*["broken"] if SCENARIO == "fixture error" else [])
def test_household(household, waiting):
    if SCENARIO == "failure":
        assert household.title() == "a title that it does not have"
    if SCENARIO == "pytest.exit":
        pytest.exit("enough", returncode=0)
    if SCENARIO in ("waiting", "stuck teardown"):
        waiting()

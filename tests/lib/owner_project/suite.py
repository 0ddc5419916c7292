"""One test, which ends as the scenario says."""

import os

import pytest

SCENARIO = os.environ["OWNER_SCENARIO"]

if SCENARIO == "fixture error":

    def test_household(broken):
        pass

else:

    def test_household(household):
        if SCENARIO == "failure":
            assert household.title() == "a title that it does not have"
        if SCENARIO == "pytest.exit":
            pytest.exit("enough", returncode=0)
        if SCENARIO in ("killed", "stuck teardown"):
            household.evaluate("new Promise(() => {})")

"""Fixtures of the suite's own in a module of its own; their names are ours by chance."""

import pytest


@pytest.fixture
def serve():
    return "theirs"


@pytest.fixture
def serve_session():
    return "theirs"


@pytest.fixture
def scratch():
    return "theirs"


@pytest.fixture
def own():
    return "theirs"


@pytest.fixture
def cdp():
    return "theirs"


@pytest.fixture(name="chromium")
def a_fixture_of_another_name():
    return "theirs"

import pytest


@pytest.fixture(scope="session")
def connect_options():
    return {"endpoint": "ws://127.0.0.1:9/"}

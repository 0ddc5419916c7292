import pytest


@pytest.fixture
def context(browser_type, browser_type_launch_args, browser_context_args, tmp_path):
    context = browser_type.launch_persistent_context(
        tmp_path / "profile",
        **{**browser_type_launch_args, **browser_context_args, "locale": "de-DE"},
    )
    yield context
    context.close()

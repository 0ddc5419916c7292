import pytest
from playwright.sync_api import Error


def test_a_connection_to_nothing(request):
    with pytest.raises(Error, match="ECONNREFUSED"):
        request.getfixturevalue("launch_browser")()

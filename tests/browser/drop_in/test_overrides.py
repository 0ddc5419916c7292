"""A suite's own fixtures win, wherever they are, and get what they override when they ask."""

from pathlib import Path

import pytest

from tests.lib.drop_in import Suite

pytestmark = pytest.mark.browser


def test_every_override_wins_as_without_the_plugin(tmp_path: Path) -> None:
    """Without the plugin nothing of that name is missing either: the suite brings it along."""
    run = Suite(tmp_path, "overrides").both().agreed()
    assert run.outcomes == {
        "test_root.py::test_names_of_ours_are_theirs": "passed",
        "test_root.py::test_arguments_of_the_conftest[chromium]": "passed",
        "test_root.py::test_the_marker_wins_over_the_conftest[chromium]": "passed",
        "test_root.py::TestClass::test_overrides_of_a_class[chromium]": "passed",
        "test_root.py::test_the_class_keeps_them_to_itself[chromium]": "passed",
        "test_module_level.py::test_overrides_of_a_module[chromium]": "passed",
        "own_browser/test_own_browser.py::test_their_browser[chromium]": "passed",
        "own_launch/test_own_launch.py::test_their_launch[chromium]": "passed",
        "replaced_launch/test_replaced_launch.py::test_their_replacement[chromium]": "passed",
        "connecting/test_connecting.py::test_a_connection_to_nothing": "passed",
        "session_page/test_session_page.py::test_a[chromium]": "passed",
        "session_page/test_session_page.py::test_b[chromium]": "passed",
        "persistent/test_persistent.py::test_a_persistent_context[chromium]": "passed",
        "own_type/test_own_type.py::test_their_type[chromium]": "passed",
    }
    assert run.exit_code == 0

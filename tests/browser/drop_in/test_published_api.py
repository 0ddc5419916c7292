"""pytest-playwright's published fixtures, and what a test may do with the objects they give."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.lib.drop_in import Suite

pytestmark = pytest.mark.browser


FAILING = {
    "test_fixtures.py::test_skipped_by_marker[chromium]": "skipped",
    "test_fixtures.py::test_skipped_by_the_other_marker[chromium]": "skipped",
    "test_fixtures.py::test_a_soft_assertion_fails[chromium]": "failed",
    "test_fixtures.py::test_a_failing_body_and_a_soft_assertion[chromium]": "failed",
    "test_fixtures.py::test_failing[chromium]": "failed",
    "test_fixtures.py::test_an_error_in_a_fixture[chromium]": "error",
    "test_fixtures.py::test_an_error_in_a_teardown[chromium]": "error",
    "test_fixtures.py::test_expected_to_fail[chromium]": "skipped",
    "test_fixtures.py::test_skipping_in_the_body[chromium]": "skipped",
    "test_unittest_classes.py::TestPages::test_three": "skipped",
}
# Where the plugin stands between a test and pytest-playwright. The other files hold what a test
# may do with a page, a context and a browser once it has them.
OURS_TO_BREAK = (
    "test_fixtures.py",
    "test_own_launches.py",
    "test_unittest_classes.py",
    "test_zz_closing.py",
)


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    ("files", "passed"),
    [
        pytest.param(OURS_TO_BREAK, 25, id="fixtures"),
        pytest.param((), 87, id="everything", marks=pytest.mark.soak),
    ],
)
def test_every_published_use_ends_as_without_the_plugin(
    tmp_path: Path, files: Sequence[str], passed: int
) -> None:
    run = Suite(tmp_path, "api").both(*files).agreed()
    assert run.but_passed() == FAILING
    assert run.count("passed") == passed
    assert run.exit_code == 1
    assert run.artefacts == []

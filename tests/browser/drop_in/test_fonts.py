"""A font that the user has installed looks the same in a screenshot."""

from pathlib import Path

import pytest

from tests.lib.drop_in import Suite

pytestmark = pytest.mark.browser

SOURCE = Path("/usr/share/fonts/truetype/liberation/LiberationSans-Regular.ttf")
FAMILY, OTHER = "Liberation Sans", "Harness Probe 1"
CONFTEST = """
import os, pytest

@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args):
    return {**browser_type_launch_args, "executable_path": os.environ["SUITE_CHROMIUM"]}
"""
TEST = """
def test_width(page):
    width = '''family => {
        const pen = document.createElement("canvas").getContext("2d");
        pen.font = `40px ${family}, monospace`;
        return pen.measureText("iiiiiiii").width;
    }'''
    assert page.evaluate(width, "'Harness Probe 1'") < page.evaluate(width, "'No Such Font'")
"""


@pytest.mark.skipif(not SOURCE.is_file(), reason="fonts-liberation is not installed")
def test_the_users_own_fonts_are_seen(tmp_path: Path) -> None:
    fonts = tmp_path / "home" / ".local" / "share" / "fonts"
    fonts.mkdir(parents=True)
    named = SOURCE.read_bytes()
    for encoding in ("utf-16-be", "latin-1"):
        named = named.replace(FAMILY.encode(encoding), OTHER.encode(encoding))
    (fonts / "probe.ttf").write_bytes(named)
    suite = Suite(tmp_path, {"conftest.py": CONFTEST, "test_it.py": TEST})
    run = suite.both(HOME=str(tmp_path / "home")).agreed()
    assert run.outcomes == {"test_it.py::test_width[chromium]": "passed"}

"""The public suites that are measured, as facts: what to get, what to run, and its habits.

In `tests`, `arguments` and `ini`, `{source}` is the unpacked archive and `{site}` the folder of
the installed packages.
"""

from dataclasses import dataclass
from enum import Enum


class Form(Enum):
    """Which archive of a distribution ships its tests."""

    SDIST = "sdist"
    WHEEL = "wheel"


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """One public suite.

    `kept` are the folders and files of the source archive that are unpacked (never the package's
    own code: the installed one is tested); `bound_seconds` is what one run may take.
    """

    name: str
    distribution: str
    version: str
    form: Form
    habits: str
    tests: tuple[str, ...]
    kept: tuple[str, ...] = ()
    extras: str = ""
    requirements: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    ini: str = "[pytest]\n"
    bound_seconds: float = 1200.0

    @property
    def pinned(self) -> str:
        """The requirement of the distribution itself, for pip."""
        return f"{self.distribution}{self.extras}=={self.version}"


SUITES = (
    Suite(
        name="panel",
        distribution="panel",
        version="1.9.4",
        form=Form.WHEEL,
        extras="[fastapi]",
        habits="servers on threads of the test process, a `context` of its own, pytest-asyncio",
        tests=(
            "{site}/panel/tests/ui/layout",
            "{site}/panel/tests/ui/widgets/test_input.py",
            "{site}/panel/tests/ui/widgets/test_sliders.py",
        ),
        requirements=("pytest-asyncio", "pytest-rerunfailures<16", "psutil", "plotly", "altair"),
        arguments=("--ui", "-m", "not internet", "--rootdir={site}", "--reruns=0"),
        ini="[pytest]\nasyncio_mode = auto\nasyncio_default_fixture_loop_scope = function\n",
    ),
    Suite(
        name="shiny",
        distribution="shiny",
        version="1.8.0",
        form=Form.SDIST,
        habits="xdist, a server process a module, one page for the whole session, "
        "warnings are errors",
        kept=("tests", "examples", "pytest.ini"),
        tests=(
            "{source}/tests/playwright/shiny/inputs",
            "{source}/tests/playwright/shiny/components/popover",
            "{source}/tests/playwright/shiny/components/selectize",
            "{source}/tests/playwright/shiny/components/toolbar",
            "{source}/tests/playwright/shiny/components/tooltip",
            "{source}/tests/playwright/shiny/session",
        ),
        requirements=(
            "pytest-asyncio",
            "pytest-xdist",
            "pytest-rerunfailures",
            "pytest-shard",
            # Under pytest 9 pytest-playwright's own substitute for it warns: an error here.
            "pytest-base-url",
            "psutil",
            "pandas",
            "faicons",
            "matplotlib",
        ),
        # The archive's own pytest.ini; two workers on every machine.
        ini="",
        arguments=(
            *("-c", "{source}/pytest.ini", "--rootdir={source}", "--numprocesses=2"),
            # They serve example applications that the archive does not hold.
            "--ignore-glob={source}/tests/playwright/shiny/inputs/test_*.py",
        ),
    ),
    Suite(
        name="holoviews",
        distribution="holoviews",
        version="1.23.2",
        form=Form.WHEEL,
        habits="plots served on threads, every page object reached through the suite's fixtures",
        tests=("{site}/holoviews/tests/ui",),
        requirements=("panel==1.9.4", "pytest-asyncio", "pytest-rerunfailures", "matplotlib"),
        arguments=("--ui", "--rootdir={site}"),
        ini="[pytest]\nasyncio_mode = auto\nasyncio_default_fixture_loop_scope = function\n",
    ),
)

"""Tell `harness lanes --check` what pytest collects: each module, each test with its lane.

Loaded by name (`-p`) in the one pytest that the command starts. One JSON document is written when
collection is over, before anything that deselects has had its say.
"""

import json
import os
from collections.abc import Generator
from pathlib import Path

import pytest

from harness.model.identifiers import most_demanding
from harness.model.lane_fixtures import REPORT_VARIABLE
from harness.pytest_plugin.lanes import lane_by_fixtures, lane_of
from harness.pytest_plugin.neutral_options import neutralize_collection

# Out of the environment at once: what a test module starts while it is imported inherits it.
_report = os.environ.pop(REPORT_VARIABLE, None)
_modules: dict[str, None] = {}


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Collect all of it, here, and to the end."""
    neutralize_collection(config)


def pytest_collectstart(collector: pytest.Collector) -> None:
    """Note a module, also when no test is found in it."""
    # A text file with doctests is a module too, to pytest.
    if isinstance(collector, pytest.Module) and collector.path.suffix == ".py":
        _modules[str(collector.path)] = None


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> Generator[None, object, object]:
    """Write the report: marks are still only those that were written by hand."""
    if _report is not None:
        tests = [
            {
                "file": str(item.path),
                "test": item.nodeid.partition("::")[2],
                "lane": most_demanding((lane_by_fixtures(item), lane_of(item))).value,
            }
            for item in items
            if isinstance(item, pytest.Function)
        ]
        text = json.dumps({"modules": list(_modules), "tests": tests})
        Path(_report).write_text(text, encoding="utf-8", errors="surrogateescape")
    return (yield)

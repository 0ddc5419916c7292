"""How long it takes to classify many test files, cold and when nothing has changed."""

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tools.bench.samples import Finding, Series

FILES = 2000
_PER_FOLDER = 40
_ROUNDS = 5

_TEST = '''"""Number {number}: what a test file of an ordinary project looks like."""

import json
from pathlib import Path

import pytest

from tests.lib.builders import build_order, expect_total


@pytest.fixture
def order_{number}(tmp_path):
    path = tmp_path / "order.json"
    path.write_text(json.dumps({{"id": {number}, "lines": [1, 2, 3]}}))
    return path


@pytest.mark.parametrize("amount", [1, 2, 3])
def test_the_total_of_{number}_follows_the_amount(order_{number}, amount):
    order = build_order(json.loads(order_{number}.read_text()), amount=amount)
    assert expect_total(order) == amount * {number}


class TestStored{number}:
    def test_it_is_read_back(self, order_{number}):
        stored = json.loads(Path(order_{number}).read_text())
        assert stored["id"] == {number}
        assert [line + 1 for line in stored["lines"]] == [2, 3, 4]

    def test_it_is_shown(self, {fixture}):
        assert {fixture} is not None
'''
_CONFTEST = """import pytest


@pytest.fixture
def logged_in(page):
    page.goto("/login")
    return page


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch):
    monkeypatch.delenv("ORDER", raising=False)
"""
_BUILDERS = """from tests.lib.orders import Order


def build_order(stored, amount):
    return Order(stored["id"], amount)


def expect_total(order):
    return order.number * order.amount
"""
_ORDERS = """import dataclasses


@dataclasses.dataclass
class Order:
    number: int
    amount: int
"""


def write_project(root: Path, files: int = FILES) -> None:
    """Write a project of so many test files; a fourth of them opens a page, a fourth serves."""
    (root / "pyproject.toml").write_text("[tool.pytest.ini_options]\ntestpaths = ['tests']\n")
    library = root / "tests" / "lib"
    library.mkdir(parents=True)
    (root / "tests" / "conftest.py").write_text(_CONFTEST)
    (library / "builders.py").write_text(_BUILDERS)
    (library / "orders.py").write_text(_ORDERS)
    fixtures = ("tmp_path", "logged_in", "serve", "capsys")
    for number in range(files):
        folder = root / "tests" / f"part_{number // _PER_FOLDER}"
        folder.mkdir(exist_ok=True)
        text = _TEST.format(number=number, fixture=fixtures[number % len(fixtures)])
        (folder / f"test_order_{number}.py").write_text(text)


def measure(rounds: int = _ROUNDS) -> Iterator[Series | Finding]:
    """Run `harness lanes` without its cache and with it, as whole commands."""
    with tempfile.TemporaryDirectory(prefix="harness-bench-") as folder:
        root = Path(folder)
        write_project(root)
        cold, warm = Series(f"harness lanes, {FILES} files, cold"), Series("nothing changed")
        for _ in range(rounds):
            for stored in (root / ".harness").glob("*.msgpack"):
                stored.unlink()
            for series in (cold, warm):
                began = time.perf_counter()
                subprocess.run(
                    [sys.executable, "-m", "harness.cli", "lanes"],
                    cwd=root,
                    check=True,
                    stdout=subprocess.DEVNULL,
                )
                series.add(time.perf_counter() - began)
    yield from (cold, warm)
    yield Finding(name=cold.name, value=cold.median, target=3000, unit="ms")
    yield Finding(name=f"{FILES} files, {warm.name}", value=warm.median, target=300, unit="ms")

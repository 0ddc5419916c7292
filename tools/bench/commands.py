"""How long a command takes to say what it can do."""

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from tools.bench.samples import Finding, Series

ROUNDS = 15


def measure(rounds: int = ROUNDS) -> Iterator[Series | Finding]:
    """Run `harness --help` beside a Python that does nothing."""
    bare, command = Series("python -c pass"), Series("harness --help")
    program = Path(sys.executable).with_name("harness")
    for _ in range(rounds):
        for series, line in (
            (bare, [sys.executable, "-c", "pass"]),
            (command, [str(program), "--help"]),
        ):
            began = time.perf_counter()
            subprocess.run(line, check=True, stdout=subprocess.DEVNULL)
            series.add(time.perf_counter() - began)
    yield from (bare, command)
    yield Finding(name="harness --help", value=command.median, target=150, unit="ms")

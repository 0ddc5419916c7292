"""Measure and compare with what was promised: ratios in one run, since machines are noisy.

    python3 tools/dev.py bench      every measurement, with its target

A missed target is said and ends with exit code 1; no test depends on it.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
if __name__ == "__main__":
    sys.path[0] = str(ROOT)

from harness.process.load import read_load
from tools.bench import classifying, commands, launching, pages, running
from tools.bench.samples import Finding


def main() -> int:
    """Run every measurement; return 1 when a target was missed."""
    missed = 0
    print(f"before: {read_load()}", flush=True)
    for title, measure in (
        ("Commands", commands.measure),
        ("Classifying test files", classifying.measure),
        ("Running test files", running.measure),
        ("Starting and ending a browser", launching.measure),
        ("Cycles", launching.measure_cycles),
        ("Pages", pages.measure),
    ):
        print(f"\n{title}", flush=True)
        for row in measure():
            print(f"  {row}", flush=True)
            missed += isinstance(row, Finding) and not row.held
    print(f"\nafter: {read_load()}")
    print(f"{missed} targets missed" if missed else "every target held")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())

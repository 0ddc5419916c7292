"""How busy the machine is: attribution for a slow test, never an excuse."""

import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadReading:
    """One reading; a field is None where the platform has no such measure.

    `loadavg_1m` is the kernel's one-minute average, which lags a burst by about half a
    minute. The pressures are the share of the last ten seconds, in percent, in which some
    task waited for that resource (PSI, Documentation/accounting/psi.rst).
    """

    processors: int
    loadavg_1m: float | None
    cpu_pressure_percent: float | None
    memory_pressure_percent: float | None
    io_pressure_percent: float | None

    def __str__(self) -> str:
        load = "load unknown" if self.loadavg_1m is None else f"load {self.loadavg_1m:.1f}"
        text = f"{load} on {self.processors} processors"
        if self.cpu_pressure_percent is not None:
            text += f", cpu pressure {self.cpu_pressure_percent:.0f} %"
        return text


def read_load() -> LoadReading:
    """Read the machine's load now; never raises."""
    try:
        loadavg = os.getloadavg()[0]
    except (OSError, AttributeError):
        loadavg = None
    return LoadReading(
        processors=len(os.sched_getaffinity(0))
        if hasattr(os, "sched_getaffinity")
        else os.cpu_count() or 1,
        loadavg_1m=loadavg,
        cpu_pressure_percent=_pressure("cpu"),
        memory_pressure_percent=_pressure("memory"),
        io_pressure_percent=_pressure("io"),
    )


def _pressure(resource: str) -> float | None:
    try:
        text = Path("/proc/pressure", resource).read_text(encoding="ascii")
    except OSError:
        return None
    for line in text.splitlines():
        words = line.split()
        if words and words[0] == "some":
            fields = dict(word.split("=", 1) for word in words[1:])
            return float(fields["avg10"])
    return None

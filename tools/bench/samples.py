"""Numbers of one run side by side: medians, ranges and the ratio that a target is set for."""

import statistics
from dataclasses import dataclass, field


@dataclass(slots=True)
class Series:
    """Durations of one thing, in milliseconds."""

    name: str
    milliseconds: list[float] = field(default_factory=list)

    def add(self, seconds: float) -> None:
        """Take one measurement."""
        self.milliseconds.append(seconds * 1000)

    @property
    def median(self) -> float:
        """The median, in milliseconds."""
        return statistics.median(self.milliseconds)

    def __str__(self) -> str:
        low, high = min(self.milliseconds), max(self.milliseconds)
        return (
            f"{self.name}: {self.median:.1f} ms "
            f"[{low:.1f} to {high:.1f}, n={len(self.milliseconds)}]"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One measured value beside its target; `held` says whether it is met."""

    name: str
    value: float
    target: float
    unit: str

    @property
    def held(self) -> bool:
        """True when the value is not above its target."""
        return self.value <= self.target

    def __str__(self) -> str:
        verdict = "held" if self.held else "MISSED"
        return f"{verdict:6} {self.name}: {self.value:.2f} {self.unit} (at most {self.target:g})"

"""Whether a run is that of a CI, as the environment says."""

from collections.abc import Mapping


def in_ci(environment: Mapping[str, str]) -> bool:
    """Tell whether CI is set to anything but nothing, `0` and `false`."""
    return environment.get("CI", "").lower() not in ("", "0", "false")

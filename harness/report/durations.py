"""How long something took, as people say it."""


def spoken(seconds: float | None) -> str:
    """Return `0.3 s`, `12.3 s`, `2 min 05 s`, `1 h 02 min`; `unknown` for None."""
    if seconds is None:
        return "unknown"
    seconds = max(0.0, seconds)
    if round(seconds, 1) < 60:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    minutes = round(seconds / 60)
    return f"{minutes // 60} h {minutes % 60:02d} min"

"""Look at the live processes of a family: what they are and what they use."""

from dataclasses import dataclass

import psutil


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessSample:
    """One live process; `rss_bytes` counts shared pages too; None is what cannot be read."""

    pid: int
    parent: int
    name: str
    command: tuple[str, ...]
    status: str
    rss_bytes: int | None
    cpu_seconds: float | None

    @property
    def stopped(self) -> bool:
        """True when it is stopped (SIGSTOP), so that it will never answer or end."""
        return self.status == psutil.STATUS_STOPPED


def sample_descendants(root_pid: int) -> list[ProcessSample]:
    """Return every process below `root_pid` (not itself), zombies included, oldest first.

    A process that ends meanwhile is left out; a root that is gone has none.
    """
    try:
        children = psutil.Process(root_pid).children(recursive=True)
    except psutil.NoSuchProcess:
        return []
    samples = []
    for process in sorted(children, key=lambda child: (child.create_time(), child.pid)):
        try:
            samples.append(_sample(process))
        except psutil.NoSuchProcess:
            continue
    return samples


def _sample(process: psutil.Process) -> ProcessSample:
    # Facts of another user's process that are not ours to read come as None.
    facts = process.as_dict(
        ["ppid", "name", "cmdline", "status", "memory_info", "cpu_times"], ad_value=None
    )
    times, memory = facts["cpu_times"], facts["memory_info"]
    return ProcessSample(
        pid=process.pid,
        parent=facts["ppid"] or 0,
        name=facts["name"] or "",
        command=tuple(facts["cmdline"] or ()),
        status=facts["status"] or "",
        rss_bytes=memory.rss if memory else None,
        cpu_seconds=times.user + times.system if times else None,
    )

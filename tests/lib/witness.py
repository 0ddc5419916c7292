"""An independent witness: reads the kernel's process table by itself.

Shares no code with the harness, so that a mistake in the harness's own accounting cannot
hide a process from a test. Linux only. Field numbers are those of proc_pid_stat(5) and
the table layout of proc_net(5).
"""

import os
import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

PROC = "/proc"
COMMAND_LIMIT_CHARS = 400
_PAUSE_SECONDS = 0.003
_LISTEN_STATE = "0A"
_ESTABLISHED_STATE = "01"


class Identity(NamedTuple):
    """A process for good: pids are recycled, a pid with its start time is not."""

    pid: int
    start_ticks: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """One process as the kernel showed it; `state` "Z" is dead but not reaped."""

    pid: int
    ppid: int
    pgid: int
    sid: int
    state: str
    start_ticks: int
    command: str
    reasons: tuple[str, ...] = ()

    @property
    def identity(self) -> Identity:
        return Identity(self.pid, self.start_ticks)

    def __str__(self) -> str:
        return (
            f"pid {self.pid} ppid {self.ppid} pgid {self.pgid} sid {self.sid} {self.state} "
            f"[{'; '.join(self.reasons)}] {self.command}"
        )


class Gone(NamedTuple):
    """`survivors` is empty when everything was gone after `seconds`."""

    seconds: float
    survivors: list[Sighting]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stat:
    name: str
    state: str
    ppid: int
    pgid: int
    sid: int
    cpu_ticks: int
    threads: int
    start_ticks: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Criteria:
    tokens: tuple[bytes, ...]
    paths: tuple[bytes, ...]
    groups: frozenset[int]
    pids: frozenset[tuple[int, int]]
    ignore: frozenset[int] = field(default_factory=frozenset)


def find(
    *,
    tokens: Collection[str | bytes] = (),
    paths: Collection[str | os.PathLike[str]] = (),
    groups: Collection[int] = (),
    pids: Collection[tuple[int, int]] = (),
    ignore: Collection[int] = (),
) -> list[Sighting]:
    """Every process that meets one criterion, zombies included, ordered by pid.

    A token counts anywhere in the environment the process was started with, a path anywhere
    in its command line (substrings, so `/p/1` also finds `/p/10`), a group by process-group
    id, a pid together with its start time. The kernel forgets the environment and the
    command line of a zombie: only `groups` and `pids` find one.

    The calling process and the pids in `ignore` are left out. An environment that we may not
    read is no match. A process that ends meanwhile is skipped; every other error is raised.
    Raises ValueError when no criterion is given: an empty question proves nothing.
    """
    return _scan(_criteria(tokens, paths, groups, pids, ignore))


def wait_until_gone(
    deadline_seconds: float = 1.0,
    *,
    tokens: Collection[str | bytes] = (),
    paths: Collection[str | os.PathLike[str]] = (),
    groups: Collection[int] = (),
    pids: Collection[tuple[int, int]] = (),
    ignore: Collection[int] = (),
) -> Gone:
    """Scan until two scans in a row find nothing, or return the survivors at the deadline.

    Takes the criteria of `find`. `seconds` is the time until the first of the empty scans
    began, or the time at which the last survivors were seen. At least one scan is made.
    """
    criteria = _criteria(tokens, paths, groups, pids, ignore)
    start = time.monotonic()
    while True:
        began = time.monotonic()
        # A process may fork and end while the table is read: its child is in the next scan.
        found = _scan(criteria) or _scan(criteria)
        if not found:
            return Gone(began - start, [])
        seconds = time.monotonic() - start
        if seconds >= deadline_seconds:
            return Gone(seconds, found)
        time.sleep(_PAUSE_SECONDS)


def descendants(pid: int) -> list[Sighting]:
    """Children of `pid`, their children, and so on, parents before children; not `pid` itself.

    Zombies are included. A process whose parent ended is a child of its reaper, and is found
    only if that reaper is `pid` or one of its descendants.
    """
    children: dict[int, list[int]] = {}
    table: dict[int, _Stat] = {}
    for each in _pids():
        stat = _stat(each)
        if stat is not None:
            table[each] = stat
            children.setdefault(stat.ppid, []).append(each)
    found: list[Sighting] = []
    queue = list(children.get(pid, ()))
    for each in queue:
        queue.extend(children.get(each, ()))
        arguments = _contents(each, "cmdline")
        if arguments is not None:
            reason = (f"descends from {pid}",)
            found.append(_sighting(each, table[each], arguments, reason))
    return found


def identity(pid: int) -> Identity | None:
    """Who has this pid now, zombie or not; None when nobody does."""
    stat = _stat(pid)
    return None if stat is None else Identity(pid, stat.start_ticks)


def alive(who: tuple[int, int], *, count_zombies: bool = True) -> bool:
    """Whether this very process is in the table; a zombie counts unless told otherwise.

    A process whose first thread ended while others run has the state "Z" and is no zombie.
    """
    pid, start_ticks = who
    stat = _stat(pid)
    if stat is None or stat.start_ticks != start_ticks:
        return False
    return count_zombies or stat.state != "Z" or stat.threads > 1


def cpu_ticks(pid: int) -> int:
    """How long it has had a processor, in clock ticks; 0 when it is gone."""
    stat = _stat(pid)
    return 0 if stat is None else stat.cpu_ticks


def wake_ups(pid: int) -> int:
    """How often its main thread has waited for something and gone on; 0 when it is gone."""
    text = _contents(pid, "status") or b""
    found = [line for line in text.splitlines() if line.startswith(b"voluntary_ctxt_switches")]
    return int(found[0].split()[1]) if found else 0


def state(pid: int) -> str:
    """The kernel's letter for its main thread (proc(5)); empty when it is gone."""
    found = _stat(pid)
    return found.state if found else ""


def listening_ports() -> dict[int, set[int]]:
    """TCP ports that somebody listens on, IPv4 and IPv6, each with its socket inodes."""
    ports: dict[int, set[int]] = {}
    for row in _sockets():
        if row[3] == _LISTEN_STATE:
            ports.setdefault(_port(row[1]), set()).add(int(row[9]))
    return ports


def connected_ports() -> set[int]:
    """TCP ports that a client on this machine has an established connection to."""
    return {_port(row[2]) for row in _sockets() if row[3] == _ESTABLISHED_STATE}


def is_listening(port: int) -> bool:
    """Whether anybody listens on this TCP port, on any address."""
    return port in listening_ports()


def _sockets() -> Iterator[list[str]]:
    for table in ("tcp", "tcp6"):
        try:
            with open(f"{PROC}/self/net/{table}", encoding="ascii") as lines:
                yield from [line.split() for line in lines][1:]
        except FileNotFoundError:
            if table == "tcp":
                raise
            continue  # a kernel without IPv6 has no second table


def _port(address: str) -> int:
    return int(address.rpartition(":")[2], 16)


def _criteria(
    tokens: Collection[str | bytes],
    paths: Collection[str | os.PathLike[str]],
    groups: Collection[int],
    pids: Collection[tuple[int, int]],
    ignore: Collection[int],
) -> _Criteria:
    if isinstance(tokens, str | bytes) or isinstance(paths, str | bytes):
        raise TypeError("tokens and paths are collections, not one string")
    if not (tokens or paths or groups or pids):
        raise ValueError("no criterion: this would prove nothing")
    criteria = _Criteria(
        tokens=tuple(os.fsencode(token) for token in tokens),
        paths=tuple(os.fsencode(path) for path in paths),
        groups=frozenset(groups),
        pids=frozenset((pid, start_ticks) for pid, start_ticks in pids),
        ignore=frozenset(ignore) | {os.getpid()},
    )
    if b"" in criteria.tokens or b"" in criteria.paths or any(g <= 0 for g in criteria.groups):
        raise ValueError("an empty token or path, or a group below 1, would match strangers")
    return criteria


def _scan(criteria: _Criteria) -> list[Sighting]:
    sightings = (_examine(pid, criteria) for pid in _pids() if pid not in criteria.ignore)
    return [sighting for sighting in sightings if sighting is not None]


def _examine(pid: int, criteria: _Criteria) -> Sighting | None:
    before = _stat(pid)
    if before is None:
        return None
    arguments = _contents(pid, "cmdline")
    try:
        environment = _contents(pid, "environ") if criteria.tokens else b""
    except PermissionError:
        environment = b""
    if arguments is None or environment is None:
        return None
    after = _stat(pid)
    if after is None:
        return None
    if after.start_ticks != before.start_ticks:
        return _examine(pid, criteria)  # the pid changed hands while we read
    reasons = tuple(_reasons(pid, after, arguments, environment, criteria))
    return _sighting(pid, after, arguments, reasons) if reasons else None


def _reasons(
    pid: int, stat: _Stat, arguments: bytes, environment: bytes, criteria: _Criteria
) -> Iterator[str]:
    for token in criteria.tokens:
        if token in environment:
            yield f"token {os.fsdecode(token)} in its environment"
    for path in criteria.paths:
        if path in arguments:
            yield f"path {os.fsdecode(path)} in its command line"
    if stat.pgid in criteria.groups:
        yield f"in group {stat.pgid}"
    if (pid, stat.start_ticks) in criteria.pids:
        yield f"is pid {pid} started at tick {stat.start_ticks}"


def _sighting(pid: int, stat: _Stat, arguments: bytes, reasons: tuple[str, ...]) -> Sighting:
    words = os.fsdecode(arguments.rstrip(b"\0").replace(b"\0", b" "))
    return Sighting(
        pid=pid,
        ppid=stat.ppid,
        pgid=stat.pgid,
        sid=stat.sid,
        state=stat.state,
        start_ticks=stat.start_ticks,
        command=(words or f"[{stat.name}]")[:COMMAND_LIMIT_CHARS],
        reasons=reasons,
    )


def _pids() -> list[int]:
    return sorted(int(name) for name in os.listdir(PROC) if name.isdecimal())


def _stat(pid: int) -> _Stat | None:
    raw = _contents(pid, "stat")
    if not raw:
        return None
    # The name is in parentheses and may itself hold spaces and parentheses.
    head, _, tail = raw.rpartition(b")")
    fields = tail.split()
    state = fields[0].decode()
    if state in "Xx":  # reaped already, the entry is being taken down
        return None
    return _Stat(
        name=os.fsdecode(head.partition(b"(")[2]),
        state=state,
        ppid=int(fields[1]),
        pgid=int(fields[2]),
        sid=int(fields[3]),
        cpu_ticks=int(fields[11]) + int(fields[12]),
        threads=int(fields[17]),
        start_ticks=int(fields[19]),
    )


def _contents(pid: int, name: str) -> bytes | None:
    """None when the process is gone; any other error is the caller's to see."""
    try:
        with open(f"{PROC}/{pid}/{name}", "rb") as file:
            return file.read()
    except (FileNotFoundError, ProcessLookupError):
        return None

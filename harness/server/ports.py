"""Who listens on a port, from the kernel's own tables.

A port number proves nothing: between a start line and our connection it may have been closed
and taken by somebody else. A listening socket has an inode, and who holds it open is known.
"""

import ipaddress
import os
import socket
import sys
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

LOOPBACK = "127.0.0.1"
BACKLOG = 128
_LISTEN_STATE = "0A"
# Which listener a connection to 127.0.0.1 reaches: the most specific address (ip(7), ipv6(7)).
_REACHED_IN_ORDER = ((LOOPBACK, "::ffff:127.0.0.1"), ("0.0.0.0", "::ffff:0.0.0.0", "::"))
HAS_PROC = sys.platform == "linux"


@dataclass(frozen=True, slots=True, kw_only=True)
class Listener:
    """A listening TCP socket. Without `/proc`, `inode` holds the pid of its holder instead."""

    address: str
    port: int
    inode: int

    def __str__(self) -> str:
        return f"[{self.address}]:{self.port}" if ":" in self.address else self._plain()

    def _plain(self) -> str:
        return f"{self.address}:{self.port}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Holding:
    """What a family holds open. `unreadable` are members whose descriptors are private."""

    listeners: tuple[Listener, ...]
    unreadable: tuple[int, ...]


def bind_loopback() -> socket.socket:
    """Return a listening socket on a free port of 127.0.0.1: bound once and never given back."""
    return socket.create_server((LOOPBACK, 0), backlog=BACKLOG)


def parse_table(text: str) -> list[Listener]:
    """Return the listening rows of `/proc/net/tcp` or `/proc/net/tcp6` (proc_net(5))."""
    listeners = []
    for line in text.splitlines()[1:]:
        fields = line.split()
        if len(fields) > 9 and fields[3] == _LISTEN_STATE:
            address, _, port = fields[1].rpartition(":")
            listeners.append(
                Listener(address=_address(address), port=int(port, 16), inode=int(fields[9]))
            )
    return listeners


def all_listeners() -> list[Listener]:
    """Return every listening TCP socket of this network namespace; empty without `/proc`."""
    if not HAS_PROC:
        return []
    tables = [Path("/proc/self/net/tcp")]
    # A kernel without IPv6 has no second table.
    tables += [table for table in [Path("/proc/self/net/tcp6")] if table.exists()]
    return [row for table in tables for row in parse_table(table.read_text(encoding="ascii"))]


def reached(listeners: Iterable[Listener], port: int) -> list[Listener]:
    """Return those that a connection to 127.0.0.1:`port` may reach; several share the port."""
    there = [each for each in listeners if each.port == port]
    for addresses in _REACHED_IN_ORDER:
        if found := [each for each in there if each.address in addresses]:
            return found
    return []


def held_by(pids: Collection[int]) -> Holding:
    """Return the listening sockets that these processes hold open. Who ended holds none."""
    if not HAS_PROC:
        return _held_without_proc(pids)
    inodes: set[int] = set()
    unreadable = []
    for pid in pids:
        try:
            inodes.update(_socket_inodes(pid))
        except PermissionError:
            unreadable.append(pid)
    return Holding(
        listeners=tuple(each for each in all_listeners() if each.inode in inodes),
        unreadable=tuple(unreadable),
    )


def still_listening(listeners: Collection[Listener]) -> list[Listener]:
    """Return those of `listeners` whose very socket listens still, whoever has it now."""
    inodes = {each.inode for each in all_listeners()}
    return [each for each in listeners if each.inode in inodes]


def _socket_inodes(pid: int) -> set[int]:
    inodes = set()
    try:
        with os.scandir(f"/proc/{pid}/fd") as entries:
            for entry in entries:
                try:
                    target = os.readlink(entry.path)
                except FileNotFoundError:
                    continue
                if target.startswith("socket:["):
                    inodes.add(int(target[len("socket:[") : -1]))
    except (FileNotFoundError, ProcessLookupError):
        pass
    return inodes


def _held_without_proc(pids: Collection[int]) -> Holding:
    import psutil

    listeners = []
    unreadable = []
    for pid in pids:
        try:
            connections = psutil.Process(pid).net_connections(kind="tcp")
        except psutil.NoSuchProcess:
            continue
        except psutil.AccessDenied:
            unreadable.append(pid)
            continue
        listeners += [
            Listener(address=each.laddr.ip, port=each.laddr.port, inode=pid)
            for each in connections
            if each.status == psutil.CONN_LISTEN
        ]
    return Holding(listeners=tuple(listeners), unreadable=tuple(unreadable))


def _address(text: str) -> str:
    # The kernel prints each 32-bit word of the address as a number of its own byte order.
    words = bytes.fromhex(text)
    if sys.byteorder == "little":
        words = b"".join(words[at : at + 4][::-1] for at in range(0, len(words), 4))
    address = ipaddress.ip_address(words)
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return f"::ffff:{mapped}" if mapped is not None else str(address)

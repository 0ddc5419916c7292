"""The init process of a `Stage`: starts one owner, reaps every orphan, ends everything.

Runs as a process of its own, single-threaded, standard library only. Its own command line
and environment name neither the owner's token nor its paths, so that a search for these
never finds the stage. It speaks lines of JSON over the socket it inherits:

in    {"start": {"argv", "env", "cwd"}}, then {"signal": n} or {"signal_group": n}; end of
      file (or the death of the test process) means: end every descendant, then exit
out   started {pid, at} | failed {errno, why}; reaped {pid, status, at}; signalled {sent, at}

`at` is CLOCK_MONOTONIC in seconds, which all processes of a machine share.
"""

import ctypes
import json
import os
import select
import signal
import socket
import sys
import time
from collections.abc import Callable

from tests.lib import witness

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_RESCAN_SECONDS = 0.005
_EVERY_SIGNAL = signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}


def main() -> None:
    """Entry point of the process: arguments are the socket's descriptor and the parent's pid."""
    descriptor, parent_pid = int(sys.argv[1]), int(sys.argv[2])
    os.set_inheritable(descriptor, False)
    for ignored in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(ignored, signal.SIG_IGN)
    woken, wake = os.pipe()
    os.set_blocking(woken, False)
    os.set_blocking(wake, False)
    for awaited in (signal.SIGCHLD, signal.SIGTERM):
        signal.signal(awaited, lambda *_: None)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)
    _prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent_pid:
        return  # the parent died before the kernel was asked to tell us
    _Init(socket.socket(fileno=descriptor), woken, parent_pid).run()


class _Init:
    def __init__(self, control: socket.socket, woken: int, parent_pid: int) -> None:
        control.setblocking(False)
        self.control = control
        self.woken = woken
        self.parent_pid = parent_pid
        self.inbox = b""
        self.outbox = b""
        self.owner = 0
        self.owner_reaped = False

    def run(self) -> None:
        """Serve until the test is done or dead; no descendant is left on return."""
        try:
            while self._serve():
                self._reap()
        finally:
            self._sweep()
            self._flush()

    def _serve(self) -> bool:
        watched: list[socket.socket | int] = [self.control, self.woken]
        writable = [self.control] if self.outbox else []
        readable, _, _ = select.select(watched, writable, [])
        self._drain_wakeups()
        self._send()
        if os.getppid() != self.parent_pid:
            return False
        return self._receive() if self.control in readable else True

    def _drain_wakeups(self) -> None:
        try:
            while os.read(self.woken, 4096):
                pass
        except BlockingIOError:
            pass

    def _receive(self) -> bool:
        try:
            data = self.control.recv(1 << 16)
        except BlockingIOError:
            return True
        except ConnectionError:
            return False
        self.inbox += data
        while b"\n" in self.inbox:
            line, _, self.inbox = self.inbox.partition(b"\n")
            self._obey(json.loads(line))
        return bool(data)

    def _obey(self, command: dict[str, object]) -> None:
        match command:
            case {"start": {"argv": list(argv), "env": dict(env), "cwd": str(cwd)}}:
                self._start(argv, env, cwd)
            case {"signal": int(number)}:
                # Nobody else reaps, so an owner that is not reaped still has its pid.
                self._signal(os.kill, number, possible=not self.owner_reaped)
            case {"signal_group": int(number)}:
                # A group id is not given away while a member lives, leader or not.
                members = [] if not self.owner_reaped else witness.find(groups=[self.owner])
                there = not self.owner_reaped or any(m.sid == self.owner for m in members)
                self._signal(os.killpg, number, possible=there)
            case _:
                raise ValueError(f"unknown command {command!r}")

    def _start(self, argv: list[str], env: dict[str, str], cwd: str) -> None:
        try:
            os.chdir(cwd)
            self.owner = os.posix_spawn(
                argv[0], argv, env, setsid=True, setsigdef=_EVERY_SIGNAL, setsigmask=()
            )
        except OSError as error:
            self._report(failed={"errno": error.errno, "why": str(error)})
        else:
            self._report(started={"pid": self.owner, "at": time.monotonic()})

    def _signal(self, send: Callable[[int, int], None], number: int, *, possible: bool) -> None:
        at = time.monotonic()
        try:
            if possible:
                send(self.owner, number)
        except ProcessLookupError:
            possible = False
        self._report(signalled={"sent": possible, "at": at})

    def _reap(self) -> bool:
        """Reap whatever has ended; False when the kernel says that no child is left."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return False
            if pid == 0:
                return True
            at = time.monotonic()
            self.owner_reaped = self.owner_reaped or pid == self.owner
            code = os.waitstatus_to_exitcode(status)
            self._report(reaped={"pid": pid, "status": code, "at": at})

    def _sweep(self) -> None:
        """End every descendant; on return `waitpid` said that there is none."""
        while True:
            for sighting in witness.descendants(os.getpid()):
                _kill(sighting.identity)
            if not self._reap():
                return
            # A process may fork while the table is read, so a death is no reason to stop.
            select.select([self.woken], [], [], _RESCAN_SECONDS)
            self._drain_wakeups()

    def _report(self, **event: dict[str, object]) -> None:
        self.outbox += json.dumps(event).encode() + b"\n"
        self._send()

    def _send(self) -> None:
        # A test that does not listen must not hold up the reaping: what does not fit waits.
        try:
            while self.outbox:
                self.outbox = self.outbox[self.control.send(self.outbox) :]
        except BlockingIOError:
            pass
        except ConnectionError:
            self.outbox = b""

    def _flush(self) -> None:
        while self.outbox and os.getppid() == self.parent_pid:
            select.select([self.woken], [self.control], [])
            self._drain_wakeups()
            self._send()


def _kill(who: witness.Identity) -> None:
    try:
        handle = os.pidfd_open(who.pid)
    except ProcessLookupError:
        return
    try:
        # Asked after the handle is open: now the pid cannot change hands unnoticed.
        if witness.alive(who):
            signal.pidfd_send_signal(handle, signal.SIGKILL)
    except ProcessLookupError:
        pass
    finally:
        os.close(handle)


def _prctl(option: int, value: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(option, ctypes.c_ulong(value), 0, 0, 0) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"prctl({option}): {os.strerror(number)}")

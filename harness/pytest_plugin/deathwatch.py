"""Unblocks a Playwright call that a browser's death has left without an answer.

Playwright rejects most calls when its connection ends, but not all: a page that was just being
created is waited for for ever. The watch sits in a thread of its own and sleeps until the
kernel says that a browser has ended.
"""

import contextlib
import os
import select
import threading
import time
from dataclasses import dataclass

import greenlet
from playwright.sync_api import Browser

from harness.browser.chromium import Chromium
from harness.errors import BrowserGone

# Playwright's own answer, where there is one, comes within milliseconds.
GRACE_SECONDS = 1.0
# A callback that ran later than this found the loop idle when it was asked for: nobody waited.
_PROMPT_SECONDS = 0.5


@dataclass(slots=True)
class _Watched:
    browser: Browser
    chromium: Chromium
    handle: int
    due: float | None = None


class DeathWatch:
    """Watches owned browsers; raises BrowserGone in a call that hangs on a dead one.

    It does so only while every watched browser is dead: a call that waits for a living one is
    never touched. Does nothing where the platform has no pidfd.
    """

    def __init__(self) -> None:
        self._watched: list[_Watched] = []
        self._lock = threading.Lock()
        self._wake_read, self._wake_write = -1, -1

    def watch(self, browser: Browser, chromium: Chromium) -> None:
        """Watch one browser from now on."""
        try:
            handle = os.pidfd_open(chromium.pid)
        except (OSError, AttributeError):
            return
        with self._lock:
            self._watched.append(_Watched(browser, chromium, handle))
            if self._wake_read < 0:
                self._wake_read, self._wake_write = os.pipe()
                threading.Thread(
                    target=self._run, name="lanewright-deathwatch", daemon=True
                ).start()
        os.write(self._wake_write, b"w")

    def forget(self, chromium: Chromium) -> None:
        """Watch it no longer: its end is being taken care of."""
        with self._lock:
            found = [one for one in self._watched if one.chromium is chromium]
            self._watched = [one for one in self._watched if one.chromium is not chromium]
        for one in found:
            os.close(one.handle)
        if found:
            os.write(self._wake_write, b"f")

    def stop(self) -> None:
        """End the thread, when nothing is left to watch."""
        with self._lock:
            if self._wake_write >= 0 and not self._watched:
                os.close(self._wake_write)
                self._wake_read, self._wake_write = -1, -1

    def _run(self) -> None:
        wake = self._wake_read
        while True:
            poller = select.poll()
            poller.register(wake, select.POLLIN)
            with self._lock:
                for one in self._watched:
                    if one.due is None:
                        poller.register(one.handle, select.POLLIN)
                dues = [one.due for one in self._watched if one.due is not None]
            left = max(0.0, min(dues) - time.monotonic()) * 1000 if dues else None
            ready = dict(poller.poll(left))
            if wake in ready and not os.read(wake, 512):
                os.close(wake)
                return
            self._advance(ready)

    def _advance(self, ready: dict[int, int]) -> None:
        now = time.monotonic()
        with self._lock:
            for one in self._watched:
                if one.due is None and one.handle in ready:
                    one.due = now + GRACE_SECONDS
                elif one.due is not None and one.due <= now:
                    one.due = now + GRACE_SECONDS
                    if all(other.due is not None for other in self._watched):
                        self._ask(one, now)

    def _ask(self, one: _Watched, asked: float) -> None:
        # A loop that is closed has nobody waiting in it.
        with contextlib.suppress(RuntimeError):
            one.browser._loop.call_soon_threadsafe(self._unblock, one.chromium, asked)

    def _unblock(self, chromium: Chromium, asked: float) -> None:
        """Runs in Playwright's dispatcher greenlet, while its parent waits in a call."""
        waiting = greenlet.getcurrent().parent
        if waiting is None or time.monotonic() - asked > _PROMPT_SECONDS:
            return
        how = chromium.died() or "is gone"
        waiting.throw(
            BrowserGone(
                f"Chromium (pid {chromium.pid}) {how}, and Playwright left this call without an "
                "answer"
            )
        )

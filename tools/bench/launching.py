"""Spawn to a connected Browser, and to a family proven gone, beside Playwright's own."""

import os
import select
import signal
import time
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import sync_playwright

from harness.browser.binary import find
from harness.browser.connect import connect
from harness.browser.launch import launch
from harness.process import lifeline, scratch
from harness.process.client import Family
from harness.process.spec import FamilySpec
from tools.bench.samples import Finding, Series

ROUNDS = 15
CYCLES = 50
WARM_UP_ROUNDS = 2


def measure(rounds: int = ROUNDS) -> Iterator[Series | Finding]:
    """Alternate both kinds of start in one process; yield every series, then the ratios."""
    theirs, ours = Series("playwright.chromium.launch()"), Series("launch() + connect()")
    cold = Series("the same without a warden that waits, as a script has it")
    warden, endpoint, joined = (
        Series("warden start, where none waits"),
        Series("  of which spawn to endpoint"),
        Series("  of which connect"),
    )
    their_close, our_close = Series("Playwright's close"), Series("close until proven gone")
    stopped = Series("close of a stopped browser until proven gone")
    memory: list[float] = []
    path = str(find().path)
    with sync_playwright() as playwright:
        for number in range(rounds + WARM_UP_ROUNDS):
            kept = number >= WARM_UP_ROUNDS
            _settle()
            began = time.perf_counter()
            browser = playwright.chromium.launch(executable_path=path)
            connected = time.perf_counter()
            browser.new_page().goto("about:blank")
            closing = time.perf_counter()
            browser.close()
            closed = time.perf_counter()
            if kept:
                theirs.add(connected - began)
                their_close.add(closed - closing)

            _settle()
            began = time.perf_counter()
            chromium = launch()
            browser = connect(playwright.chromium, chromium)
            if kept:
                cold.add(time.perf_counter() - began)
            browser.close()
            chromium.close()

            # What the plugin does once a session's tests are collected.
            lifeline.prepare()
            _settle()
            began = time.perf_counter()
            chromium = launch()
            spawned = time.perf_counter()
            browser = connect(playwright.chromium, chromium)
            connected = time.perf_counter()
            browser.new_page().goto("about:blank")
            memory.append(_resident_mebibytes(chromium.warden_pid))
            closing = time.perf_counter()
            browser.close()
            chromium.close()
            closed = time.perf_counter()
            if kept:
                ours.add(connected - began)
                endpoint.add(spawned - began)
                joined.add(connected - spawned)
                our_close.add(closed - closing)

            _settle()
            began = time.perf_counter()
            family = Family(FamilySpec(label="nothing", command=["/bin/sleep", "60"]))
            if kept:
                warden.add(time.perf_counter() - began)
            family.end()

            chromium = launch()
            os.kill(chromium.pid, signal.SIGSTOP)
            closing = time.perf_counter()
            chromium.close()
            if kept:
                stopped.add(time.perf_counter() - closing)
    yield from (theirs, ours, endpoint, joined, cold, warden, their_close, our_close, stopped)
    yield Finding(
        name="spawn to connected, ours over Playwright's",
        value=ours.median / theirs.median,
        target=1.1,
        unit="times",
    )
    yield Finding(
        name="family proven gone over Playwright's close",
        value=our_close.median / their_close.median,
        target=1.5,
        unit="times",
    )
    yield Finding(name="stopped browser proven gone", value=stopped.median, target=100, unit="ms")
    yield Finding(name="warden memory (RSS)", value=max(memory), target=15, unit="MiB")


def _settle() -> None:
    """Let what the last measurement left to be done, be done, so that no turn pays for another."""
    select.poll().poll(200)


def measure_cycles(cycles: int = CYCLES) -> Iterator[Finding]:
    """Launch and kill again and again; yield what there is more of than before."""
    for _ in range(WARM_UP_ROUNDS):
        launch().close()
    before = _belongings()
    for number in range(cycles):
        chromium = launch()
        if number % 2:
            os.kill(chromium.pid, signal.SIGKILL)
        chromium.close()
    after = _belongings()
    for name, count in after.items():
        yield Finding(
            name=f"{name} more after {cycles} launch-and-kill cycles",
            value=count - before[name],
            target=0,
            unit="",
        )


def _belongings() -> dict[str, int]:
    root = Path(scratch.root())
    return {
        "descriptors": len(os.listdir("/proc/self/fd")),
        "threads": len(os.listdir("/proc/self/task")),
        "child processes": len(Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()),
        "scratch directories": len(list(root.glob("[!.]*"))),
    }


def _resident_mebibytes(pid: int) -> float:
    for line in Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise ValueError(f"pid {pid} has no resident memory")

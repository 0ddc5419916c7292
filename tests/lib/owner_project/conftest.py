"""What the owner's suite lives with: a Chromium with three tabs, a server, an escapee."""

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from harness.server.serving import serve as start_server

STATE = Path(os.environ["OWNER_STATE"])
SCENARIO = os.environ["OWNER_SCENARIO"]
SERVER = json.loads(os.environ["OWNER_SERVER"])


def write_state(**facts):
    """Publish what the witness is to look for, in one step."""
    draft = STATE.with_suffix(".draft")
    draft.write_text(json.dumps(facts))
    draft.replace(STATE)


@pytest.fixture
def household(page, context, chromium, serve):
    """Bring everything to life and publish who it is."""
    server = serve(SERVER)
    for tab in (page, context.new_page(), context.new_page()):
        tab.goto(server.url)
    escapee = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"],
                               start_new_session=True)  # fmt: skip
    write_state(
        token=os.environ["HARNESS_RUN_TOKEN"],
        scratches=[str(chromium.scratch)],
        groups=[chromium.process_group, server.pid, escapee.pid],
        pids=[chromium.pid, chromium.warden_pid, server.pid, escapee.pid,
              *(process.pid for process in chromium.processes())],
        chromium=chromium.pid,
        port=server.port,
    )  # fmt: skip
    yield page
    escapee.returncode = 0
    if SCENARIO == "stuck teardown":
        signal.pause()


@pytest.fixture
def broken(household):
    """Fail once everything is alive."""
    raise RuntimeError("the fixture is broken on purpose")


def pytest_sessionstart(session):
    """In one scenario a server is still starting when the session has nothing to run."""
    if SCENARIO != "zero match":
        return
    started = threading.Event()

    def start():
        with start_server(SERVER) as server:
            write_state(
                token=os.environ["HARNESS_RUN_TOKEN"], scratches=[], groups=[server.pid],
                pids=[server.pid], port=server.port,
            )  # fmt: skip
            started.set()
            threading.Event().wait()

    threading.Thread(target=start, daemon=True).start()
    assert started.wait(30)

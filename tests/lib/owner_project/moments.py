"""What every owner here does, whoever it is: publish, wait in a page, end when it is told to.

The scenario comes by environment: OWNER_STATE and OWNER_TRIGGER are the words of the matrix.
"""

import contextlib
import ctypes
import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

FOLDER = Path(os.environ["OWNER_FOLDER"])
STATE = os.environ.get("OWNER_STATE", "")
TRIGGER = os.environ.get("OWNER_TRIGGER", "")
SERVER = json.loads(os.environ["OWNER_SERVER"])
EXIT_CODE = 23
LIFETIME_SECONDS = 300
FORKED: list[int] = []

# An orphan in a session of its own, which says who it is.
_DAEMON = f"""
import os, signal
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        print(os.getpid(), flush=True)
        os.close(1)
        signal.alarm({LIFETIME_SECONDS})
        signal.pause()
"""
_SLEEPER = f"import signal; signal.alarm({LIFETIME_SECONDS}); signal.pause()"


def publish(name, **facts):
    """Publish what the judge is to know, in one step."""
    draft = FOLDER / f"{name}.draft"
    draft.write_text(json.dumps(facts))
    draft.replace(FOLDER / f"{name}.json")


def when_told(number, end):
    """Call `end` on a thread of its own, once the judge has written to this household's pipe."""

    def wait():
        with open(FOLDER / f"go-{number}", "rb") as pipe:
            pipe.read()
        end()

    os.mkfifo(FOLDER / f"go-{number}")
    threading.Thread(target=wait, daemon=True).start()


def exit_when_told(number):
    """In rows with this trigger: end this process without any clean-up."""
    if TRIGGER == "os._exit":
        when_told(number, lambda: os._exit(EXIT_CODE))


def wait_in_page(number, page, chromium):
    """Wait in a Playwright call for ever, and publish it from inside of that call."""
    facts = {
        "chromium": chromium.pid,
        "warden": chromium.warden_pid,
        "port": int(chromium.http_url.rpartition(":")[2]),
        "escapees": [],
        "forked": [],
    }
    if STATE == "forked children hold on":
        facts["forked"] = fork_holders()
    if STATE == "escapees of the test":
        facts["escapees"] = leave_escapees()
    page.expose_function("published", lambda: publish(f"waiting-{number}", **facts))
    then = "while (true) {}" if STATE == "renderer hung" else "return new Promise(() => {})"
    page.evaluate(f"published().then(() => {{ {then} }})")


def fork_holders():
    """Fork a child that Python's hooks see, and one that holds whatever this process holds."""
    libc = ctypes.PyDLL(None)
    children = []
    for fork in (os.fork, libc.fork):
        pid = fork()
        if pid == 0:
            try:
                signal.alarm(LIFETIME_SECONDS)
                while True:
                    signal.pause()
            finally:
                os._exit(1)
        children.append(pid)
    FORKED.extend(children)
    return children


@contextlib.contextmanager
def forks_ended():
    """On leaving, end what was forked in here: Playwright's driver waits for all who hold it."""
    try:
        yield
    finally:
        for pid in FORKED:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def leave_escapees():
    """Start a child and an orphan that lead sessions of their own; both inherit our token."""
    child = subprocess.Popen([sys.executable, "-c", _SLEEPER], start_new_session=True)
    child.returncode = 0  # nobody here waits for it, and nobody is warned of that
    orphan = subprocess.run([sys.executable, "-c", _DAEMON], stdout=subprocess.PIPE, check=True)
    return [child.pid, int(orphan.stdout)]

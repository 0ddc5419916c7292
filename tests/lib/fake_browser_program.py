"""What the fake browsers do once they run; `fake_browsers` says what each one promises."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import NoReturn

LIFETIME_SECONDS = 300
_BROWSER_PATH = "/devtools/browser/11111111-2222-3333-4444-555555555555"
_NEARLY = (
    b"DevTools listening on nothing at all",
    b"devtools listening on ws://127.0.0.1:notaport/devtools/browser/x",
    b"DevTools listening on ws://",
    b"\xff\xfe\x80 no UTF-8 \xc3\x28",
    b"\x1b[31mred\x1b[0m \x1b]0;title\x07 \0 NUL",
)


def exits_with(code: int, words: str) -> NoReturn:
    _say(f"{words}\n".encode())
    raise SystemExit(code)


def prints_nothing_and_hangs() -> NoReturn:
    _hang()


def prints_garbage() -> NoReturn:
    lines = (_NEARLY[n] if n < len(_NEARLY) else b"garbage %d" % n for n in range(200))
    _say(b"\n".join(lines) + b"\n")
    _hang()


def not_executable() -> NoReturn:
    _hang()


def announces_but_never_writes_port_file() -> NoReturn:
    with _bound() as held:
        held.listen()
        _announce(held)
        _hang()


def port_file_disagrees() -> NoReturn:
    with _bound() as announced, _bound() as written:
        announced.listen()
        written.listen()
        _write_port_file(written)
        _announce(announced)
        _hang()


def never_opens_its_port() -> NoReturn:
    with _bound() as held:
        _write_port_file(held)
        _announce(held)
        _hang()


def accepts_and_hangs_up() -> NoReturn:
    signal.alarm(LIFETIME_SECONDS)
    with _bound() as held:
        held.listen()
        _write_port_file(held)
        _announce(held)
        while True:
            held.accept()[0].close()


def forks_and_hangs() -> NoReturn:
    left, leaving = os.pipe()
    if os.fork() == 0:
        os.setsid()
        note = Path(f"{sys.argv[0]}.child")
        draft = note.with_suffix(".draft")
        draft.write_text(str(os.getpid()), encoding="ascii")
        draft.replace(note)
        signal.alarm(LIFETIME_SECONDS)  # outlives the exec
        program = "import signal; signal.pause()"
        os.execv(sys.executable, [sys.executable, "-IS", "-c", program])
    # The exec closes the other end: from then on the child's command line is its own.
    os.close(leaving)
    os.read(left, 1)
    _hang()


def ignores_sigterm() -> NoReturn:
    for polite in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(polite, signal.SIG_IGN)
    _say(b"ignoring polite signals\n")
    _hang()


def floods_stderr() -> NoReturn:
    _say(b"".join(b"%015d\n" % n for n in range((1 << 20) // 16)))
    raise SystemExit(1)


def accepts_but_never_answers() -> NoReturn:
    with _bound() as held:
        held.listen()
        threading.Thread(target=_accept_all, args=[held], daemon=True).start()
        _write_port_file(held)
        _announce(held)
        _hang()


def _accept_all(held: socket.socket) -> None:
    while True:
        connection, _ = held.accept()
        threading.Thread(target=_note_a_question, args=[connection], daemon=True).start()


def _note_a_question(connection: socket.socket) -> None:
    if connection.recv(1):
        Path(f"{sys.argv[0]}.asked-{os.getpid()}").touch()
        threading.Event().wait()


def stops_once_announced(browser: str) -> NoReturn:
    signal.alarm(LIFETIME_SECONDS)
    # The debugging pipe (3 and 4) is the browser's; -IS leaves nothing else open.
    with subprocess.Popen(
        [browser, *sys.argv[1:]], stderr=subprocess.PIPE, pass_fds=_open_descriptors(3, 4)
    ) as child:
        assert child.stderr is not None
        for line in child.stderr:
            if line.startswith(b"DevTools listening on ws://"):
                _await_port_file()
                child.send_signal(signal.SIGSTOP)
            _say(line)
    raise SystemExit(child.returncode)


def _open_descriptors(*numbers: int) -> list[int]:
    return [number for number in numbers if Path(f"/proc/self/fd/{number}").exists()]


def _await_port_file() -> None:
    path = _profile() / "DevToolsActivePort"
    while not (path.exists() and path.read_bytes().count(b"\n") == 1):
        time.sleep(0.001)


def leaves_an_escapee(browser: str) -> NoReturn:
    middle = os.fork()
    if middle == 0:
        os.setsid()
        if os.fork() == 0:
            signal.alarm(LIFETIME_SECONDS)
            sleep = [sys.executable, "-IS", "-c", "import signal; signal.pause()"]
            os.execv(sys.executable, sleep)
        os._exit(0)
    os.waitpid(middle, 0)
    os.execv(browser, [browser, *sys.argv[1:]])


def _profile() -> Path:
    prefix = "--user-data-dir="
    for switch in reversed(sys.argv[1:]):
        if switch.startswith(prefix):
            return Path(switch.removeprefix(prefix))
    _say(b"fake browser: no --user-data-dir\n")
    raise SystemExit(64)


def _bound() -> socket.socket:
    bound = socket.socket()
    bound.bind(("127.0.0.1", 0))
    return bound


def _announce(bound: socket.socket) -> None:
    port = bound.getsockname()[1]
    _say(f"\nDevTools listening on ws://127.0.0.1:{port}{_BROWSER_PATH}\n".encode())


def _write_port_file(bound: socket.socket) -> None:
    profile = _profile()
    profile.mkdir(parents=True, exist_ok=True)
    text = f"{bound.getsockname()[1]}\n{_BROWSER_PATH}"
    (profile / "DevToolsActivePort").write_text(text, encoding="ascii")


def _say(words: bytes) -> None:
    sys.stderr.buffer.write(words)
    sys.stderr.buffer.flush()


def _hang() -> NoReturn:
    signal.alarm(LIFETIME_SECONDS)
    while True:
        signal.pause()

"""A command that serves is owned until it is proven gone, however it behaves."""

import json
import os
import socket
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from harness.errors import PreconditionError, StartError, UsageError
from harness.process.ownership import live_families
from harness.server.handle import Server
from harness.server.serving import serve
from tests.lib import fake_servers, witness
from tests.lib.events import wait_until
from tests.lib.http import fetch

pytestmark = pytest.mark.usefixtures("scratch_root")

# Prints its environment, arguments and folder as its only answer.
MIRROR = """
import http.server, json, os, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = json.dumps([dict(os.environ), sys.argv[1:], os.getcwd()]).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_):
        pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler)
print(f"listening at port {server.server_port}")
server.serve_forever()
"""
MIRROR_LINE = r"listening at port (?P<port>\d+)"

# Each answer comes after eight mebibytes on standard output.
TALKS = """
import http.server, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        for _ in range(8):
            sys.stdout.write("talk" * (1 << 18) + "\\n")
        sys.stdout.flush()
        self.send_response(200)
        self.send_header("Content-Length", "4")
        self.end_headers()
        self.wfile.write(b"done")
    def log_message(self, *_):
        pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(f"http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
"""


@contextmanager
def gone_afterwards(scratch_root: Path) -> Iterator[Callable[[Server], None]]:
    """Note servers in the block; after it, no process, port or scratch of theirs is left."""
    noted: list[tuple[Server, list[tuple[int, int]]]] = []

    def note(server: Server) -> None:
        identities = [witness.identity(each.pid) for each in server.processes()]
        noted.append((server, [each for each in identities if each is not None]))

    yield note
    for server, identities in noted:
        assert identities
        assert witness.find(pids=identities, tokens=[server.nonce]) == []
        assert not witness.is_listening(server.port)
    assert list(scratch_root.glob("[!.]*")) == []


def servers() -> list[str]:
    # A guard leads nothing, and this very run may have one.
    return [family.spec.label for family in live_families() if family.leader is not None]


def nothing_left(scratch_root: Path) -> bool:
    return servers() == [] and list(scratch_root.glob("[!.]*")) == []


@pytest.mark.parametrize(
    "command",
    [
        fake_servers.ok_server(),
        fake_servers.forks_and_exits(),
        fake_servers.grandchild_holds_port(),
        fake_servers.floods_output(16),
    ],
    ids=lambda command: command[3],
)
def test_it_answers_and_is_gone_afterwards(command: list[str], scratch_root: Path) -> None:
    with gone_afterwards(scratch_root) as note, serve(command) as server:
        note(server)
        assert server.url == f"http://127.0.0.1:{server.port}"
        reply = fetch(server.port)
        assert (reply.status, reply.body.decode()) == (200, fake_servers.BODY)
        assert reply.headers["x-harness-nonce"] == server.nonce
        assert server.died() is None
        assert f"serving on {server.url}/" in server.output()


def test_a_server_whose_output_nobody_reads_goes_on_answering() -> None:
    with serve([sys.executable, "-c", TALKS], start_seconds=60) as server:
        answers = [fetch(server.port).body for _ in range(3)]
        assert answers == [b"done"] * 3
        assert len(server.output()) < 400_000


def test_the_handle_names_the_process_that_was_started() -> None:
    with serve(fake_servers.ok_server()) as server:
        assert [each.pid for each in server.processes()] == [server.pid]
    assert server.processes() == []


def test_a_server_deaf_to_polite_signals_ends_after_its_grace(scratch_root: Path) -> None:
    with gone_afterwards(scratch_root) as note:
        server = serve(fake_servers.ignores_sigterm(), grace_seconds=0.3)
        note(server)
        began = time.monotonic()
        report = server.close()
        assert 0.3 <= time.monotonic() - began < 5
        assert report is not None
        assert report.leader_status == 9


def test_a_polite_server_does_not_wait_for_the_grace() -> None:
    server = serve(fake_servers.ok_server(), grace_seconds=60)
    began = time.monotonic()
    report = server.close()
    assert time.monotonic() - began < 30
    assert report is not None
    assert report.leader_status == 15


def test_closing_twice_is_harmless() -> None:
    server = serve(fake_servers.ok_server())
    first = server.close()
    assert server.close() is first


def test_a_daemon_is_alive_as_long_as_its_child_serves() -> None:
    with serve(fake_servers.forks_and_exits()) as server:
        wait_until(lambda: server.pid not in [p.pid for p in server.processes()], 20, "the leader")
        assert server.died() is None


def test_a_death_is_told_with_its_signal() -> None:
    with serve(fake_servers.ok_server()) as server:
        assert server.died() is None
        os.kill(server.pid or 0, 9)
        assert wait_until(server.died, 20, "its death") == "killed by signal 9 (SIGKILL)"


# -- a start that fails ---------------------------------------------------------------------


def test_a_server_that_dies_is_quoted_at_once(scratch_root: Path) -> None:
    began = time.monotonic()
    with pytest.raises(StartError) as failed:
        serve(fake_servers.dies_at_once(3, "no database here"), start_seconds=300)
    assert time.monotonic() - began < 60
    assert "it exited with 3 before it was ready" in str(failed.value)
    assert "no database here" in str(failed.value)
    assert nothing_left(scratch_root)


def test_a_server_that_dies_well_was_not_ready_either() -> None:
    with pytest.raises(StartError, match="it exited with 0 before it was ready"):
        serve([sys.executable, "-c", "print('at http://127.0.0.1:1/')"], start_seconds=300)


def test_a_server_without_a_word_is_given_up_at_its_bound(scratch_root: Path) -> None:
    began = time.monotonic()
    with pytest.raises(StartError) as failed:
        serve(fake_servers.never_ready(), start_seconds=0.5, label="the silent one")
    assert 0.5 <= time.monotonic() - began < 20
    message = str(failed.value)
    assert "the silent one was not ready after" in message
    assert (
        "(its bound is 0.5 s: start_seconds): it printed no start line that names its port"
        in message
    )
    assert "never_ready" in message
    assert "It printed nothing." in message
    assert nothing_left(scratch_root)


def test_a_server_that_does_not_say_where_is_told_to() -> None:
    with pytest.raises(StartError, match=r"It does listen on 127\.0\.0\.1:\d+: print http"):
        serve(fake_servers.ok_server(start_line=False), start_seconds=2)


def test_a_closed_port_is_an_error_with_the_servers_words(scratch_root: Path) -> None:
    with pytest.raises(StartError) as failed:
        serve(fake_servers.prints_port_then_closes_it(), start_seconds=1)
    assert "nothing listens on port" in str(failed.value)
    assert "closed" in str(failed.value)
    assert nothing_left(scratch_root)


def test_another_nonce_is_another_server(scratch_root: Path) -> None:
    began = time.monotonic()
    with pytest.raises(StartError) as failed:
        serve(fake_servers.answers_wrong_nonce(), start_seconds=300)
    assert time.monotonic() - began < 60
    assert "another server answers on port" in str(failed.value)
    assert fake_servers.WRONG_NONCE in str(failed.value)
    assert nothing_left(scratch_root)


def test_a_port_of_somebody_elses_is_not_believed(scratch_root: Path) -> None:
    stranger = [sys.executable, "-c", MIRROR]
    liar = "import time; print('at http://127.0.0.1:{}/'); time.sleep(300)"
    with serve(stranger, start_line=MIRROR_LINE) as other:
        with pytest.raises(StartError) as failed:
            serve([sys.executable, "-c", liar.format(other.port)], start_seconds=300)
        assert f"port {other.port} belongs to somebody else" in str(failed.value)
        assert fetch(other.port).status == 200
    assert nothing_left(scratch_root)


def test_a_program_that_is_not_there_is_named() -> None:
    with pytest.raises(StartError, match=r"No such file or directory: 'no-such-program'"):
        serve(["no-such-program"])


def test_a_fault_of_the_server_is_not_readiness() -> None:
    broken = MIRROR.replace("send_response(200)", "send_response(503)")
    with pytest.raises(StartError, match="it answered GET /health with status 503"):
        serve(
            [sys.executable, "-c", broken],
            start_line=MIRROR_LINE,
            ready="/health",
            start_seconds=1,
        )


@pytest.mark.parametrize(
    "options",
    [
        {"ready": "health"},
        {"start_seconds": 0},
        {"start_seconds": float("nan")},
        {"grace_seconds": -1},
        {"start_line": "no group"},
        {"environment": {"PORT": 1}},
        {"inherit": "HOME"},
        {"inherit_socket": True, "start_line": MIRROR_LINE},
    ],
    ids=str,
)
def test_a_call_that_cannot_be_meant_starts_nothing(options: dict) -> None:
    with pytest.raises(UsageError):
        serve(fake_servers.ok_server(), **options)
    assert servers() == []


def test_a_folder_that_is_not_there_is_a_precondition() -> None:
    with pytest.raises(PreconditionError, match="directory /absent does not exist"):
        serve(fake_servers.ok_server(), directory="/absent")


# -- what it is given -----------------------------------------------------------------------


def mirrored(server: Server) -> tuple[dict[str, str], list[str], str]:
    environment, arguments, folder = json.loads(fetch(server.port).body)
    return environment, arguments, folder


def test_the_shell_does_not_leak_and_what_is_named_arrives(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, scratch_root: Path
) -> None:
    monkeypatch.setenv("SECRET", "s")
    monkeypatch.setenv("NAMED", "n")
    with serve(
        [sys.executable, "-c", MIRROR, "one"],
        start_line=MIRROR_LINE,
        inherit=["NAMED"],
        environment={"GIVEN": "g"},
        directory=tmp_path,
        private_home=True,
    ) as server:
        environment, arguments, folder = mirrored(server)
    assert "SECRET" not in environment
    assert (environment["NAMED"], environment["GIVEN"]) == ("n", "g")
    assert environment["PATH"] == os.environ["PATH"]
    assert environment["HARNESS_NONCE"] == server.nonce
    assert environment["PORT"] == "0"
    assert Path(environment["TMPDIR"]).parent.parent == scratch_root
    assert Path(environment["HOME"]).parent.parent == scratch_root
    assert (arguments, folder) == (["one"], str(tmp_path))


def test_an_inherited_socket_is_served_on(scratch_root: Path) -> None:
    with (
        gone_afterwards(scratch_root) as note,
        serve(fake_servers.listens_on_inherited_fd(), inherit_socket=True) as server,
    ):
        note(server)
        assert fetch(server.port).headers["x-harness-nonce"] == server.nonce


def test_an_inherited_socket_is_held_by_nobody_else() -> None:
    with serve(fake_servers.listens_on_inherited_fd(), inherit_socket=True) as server:
        [inode] = witness.listening_ports()[server.port]
        ours = [os.readlink(f"/proc/self/fd/{number}") for number in open_descriptors()]
        assert f"socket:[{inode}]" not in ours


def open_descriptors() -> list[str]:
    return [
        each for each in os.listdir("/proc/self/fd") if os.path.lexists(f"/proc/self/fd/{each}")
    ]


def test_descriptor_and_port_are_filled_into_arguments() -> None:
    script = MIRROR.replace(
        'server = http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler)',
        "import socket\n"
        'server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler, False)\n'
        "server.server_port = 0\n"
        "server.socket.close()\n"
        "server.socket = socket.socket(fileno=int(os.environ['HARNESS_LISTEN_FD']))",
    )
    command = [sys.executable, "-c", script, "fd://{fd}", "--port={port}", "${port}"]
    with serve(command, inherit_socket=True) as server:
        environment, arguments, _ = mirrored(server)
    assert arguments == ["fd://3", f"--port={server.port}", "${port}"]
    assert environment["PORT"] == str(server.port)


def test_a_descriptor_without_a_socket_is_refused() -> None:
    with pytest.raises(UsageError, match="needs inherit_socket=True"):
        serve(["gunicorn", "--bind", "fd://{fd}"])


def test_a_server_that_does_not_take_its_socket_is_told_of_it() -> None:
    with pytest.raises(StartError) as failed:
        serve(fake_servers.never_ready(), inherit_socket=True, start_seconds=0.5)
    assert "accepted a connection and gave no answer" in str(failed.value)
    assert "a listening socket as descriptor 3" in str(failed.value)


# -- many -----------------------------------------------------------------------------------


def serve_many(count: int, at_once: int, scratch_root: Path) -> None:
    def one(_: int) -> tuple[str, str | None]:
        with serve(fake_servers.ok_server(), start_seconds=60) as server:
            note(server)
            return server.nonce, fetch(server.port).headers.get("x-harness-nonce")

    with gone_afterwards(scratch_root) as note, ThreadPoolExecutor(at_once) as pool:
        answers = list(pool.map(one, range(count)))
    assert all(given == answered for given, answered in answers)
    assert len({given for given, _ in answers}) == count


def test_forty_servers_eight_at_a_time_do_not_meet(scratch_root: Path) -> None:
    serve_many(40, 8, scratch_root)


@pytest.mark.soak
def test_two_hundred_servers_sixteen_at_a_time_do_not_meet(scratch_root: Path) -> None:
    serve_many(200, 16, scratch_root)


# -- a forked child -------------------------------------------------------------------------


def test_in_a_forked_child_everything_is_inert() -> None:
    with serve(fake_servers.ok_server()) as server:
        child = os.fork()
        if child == 0:
            harmless = server.processes() == [] and server.died() is None
            os._exit(0 if harmless and server.close() is None else 1)
        assert os.waitpid(child, 0)[1] == 0
        assert fetch(server.port).status == 200


def test_the_readiness_request_is_answered_on_a_connection_of_its_own() -> None:
    with (
        serve(fake_servers.ok_server()) as server,
        socket.create_connection(("127.0.0.1", server.port)),
    ):
        assert fetch(server.port).status == 200

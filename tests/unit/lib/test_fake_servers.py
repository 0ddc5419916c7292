import http.client
import os
import re
import signal
import socket
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.lib import fake_servers, witness
from tests.lib.events import wait_for_file, wait_until
from tests.lib.stage import Stage

Launch = Callable[..., Stage]


@pytest.fixture
def launch(tmp_path: Path) -> Launch:
    def launch(argv: list[str], env: Mapping[str, str] | None = None) -> Stage:
        return Stage(argv, log=tmp_path / "log", env=env or {})

    return launch


def port_of(stage: Stage) -> int:
    words = wait_for_file(stage.log, 20, holding="/\n")
    found = re.search(r"^serving on http://127\.0\.0\.1:(\d+)/$", words, re.MULTILINE)
    assert found, words[-500:]
    return int(found[1])


def answer(port: int, method: str = "GET", path: str = "/") -> tuple[int, str, str | None]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request(method, path)
        response = connection.getresponse()
        body = response.read().decode()
        return response.status, body, response.getheader("X-Harness-Nonce")
    finally:
        connection.close()


def test_the_good_server_says_where_and_answers_every_path(launch: Launch) -> None:
    with launch(fake_servers.ok_server()) as stage:
        port = port_of(stage)
        assert answer(port) == (200, "the fake server answers\n", None)
        assert answer(port, path="/any/where?a=b") == (200, "the fake server answers\n", None)
        assert answer(port, method="POST")[0] == 405
        stage.signal(signal.SIGTERM)
        assert stage.wait(20) == -signal.SIGTERM
        assert not witness.is_listening(port)


def test_the_good_server_is_the_process_that_was_started(launch: Launch) -> None:
    with launch(fake_servers.ok_server()) as stage:
        port_of(stage)
        assert [below.pid for below in stage.descendants()] == [stage.owner_pid]


def test_the_good_server_repeats_the_nonce_of_its_environment(launch: Launch) -> None:
    with launch(fake_servers.ok_server(), {"HARNESS_NONCE": "n0nce"}) as stage:
        assert answer(port_of(stage))[2] == "n0nce"


def test_a_connection_that_sends_nothing_holds_up_nobody(launch: Launch) -> None:
    with launch(fake_servers.ok_server()) as stage:
        port = port_of(stage)
        with socket.create_connection(("127.0.0.1", port)):
            assert answer(port)[0] == 200


def test_a_server_without_a_start_line_serves_and_says_nothing(launch: Launch) -> None:
    before = set(witness.listening_ports())
    with launch(fake_servers.ok_server(start_line=False)) as stage:
        inodes = wait_until(lambda: sockets_of(stage.owner_pid), 20, "a socket")
        ports = wait_until(
            lambda: [port for port, held in witness.listening_ports().items() if held & inodes],
            20,
            "a listening port",
        )
        assert answer(ports[0])[0] == 200
        assert ports[0] not in before
        assert stage.output() == ""


def sockets_of(pid: int) -> set[int]:
    inodes = set()
    for descriptor in Path(f"/proc/{pid}/fd").iterdir():
        try:
            target = os.readlink(descriptor)
        except FileNotFoundError:
            continue  # closed since it was listed
        if target.startswith("socket:["):
            inodes.add(int(target[8:-1]))
    return inodes


def test_polite_signals_do_not_end_the_deaf_server(launch: Launch) -> None:
    with launch(fake_servers.ignores_sigterm()) as stage:
        port = port_of(stage)
        for polite in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            stage.signal(polite)
        assert answer(port)[0] == 200
        stage.signal(signal.SIGKILL)
        assert stage.wait(20) == -signal.SIGKILL


def test_the_daemon_serves_from_another_session_after_its_parent_ended_well(
    launch: Launch,
) -> None:
    with launch(fake_servers.forks_and_exits()) as stage:
        port = port_of(stage)
        assert stage.wait(20) == 0
        [daemon] = stage.descendants()
        assert daemon.sid == daemon.pgid == daemon.pid != stage.owner_pid
        assert answer(port)[0] == 200
    assert not witness.is_listening(port)


def test_the_dying_server_leaves_its_words_and_its_code(launch: Launch) -> None:
    with launch(fake_servers.dies_at_once(3, "no database")) as stage:
        assert stage.wait(20) == 3
        assert stage.output() == "no database\n"


def test_the_server_that_is_never_ready_runs_without_a_word_or_a_port(launch: Launch) -> None:
    with launch(fake_servers.never_ready()) as stage:
        with pytest.raises(AssertionError, match="did not end the owner"):
            stage.wait(0.2)
        assert sockets_of(stage.owner_pid) == set()
        assert stage.output() == ""


def test_the_named_port_is_closed_and_nobody_else_can_take_it(launch: Launch) -> None:
    with launch(fake_servers.prints_port_then_closes_it()) as stage:
        port = port_of(stage)
        wait_for_file(stage.log, 20, holding="closed\n")
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", port), timeout=10)
        with socket.socket() as other, pytest.raises(OSError, match="in use"):
            other.bind(("127.0.0.1", port))


def test_the_grandchild_serves_on_when_the_leader_is_killed(launch: Launch) -> None:
    with launch(fake_servers.grandchild_holds_port()) as stage:
        port = port_of(stage)
        [grandchild] = [below for below in stage.descendants() if below.pid != stage.owner_pid]
        assert grandchild.ppid == stage.pid
        assert grandchild.sid == grandchild.pgid == grandchild.pid
        stage.signal_group(signal.SIGKILL)
        assert stage.wait(20) == -signal.SIGKILL
        assert answer(port)[0] == 200
    assert not witness.is_listening(port)


def test_the_flooding_server_serves_after_its_flood(launch: Launch) -> None:
    with launch(fake_servers.floods_output(2)) as stage:
        port = int(wait_for_file(stage.log, 20, holding="/\n").rpartition(":")[2].rstrip("/\n"))
        assert answer(port)[0] == 200
        assert os.stat(stage.log).st_size == (2 << 20) + len(
            f"serving on http://127.0.0.1:{port}/\n"
        )


@pytest.mark.parametrize("env", [{"HARNESS_NONCE": "n0nce"}, {}])
def test_the_impostor_answers_with_another_nonce(launch: Launch, env: dict[str, str]) -> None:
    with launch(fake_servers.answers_wrong_nonce(), env) as stage:
        assert answer(port_of(stage))[2] == "somebody-elses-nonce"


def test_it_serves_on_the_socket_that_it_inherits() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        subprocess.Popen(
            fake_servers.listens_on_inherited_fd(),
            env={"HARNESS_LISTEN_FD": str(listener.fileno())},
            pass_fds=[listener.fileno()],
            stdout=subprocess.PIPE,
        ) as server,
    ):
        try:
            port = listener.getsockname()[1]
            assert server.stdout is not None
            assert server.stdout.readline().decode() == f"serving on http://127.0.0.1:{port}/\n"
            assert answer(port)[0] == 200
        finally:
            server.kill()

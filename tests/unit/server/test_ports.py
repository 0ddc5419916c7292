"""Who listens on a port is read from the kernel's tables and nothing is guessed."""

import os
import socket
import sys

import pytest

from harness.server.ports import (
    Listener,
    all_listeners,
    bind_loopback,
    held_by,
    parse_table,
    reached,
    still_listening,
)

pytestmark = [pytest.mark.unit, pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")]
HEAD = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid ...\n"


def row(address: str, state: str = "0A") -> str:
    return (
        f"   0: {address} 00000000:0000 {state} 00000000:00000000 00:00000000 00000000 0 0 77 1 0\n"
    )


@pytest.mark.skipif(sys.byteorder != "little", reason="rows of a little-endian kernel")
@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("0100007F:1F90", "127.0.0.1"),
        ("00000000:1F90", "0.0.0.0"),
        ("00000000000000000000000000000000:1F90", "::"),
        ("00000000000000000000000001000000:1F90", "::1"),
        ("0000000000000000FFFF00000100007F:1F90", "::ffff:127.0.0.1"),
    ],
)
def test_a_listening_row_is_read(text: str, address: str) -> None:
    assert parse_table(HEAD + row(text)) == [Listener(address=address, port=8080, inode=77)]


def test_an_established_row_is_no_listener() -> None:
    assert parse_table(HEAD + row("0100007F:1F90", state="01")) == []


def test_a_connection_reaches_the_most_specific_address() -> None:
    everywhere = Listener(address="0.0.0.0", port=80, inode=1)
    both = Listener(address="::", port=80, inode=2)
    loopback = Listener(address="127.0.0.1", port=80, inode=3)
    ipv6 = Listener(address="::1", port=80, inode=4)
    other = Listener(address="127.0.0.1", port=81, inode=5)
    assert reached([everywhere, both, loopback, ipv6, other], 80) == [loopback]
    assert reached([everywhere, both, ipv6, other], 80) == [everywhere, both]
    assert reached([ipv6, other], 80) == []


def test_a_socket_of_this_process_is_found_and_gone_after_it() -> None:
    with bind_loopback() as listener:
        port = listener.getsockname()[1]
        inode = os.fstat(listener.fileno()).st_ino
        expected = Listener(address="127.0.0.1", port=port, inode=inode)
        assert expected in held_by([os.getpid()]).listeners
        assert reached(all_listeners(), port) == [expected]
        assert still_listening([expected]) == [expected]
    assert still_listening([expected]) == []


def test_a_process_that_ended_holds_nothing() -> None:
    assert held_by([2**22 + 1]).listeners == ()


def test_a_bound_socket_that_does_not_listen_is_no_listener() -> None:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        assert reached(all_listeners(), bound.getsockname()[1]) == []

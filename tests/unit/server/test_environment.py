"""A server's environment holds what it needs and what was named, and nothing else."""

from pathlib import Path
from typing import Any

import pytest

from harness.errors import UsageError
from harness.server.environment import build, check

pytestmark = pytest.mark.unit

FACTS: dict[str, Any] = {"scratch": Path("/s"), "port": 0, "nonce": "n"}
OWN = {"TMPDIR": "/s/tmp", "PORT": "0", "PYTHONUNBUFFERED": "1", "HARNESS_NONCE": "n"}


def test_the_shell_does_not_leak() -> None:
    shell = {"SECRET": "s", "PYTHONPATH": "/x", "DATABASE_URL": "d", "HARNESS_STATE_DIR": "/y"}
    assert build(shell, **FACTS) == OWN


def test_what_every_program_needs_is_kept() -> None:
    shell = {"PATH": "/bin", "HOME": "/h", "LC_ALL": "C", "TZ": "UTC", "HARNESS_RUN_TOKEN": "t"}
    assert build(shell, **FACTS) == {**shell, **OWN}


def test_a_named_variable_is_inherited_where_it_is_set() -> None:
    built = build({"A": "1", "B": "2"}, inherit=["A", "ABSENT"], **FACTS)
    assert built == {"A": "1", **OWN}


def test_what_is_given_wins() -> None:
    given = {"PATH": "/mine", "TMPDIR": "/t", "PORT": "81", "HOME": "/mine"}
    built = build({"PATH": "/bin"}, environment=given, private_home=True, **FACTS)
    assert built == {**OWN, **given}


def test_a_private_home_lies_in_the_scratch() -> None:
    assert build({"HOME": "/h"}, private_home=True, **FACTS)["HOME"] == "/s/home"


def test_a_socket_is_named_only_to_the_server_that_is_given_one() -> None:
    shell = {"HARNESS_LISTEN_FD": "9", "HARNESS_NONCE": "outer"}
    inherit = list(shell)
    assert build(shell, inherit=inherit, **FACTS) == OWN
    built = build(shell, inherit=inherit, listen_descriptor=3, **FACTS)
    assert built == {**OWN, "HARNESS_LISTEN_FD": "3"}


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ({"PORT": 8000}, "'PORT': 8000 is not text, say '8000'"),
        ({"A": None}, "'A': None is not text"),
        ({"A=B": "1"}, "'A=B' cannot be a variable"),
        ({"A": "1\0"}, "'A' cannot be a variable"),
        ({"HARNESS_NONCE": "mine"}, "HARNESS_NONCE is the harness's own"),
    ],
)
def test_what_no_process_can_be_given_is_refused(environment: Any, said: str) -> None:
    with pytest.raises(UsageError) as refused:
        check(environment, ())
    assert said in str(refused.value)


def test_every_problem_is_named_at_once() -> None:
    with pytest.raises(UsageError) as refused:
        check({"A": 1, "B=": "2"}, "NAME")
    message = str(refused.value)
    assert "['NAME']" in message
    assert "'A': 1" in message
    assert "'B='" in message

"""Servers that other runners were publicly reported to leave behind.

`docs/public-reports.md` names each report and the test that repeats it here.
"""

import json
import re
import signal
from pathlib import Path

import pytest

from harness.errors import StartError
from harness.server.serving import serve
from tests.lib import fake_servers, witness
from tests.lib.script_owner import running_script

END_SECONDS = 30.0

_SERVES = """
import time
from harness.server.serving import serve

server = serve(json.loads(os.environ["SERVER"]), start_seconds=30)
publish(port=server.port)
time.sleep(600)
"""


@pytest.mark.parametrize(
    "command",
    [
        fake_servers.grandchild_holds_port(),
        fake_servers.forks_and_exits(),
        fake_servers.ignores_sigterm(),
    ],
    ids=lambda command: command[3],
)
def test_the_port_of_a_killed_owners_server_is_free_again(
    tmp_path: Path, command: list[str]
) -> None:
    with running_script(tmp_path, _SERVES, SERVER=json.dumps(command)) as owner:
        facts = owner.facts()
        assert witness.is_listening(facts["port"])
        owner.stage.signal(signal.SIGKILL)
        assert owner.stage.wait(END_SECONDS) == -signal.SIGKILL
        assert owner.left_behind(facts) == []
        assert not witness.is_listening(facts["port"])


@pytest.mark.usefixtures("scratch_root")
def test_a_server_behind_a_shell_that_does_not_pass_signals_on_ends_with_it() -> None:
    inner = " ".join(f"'{word}'" for word in fake_servers.ok_server())
    server = serve(["/bin/sh", "-c", f"{inner}; exit 0"], grace_seconds=0.2)
    members = [witness.identity(each.pid) for each in server.processes()]
    assert len(members) == 2
    server.close()
    assert [each for each in members if each and witness.alive(each)] == []
    assert not witness.is_listening(server.port)


def test_a_grandchild_of_a_start_that_fails_holds_no_port(scratch_root: Path) -> None:
    with pytest.raises(StartError, match="it printed no start line that names its port") as failed:
        serve(
            fake_servers.grandchild_holds_port(),
            start_line=r"never said (?P<port>\d+)",
            start_seconds=2,
        )
    held = re.search(r"It does listen on 127\.0\.0\.1:(\d+)", str(failed.value))
    assert held
    assert not witness.is_listening(int(held[1]))
    assert witness.find(tokens=[str(scratch_root)]) == []
    assert list(scratch_root.glob("[!.]*")) == []

"""Starts on which other launchers were publicly reported to fail, to hang, or to share a browser.

`docs/public-reports.md` names each report and the test that repeats it here.
"""

import json
import os
import socket
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from harness.browser.chromium import Liveness
from harness.browser.launch import LaunchOptions, launch
from tests.lib import fake_browsers
from tests.lib.http import fetch
from tests.lib.script_owner import running_script

END_SECONDS = 60.0
WELL_KNOWN_PORT = 9222


def test_a_profile_that_another_instance_has_locked_is_not_used(
    tmp_path: Path, scratch_root: Path
) -> None:
    locked = tmp_path / "profile"
    locked.mkdir()
    (locked / "SingletonLock").symlink_to("another-machine-1")
    with launch(LaunchOptions(arguments=[f"--user-data-dir={locked}"])) as chromium:
        assert chromium.liveness(seconds=20.0) is Liveness.RESPONSIVE
        assert (chromium.scratch / "profile" / "DevToolsActivePort").exists()
    assert os.listdir(locked) == ["SingletonLock"]


def test_a_server_on_the_well_known_port_is_not_adopted(scratch_root: Path) -> None:
    with socket.socket() as fake:
        fake.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            fake.bind(("127.0.0.1", WELL_KNOWN_PORT))
        except OSError:
            pytest.skip(f"port {WELL_KNOWN_PORT} is somebody else's already")
        fake.listen()
        fake.setblocking(False)
        asked = f"--remote-debugging-port={WELL_KNOWN_PORT}"
        with launch(LaunchOptions(arguments=[asked])) as chromium:
            assert f":{WELL_KNOWN_PORT}/" not in chromium.cdp_url
            assert chromium.liveness(seconds=20.0) is Liveness.RESPONSIVE
        with pytest.raises(BlockingIOError):
            fake.accept()


@pytest.mark.parametrize(
    ("at_once", "rounds"), [(3, 1), pytest.param(8, 20, marks=pytest.mark.soak)]
)
@pytest.mark.timeout(900)
def test_browsers_that_start_at_once_each_have_a_port_and_an_identity_of_their_own(
    scratch_root: Path, at_once: int, rounds: int
) -> None:
    all_are_up = threading.Barrier(at_once, timeout=60.0)

    def one(_: int) -> tuple[str, str]:
        with launch() as chromium:
            all_are_up.wait()
            port = int(chromium.http_url.rpartition(":")[2])
            answer = json.loads(fetch(port, "/json/version").body)
            all_are_up.wait()
            return chromium.cdp_url, answer["webSocketDebuggerUrl"]

    with ThreadPoolExecutor(at_once) as pool:
        for _ in range(rounds):
            pairs = list(pool.map(one, range(at_once)))
            assert [own for own, answered in pairs if own != answered] == []
            assert len({own for own, _ in pairs}) == at_once
    assert list(scratch_root.glob("[!.]*")) == []


def test_a_failure_between_the_spawn_and_the_connection_leaves_no_browser(
    pytester: pytest.Pytester, scratch_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = fake_browsers.accepts_and_hangs_up(pytester.path)
    monkeypatch.setenv("HARNESS_CHROMIUM", str(fake))
    pytester.makepyfile(
        f"""
        from tests.lib import witness

        def test_page(page):
            pass

        def test_after_it():
            assert witness.find(paths=[{str(fake)!r}]) == []
        """
    )
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).resolve().parents[2]))
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    result.assert_outcomes(errors=1, passed=1)
    assert "Playwright could not connect to Chromium (pid " in result.stdout.str()
    assert "left processes behind" not in result.stdout.str()
    assert list(scratch_root.glob("[!.]*")) == []


_FEW_DESCRIPTORS = """
import resource
from harness.browser.launch import LaunchOptions, launch
from harness.errors import HarnessError

limit = int(os.environ["LIMIT"])
resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
try:
    launch(LaunchOptions(start_seconds=20.0))
except HarnessError as error:
    print(type(error).__name__, error)
"""


@pytest.mark.parametrize("limit", [32, 16, 10], ids=["its own", "the warden's", "the owner's"])
def test_a_start_without_descriptors_says_so_and_leaves_nothing(tmp_path: Path, limit: int) -> None:
    with running_script(tmp_path, _FEW_DESCRIPTORS, LIMIT=str(limit)) as owner:
        assert owner.stage.wait(END_SECONDS) == 0, owner.stage.output()
        assert owner.stage.descendants() == []
        assert list(owner.scratch_root.glob("[!.]*")) == []
        assert owner.stage.output().startswith("StartError ")
        assert "Too many open files" in owner.stage.output()


_DRAWS = """
from pathlib import Path
from playwright.sync_api import sync_playwright
from harness.browser.connect import connect
from harness.browser.launch import launch

memory = os.statvfs("/dev/shm")
assert memory.f_blocks * memory.f_frsize == 1 << 20
with sync_playwright() as playwright, launch() as chromium:
    page = connect(playwright.chromium, chromium).new_page(
        viewport={"width": 1600, "height": 1600}
    )
    page.set_content("<canvas width=4000 height=4000></canvas>")
    page.evaluate('''() => {
        const pen = document.querySelector("canvas").getContext("2d");
        pen.fillStyle = "red";
        pen.fillRect(0, 0, 4000, 4000);
    }''')
    picture = page.screenshot(full_page=True)
    print("drawn", len(picture) > 1000, chromium.liveness(seconds=20.0))
"""


def test_a_tiny_shared_memory_mount_crashes_no_page(tmp_path: Path) -> None:
    inside = 'mount -t tmpfs -o size=1m none /dev/shm || exit 77; exec "$0" "$1"'
    private_mount = ["unshare", "--mount", "/bin/sh", "-c", inside, sys.executable]
    try:
        with running_script(tmp_path, _DRAWS, command=private_mount) as owner:
            code = owner.stage.wait(END_SECONDS)
            output = owner.stage.output()
            left = owner.stage.descendants()
    except FileNotFoundError:
        pytest.skip("there is no unshare(1)")
    if code == 77 or "unshare failed" in output:
        pytest.skip(f"no private mount here: {output}")
    assert (code, output, left) == (0, "drawn True responsive\n", [])

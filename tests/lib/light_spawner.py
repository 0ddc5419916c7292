"""A spawner whose file runs are honest and cost little: a small program under a real warden."""

import os
import sys
from dataclasses import dataclass

from harness.model.identifiers import TestFile
from harness.process.client import Family
from harness.process.spec import FamilySpec
from harness.runner.run_folder import FileFolder
from harness.runner.spawner import FileProcess, PytestProcess

PROGRAM = """
import os, socket, sys, time
events, bell, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
pid = os.getpid()
test = "t::test_it"
time.sleep(seconds)
lines = [
    '{"event":"session_started","pid":%d}',
    '{"event":"collected","pid":%d,"ids":["' + test + '"],"deselected":0}',
    '{"event":"test_started","pid":%d,"id":"' + test + '"}',
    '{"event":"test_finished","pid":%d,"id":"' + test + '","outcome":"passed","errors":0,'
    '"seconds":0.1}',
    '{"event":"session_finished","pid":%d,"exit_status":0}',
]
with open(events, "a") as file:
    file.write("".join(line % pid + chr(10) for line in lines))
socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b"!", bell.replace("@", chr(0), 1))
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class LightSpawner:
    """Every file takes `seconds[file]`, else none, and passes."""

    notify: str
    seconds: dict[str, float]

    def start(self, file: TestFile, slot: int, folder: FileFolder) -> FileProcess:
        """Start one file run."""
        del slot
        family = Family(
            FamilySpec(
                label=file,
                command=[
                    sys.executable, "-I", "-S", "-c", PROGRAM, str(folder.events), self.notify,
                    str(self.seconds.get(file, 0.0)),
                ],
                environment={"PATH": os.defpath},
                output=str(folder.output),
                settle_seconds=2.0,
            )
        )  # fmt: skip
        return PytestProcess(family, folder)

    def close(self) -> None:
        """Nothing was made ready."""

"""Run a short foreign program, such as git, and take its output."""

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """How it ended. `exit_code` is negative for a signal, None when it could not be started."""

    exit_code: int | None
    output: bytes
    errors: bytes


def run_tool(
    command: Sequence[str], directory: Path, environment: Mapping[str, str], seconds: float
) -> Finished:
    """Run a program to its end, for at most `seconds`; its whole group is killed after that.

    Raises TimeoutError then. A program that cannot be started is a `Finished` without exit code,
    whose `errors` say why.
    """
    try:
        process = subprocess.Popen(
            command,
            cwd=directory,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as error:
        return Finished(exit_code=None, output=b"", errors=str(error).encode())
    with process:
        try:
            output, errors = process.communicate(timeout=seconds)
        except BaseException as error:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            if isinstance(error, subprocess.TimeoutExpired):
                raise TimeoutError(f"{command[0]} has not ended after {seconds:g} s") from None
            raise
    return Finished(exit_code=process.returncode, output=output, errors=errors)

"""The command group. A command's module is imported when that command runs, not before."""

import importlib
import os
import sys
from typing import NoReturn

import click

from harness import __version__
from harness.errors import ExitCode, HarnessError

# Name -> (module, one line for `harness --help`).
COMMANDS = {
    "accept": (
        "harness.cli.accept",
        "Accept the page end to end in a real Chromium, before a push.",
    ),
    "run": (
        "harness.cli.run",
        "Run test files, each in a process of its own, and record how each ended.",
    ),
    "plan": (
        "harness.cli.plan",
        "Print what a run would run, in order.",
    ),
    "history": (
        "harness.cli.history",
        "Print how long test files take, or take that over from records.",
    ),
    "schema": ("harness.cli.schema", "Print the JSON Schema of a stored format."),
    "doctor": (
        "harness.cli.doctor",
        "Say which browser would be used, and what this machine cannot do.",
    ),
    "lanes": (
        "harness.cli.lanes",
        "Say which lane every test file belongs to, and why.",
    ),
}


class _Commands(click.Group):
    """Lists commands by name and help without importing what they need."""

    def list_commands(self, context: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        module, _ = COMMANDS[name]
        command: click.Command = importlib.import_module(module).command
        return command

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in sorted(COMMANDS.items())])


@click.command(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="On a laptop `pytest -m browser` is enough; `harness run` is for a result that somebody "
    "relies on. Exit codes: 0 passed, 1 failed, "
    "2 usage, 3 refused, 4 empty, 5 something outside is missing, 6 a fault of the harness, "
    "75 host lock busy, 129/130/143 ended by SIGHUP/SIGINT/SIGTERM.",
)
@click.version_option(__version__, "-V", "--version", prog_name="harness")
def group() -> None:
    """Lanewright: browser tests on a Chromium that is owned, and evidence of what ran."""


def main() -> NoReturn:
    """Run the command line; a HarnessError becomes one message and its exit code."""
    run(group, "harness")


def run(command: click.Command, name: str) -> NoReturn:
    """Run one command as the program `name`, and end this process with its exit code."""
    _open_closed_streams()
    try:
        code = command.main(prog_name=name, standalone_mode=False)
        sys.exit(code if isinstance(code, int) else ExitCode.PASSED)
    except click.exceptions.Abort:
        sys.exit(ExitCode.INTERRUPTED)
    except click.ClickException as error:
        error.show()
        sys.exit(ExitCode.USAGE)
    except HarnessError as error:
        click.echo(f"{name}: {error}", err=True)
        sys.exit(error.exit_code)
    except BrokenPipeError:
        # The reader of our output has gone; there is nobody left to tell.
        sys.stderr.close()
        sys.exit(ExitCode.FAILED)
    except OSError as error:
        click.echo(f"{name}: {error}", err=True)
        sys.exit(ExitCode.FAULT)


def _open_closed_streams() -> None:
    """Where the caller has closed a stream (`>&-`), Python has none: write to nowhere instead."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            # Open until the end: it stands for a descriptor that the process was not given.
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115

"""Who is shown a run: a person at a terminal or in a log, and a program that reads JSON."""

import os
import sys
from typing import TextIO

import click

from harness.config.ci import in_ci
from harness.report.machine import Machine
from harness.report.observer import Fanout, Observer
from harness.report.plain import Plain
from harness.report.presentation import choose, colour


def observers(*, as_json: bool) -> Fanout:
    """Return everybody; with `as_json` standard output is the machine's alone."""
    found: list[Observer] = [_people(sys.stderr if as_json else sys.stdout)]
    if as_json:
        found.append(Machine(sys.stdout))
    return Fanout(found, _report_fault)


def _people(stream: TextIO) -> Observer:
    if choose(stream, os.environ) == "live":
        # Imports rich, which nobody else needs.
        from harness.report.live import Live

        return Live(stream, os.environ, in_ci=in_ci(os.environ))
    return Plain(stream, colour=colour(stream, os.environ), in_ci=in_ci(os.environ))


def is_document_lost(observers: Fanout) -> bool:
    """Whether the document that `--json` asks for did not reach standard output."""
    return any(isinstance(one, Machine) for one in observers.failed)


def _report_fault(name: str, error: Exception) -> None:
    what = "the JSON document" if name == Machine.__name__ else "the progress of the run"
    reason = str(error) if isinstance(error, OSError) else f"{type(error).__name__}: {error}"
    click.echo(f"harness: {what} cannot be written: {reason}", err=True)

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


def _report_fault(name: str, error: Exception) -> None:
    click.echo(f"harness: {name} cannot show the run: {type(error).__name__}: {error}", err=True)

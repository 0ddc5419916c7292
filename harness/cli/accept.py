"""`accept`: the page, end to end in a real Chromium, before a push."""

import sys
from pathlib import Path
from typing import NoReturn

import click

from harness.acceptance.supervisor import accept
from harness.acceptance.text import Lines
from harness.cli.app import run
from harness.cli.project import project_root
from harness.config.reader import load
from harness.errors import ExitCode
from harness.records import json_file


@click.command(
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit codes: 0 all clear (also of phase B only), 1 a check failed or could not be "
    "measured, 2 a configuration that cannot be meant, 4 nothing was measured, 5 no browser, 6 a "
    "fault of the harness, 129/130/143 ended by a signal. docs/accept.md explains every check.",
)
@click.option(
    "--check", "only", multiple=True, metavar="NAME", help="Run this check only. Repeatable."
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="How long the whole may take (default: tool.harness.accept.timeout, 45).",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")
@click.option(
    "--junit", type=click.Path(path_type=Path, dir_okay=False), help="Write JUnit XML to this file."
)
@click.option(
    "--html",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write one self-contained page: the checks, the picture of the page, the modules.",
)
def command(
    only: tuple[str, ...],
    timeout: float | None,
    as_json: bool,
    junit: Path | None,
    html: Path | None,
) -> int:
    """Drive the real page in a real Chromium; say what held, what failed, what was not measured.

    The private instance that `[tool.harness.accept] serve` names is started for it (phase B); a
    `shared` front that other people use is only read, and only when it serves this very tree
    (phase A). Without a configuration the demo is accepted.
    """
    project = project_root()
    settings = load(project).accept
    limit = timeout or (settings.timeout if settings is not None else 45.0)
    lines = Lines(sys.stdout.isatty(), quiet=as_json)
    report, picture = accept(
        project, timeout_seconds=limit, hear=lines.hear, only=only, picture=html is not None
    )
    lines.end(report)
    if as_json:
        click.echo(json_file.canonical(report), nl=False)
    if junit is not None:
        from harness.acceptance.junit import junit_xml
        from harness.records import atomic_file

        atomic_file.write_bytes(junit, junit_xml(report))
    if html is not None:
        from harness.acceptance.page import html_page
        from harness.records import atomic_file

        atomic_file.write_bytes(html, html_page(report, picture))
    return ExitCode(report.exit_code)


def main() -> NoReturn:
    """The script `accept`: the same command by a name of its own."""
    run(command, "accept")

"""`harness doctor`: which browser, which versions, and what this machine cannot do."""

import json
import sys
from dataclasses import asdict, dataclass
from typing import Any

import click

from harness.browser import binary
from harness.browser.launch import LaunchOptions, launch
from harness.cli.capabilities import Capability, capabilities, versions
from harness.cli.project import project_root
from harness.config.reader import load
from harness.config.schema import Config
from harness.errors import ExitCode, HarnessError
from harness.process.load import read_load

SCHEMA = "lanewright.doctor"
SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What became of launching the browser that a run would use."""

    path: str | None
    version: str | None
    problem: str | None


@click.command(
    epilog="Exit codes: 0 a browser starts, 5 none was found or it does not start. Order of "
    "search: HARNESS_CHROMIUM, what a suite asks for, Playwright's download, system paths."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.option("--headed", is_flag=True, help="Look for a browser that can show a window.")
@click.option("--channel", help="Look for this channel, like pytest's --browser-channel.")
def command(as_json: bool, headed: bool, channel: str | None) -> int:
    """Launch the browser that a run would use, and say what this machine cannot do.

    Every place that was looked at is listed with its outcome, then versions, then what a run
    would go without here.
    """
    settings = load(project_root())
    looked_at = list(binary.candidates(channel=channel, headless=not headed))
    trial = _try_browser(settings, channel, headed)
    facts = list(capabilities())
    if as_json:
        click.echo(json.dumps(_document(looked_at, trial, facts), indent=2, sort_keys=True))
    else:
        _print(looked_at, trial, facts)
    return ExitCode.PASSED if trial.problem is None else ExitCode.PRECONDITION


def _try_browser(settings: Config, channel: str | None, headed: bool) -> Trial:
    try:
        found = binary.find(channel=channel, headless=not headed)
    except HarnessError as error:
        return Trial(path=None, version=None, problem=str(error))
    path = str(found.path)
    try:
        options = LaunchOptions(
            channel=channel,
            headless=not headed,
            arguments=settings.browser_args,
            zygote=settings.zygote,
            private_home=settings.private_home,
            start_seconds=settings.browser_start_seconds,
            bound_key="browser_start_seconds in [tool.harness]",
        )
        with launch(options) as chromium:
            return Trial(path=path, version=chromium.version, problem=None)
    except HarnessError as error:
        return Trial(path=path, version=None, problem=str(error))


def _document(
    looked_at: list[binary.Candidate], trial: Trial, facts: list[Capability]
) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "version": SCHEMA_VERSION,
        "browser": asdict(trial),
        "candidates": [
            {
                "source": candidate.source.value,
                "path": str(candidate.path) if candidate.path else None,
                "binary": str(candidate.binary) if candidate.binary else None,
                "outcome": candidate.outcome.value,
            }
            for candidate in looked_at
        ],
        "versions": versions(),
        "capabilities": [asdict(fact) for fact in facts],
        "load": asdict(read_load()),
        "platform": sys.platform,
    }


def _print(looked_at: list[binary.Candidate], trial: Trial, facts: list[Capability]) -> None:
    click.echo("Browser")
    for candidate in looked_at:
        click.echo(f"  {candidate}")
    if trial.problem is None:
        click.echo(f"  => {trial.path} starts: {trial.version}")
    else:
        click.echo(f"  => {trial.problem}".replace("\n", "\n     "))
    click.echo("\nVersions")
    for name, version in versions().items():
        click.echo(f"  {name} {version or 'not installed'}")
    click.echo("\nThis machine")
    for fact in facts:
        click.echo(f"  {'yes' if fact.available else 'NO '}  {fact.name}: {fact.detail}")
    click.echo(f"       {read_load()}")
    without = [fact for fact in facts if not fact.available]
    click.echo("\nA run here goes without" if without else "\nA run here goes without nothing.")
    for fact in without:
        click.echo(f"  {fact.name}: {fact.consequence}")
    if trial.problem is not None:
        unfound = trial.path is None
        fate = "skipped by name, or failed where CI is set" if unfound else "an error that says so"
        click.echo(f"  every browser test: {fate}")

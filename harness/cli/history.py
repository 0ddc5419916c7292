"""`harness history`: how long files took, and taking that over from records of other machines."""

import json
from pathlib import Path

import click

from harness.cli.planning import history_of
from harness.cli.project import project_root
from harness.errors import ExitCode
from harness.records import json_file
from harness.records.tier_record import TierRecord
from harness.report.glances import plural
from harness.report.safe_text import one_line

SCHEMA = "lanewright.history"
SCHEMA_VERSION = 1


@click.command(
    epilog="Exit codes: 0 printed or taken over, 2 a RECORD that cannot be read, 4 nothing is "
    "known, 6 the history cannot be used."
)
@click.option(
    "--import",
    "records",
    type=click.Path(path_type=Path, dir_okay=False),
    multiple=True,
    metavar="RECORD",
    help="Take over what passed in a tier record, such as CI's. Repeatable.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(records: tuple[Path, ...], as_json: bool) -> int:
    """Print how long each test file takes: the median of its last five passing runs.

    This is what a plan that is not sharded is ordered by. It lies in .harness/history.sqlite.
    """
    history = history_of(project_root())
    # Every record is read before anything is taken over.
    found = [json_file.read(path, TierRecord, "tier record") for path in records]
    if found:
        count = history.add(found)
        told = f"{plural(count, 'duration')} taken over from {plural(len(found), 'record')}"
        click.echo(told, err=True)
    medians = sorted(history.medians().items(), key=lambda pair: (-pair[1], pair[0]))
    if as_json:
        rows = [{"file": file, "seconds": seconds} for file, seconds in medians]
        document = {"schema": SCHEMA, "version": SCHEMA_VERSION, "files": rows}
        click.echo(json.dumps(document, indent=2, sort_keys=True))
    else:
        for file, seconds in medians:
            click.echo(f"{seconds:8.1f} s  {one_line(file)}")
    if not medians:
        click.echo("harness: no duration is known; `harness run` notes what passed", err=True)
    return ExitCode.PASSED if medians else ExitCode.EMPTY

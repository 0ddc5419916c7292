"""`harness schema`: the JSON Schema of what is written down."""

import json

import click
import msgspec

from harness.errors import ExitCode
from harness.records.tier_record import TierRecord

SCHEMAS: dict[str, type[msgspec.Struct]] = {"tier": TierRecord}


@click.command(epilog="Exit codes: 0 printed, 2 no such schema.")
@click.argument("name", type=click.Choice(sorted(SCHEMAS)))
def command(name: str) -> int:
    """Print the JSON Schema of a stored format, by its name: `harness schema tier`."""
    click.echo(json.dumps(msgspec.json.schema(SCHEMAS[name]), indent=2, sort_keys=True))
    return ExitCode.PASSED

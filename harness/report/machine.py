"""`--json`: the tier record as the one thing on standard output, after the run."""

import json
from typing import TextIO

import msgspec

from harness.model.run_events import RunEnded
from harness.records.tier_record import TierRecord
from harness.report.observer import RunEvent
from harness.report.sink import Sink


def document(record: TierRecord) -> str:
    """Return the record as one line of canonical JSON: sorted keys, ASCII, no blanks.

    Raises ValueError for a number that JSON has no word for (NaN, infinity).
    """
    return json.dumps(
        msgspec.to_builtins(record),
        sort_keys=True,
        ensure_ascii=True,
        allow_nan=False,
        separators=(",", ":"),
    )


class Machine:
    """Writes the document when the run has ended, and nothing else; people read another stream."""

    def __init__(self, stream: TextIO) -> None:
        self._sink = Sink(stream)

    def on(self, event: RunEvent) -> None:
        """Write at RunEnded."""
        if isinstance(event, RunEnded):
            self._sink.lines(document(event.record))

"""`--json` is the record and nothing else."""

import io
import json

import msgspec
import pytest

from harness.model.run_events import RunEnded
from harness.records.tier_record import TierRecord
from harness.report.machine import Machine, document
from tests.lib.run_example import EVERY_STATUS, events_of_example, file_record, tier_record


def test_only_the_record_is_written_and_it_reads_back() -> None:
    stream = io.StringIO()
    machine = Machine(stream)
    for event in events_of_example():
        machine.on(event)

    [line] = stream.getvalue().splitlines()
    assert msgspec.json.decode(line, type=TierRecord) == EVERY_STATUS


def test_the_document_is_canonical() -> None:
    text = document(tier_record(file_record("tests/test_größe.py")))

    assert text == json.dumps(json.loads(text), sort_keys=True, separators=(",", ":"))
    assert text.isascii()
    assert json.loads(text)["schema"] == "lanewright.tier"


def test_a_number_that_json_has_no_word_for_is_refused() -> None:
    with pytest.raises(ValueError):
        document(tier_record(seconds=float("nan")))


def test_an_incomplete_run_is_a_document_too() -> None:
    stream = io.StringIO()
    Machine(stream).on(
        RunEnded(
            record=tier_record(complete=False),
            path=None,
            problem="disk full",
            predicted_seconds=None,
            actual_seconds=1.0,
            unknown="disk full",
        )
    )
    assert json.loads(stream.getvalue())["complete"] is False

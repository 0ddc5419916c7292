"""Where the tier record of a run lies, and what it says."""

from pathlib import Path

import msgspec

from harness.errors import UsageError
from harness.model.identifiers import Lane, TestFile
from harness.model.status import Dispatch, Phase
from harness.plan.queue import Shard
from harness.records import json_file
from harness.records.state_folder import state_folder
from harness.records.tier_record import SCHEMA, FileRecord, TierRecord

RECORDS_FOLDER = "records"


class _Stamped(msgspec.Struct):
    schema: str = ""


def record_path(
    root: Path,
    record: Path | None,
    lane: Lane,
    phase: Phase | None,
    shard: Shard | None,
    *,
    rerun: bool = False,
) -> Path:
    """Return where a record is written.

    In a folder its name is `<lane>[.phase][.I-of-N][.rerun].json`; a named file keeps its name,
    with the phase before its end, so that two phases never overwrite one another.
    """
    middle = f".{phase.value}" if phase else ""
    again = ".rerun" if rerun else ""
    if record is None or record.is_dir():
        folder = state_folder(root) / RECORDS_FOLDER if record is None else record
        part = f".{shard.index}-of-{shard.total}" if shard else ""
        return folder / f"{lane.value}{middle}{part}{again}.json"
    return record.with_name(f"{record.name.removesuffix('.json')}{middle}{again}.json")


def junit_path(junit: Path, lane: Lane, several: bool) -> Path:
    """Return where JUnit goes: as named, with the lane before the end when there are several."""
    return junit.with_name(f"{junit.stem}.{lane.value}{junit.suffix}") if several else junit


def refuse_foreign(junit: Path) -> None:
    """Refuse to write JUnit over what is no XML, such as a source that was named by mistake.

    Raises UsageError.
    """
    try:
        with junit.open("rb") as file:
            head = file.read(512)
    except OSError:
        return
    if head and not head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        raise UsageError(f"--junit {junit} is there already and is no XML; name another file")


def refuse_foreign_record(record: Path) -> None:
    """Refuse a name that no record has, or to write over what is no tier record.

    Raises UsageError.
    """
    if record.is_dir():
        return
    if record.suffix != ".json":
        raise UsageError(f"--record {record}: name a file in .json, or a folder that exists")
    if not record.exists():
        return
    try:
        # A pipe or a device is never a record, and reading one may take for ever.
        found = record.read_bytes() if record.is_file() else b""
        schema = msgspec.json.decode(found, type=_Stamped).schema
    except (OSError, msgspec.MsgspecError):
        schema = ""
    if schema != SCHEMA:
        raise UsageError(f"--record {record} is there already and is no tier record; name another")


def refuse_foreign_output(output: Path) -> None:
    """Refuse a folder for several lanes that holds more than what they would write.

    Raises UsageError.
    """
    lanes = {lane.value for lane in Lane}
    if output.is_dir() and any(entry.name not in lanes for entry in output.iterdir()):
        raise UsageError(f"{output} holds files that are not ours; name a new or an empty folder")


def earlier_records(
    root: Path, record: Path | None, lane: Lane, phase: Phase | None, shard: Shard | None
) -> dict[TestFile, FileRecord]:
    """Return what the last run says of each file, or a re-run of it since.

    Raises UsageError when there is no record, or none that can be read.
    """
    first = record_path(root, record, lane, phase, shard)
    if not first.exists():
        raise UsageError(f"--rerun failed: there is no record {first}; run without --rerun first")
    found = json_file.read(first, TierRecord, "tier record")
    latest = {TestFile(one.file): one for one in found.files}
    again = record_path(root, record, lane, phase, shard, rerun=True)
    if again.exists():
        later = json_file.read(again, TierRecord, "tier record")
        if later.started_at > found.started_at:
            latest |= {
                TestFile(one.file): one
                for one in later.files
                if one.dispatch is Dispatch.DISPATCHED
            }
    return latest

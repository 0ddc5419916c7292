"""Get a suite: its archive and an environment of its own, both with whatever pip is set up for.

A folder that is ready is used again; it is known by a stamp of everything it was made from.
"""

import hashlib
import json
import sys
import sysconfig
import tarfile
import venv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from tools.compatibility.suites import Form, Suite
from tools.pipeline import Pipeline

_STAMP = "ready.json"
_DOWNLOAD_SECONDS = 900.0
_INSTALL_SECONDS = 1800.0
_COMMON = ("playwright>=1.65", "pytest-playwright>=0.10")


class CannotBeHad(Exception):
    """A suite cannot be got or installed here; the message holds pip's last words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A suite that is ready to be run: its interpreter and where its files are."""

    python: Path
    source: Path
    site: Path


def prepare(suite: Suite, folder: Path, lanewright: Path, pipeline: Pipeline) -> Prepared:
    """Make the suite ready in `folder`, with Lanewright installed from the tree `lanewright`.

    Raises CannotBeHad. What was begun and not finished is begun anew the next time.
    """
    prepared = _places(folder)
    stamp = _stamp(suite)
    stamp_file = folder / _STAMP
    if not stamp_file.is_file() or stamp_file.read_text(encoding="utf-8") != stamp:
        stamp_file.unlink(missing_ok=True)
        _say(suite, f"making an environment in {folder}")
        venv.create(folder / "venv", with_pip=True, clear=True)
        _say(suite, f"installing {suite.pinned} and what its tests need")
        _pip(
            pipeline,
            prepared.python,
            ("install", "--quiet", suite.pinned, *suite.requirements, *_COMMON),
            _INSTALL_SECONDS,
        )
        if suite.form is Form.SDIST:
            _say(suite, "getting the source archive")
            _get_source(suite, folder, prepared, pipeline)
        stamp_file.write_text(stamp, encoding="utf-8")
    # Always: the tree may have changed since.
    _say(suite, f"installing Lanewright from {lanewright}")
    _pip(
        pipeline,
        prepared.python,
        ("install", "--quiet", "--force-reinstall", "--no-deps", str(lanewright)),
        _INSTALL_SECONDS,
    )
    _pip(pipeline, prepared.python, ("install", "--quiet", str(lanewright)), _INSTALL_SECONDS)
    return prepared


def _places(folder: Path) -> Prepared:
    environment = folder / "venv"
    paths = sysconfig.get_paths(
        scheme="venv", vars={"base": str(environment), "platbase": str(environment)}
    )
    return Prepared(
        python=Path(paths["scripts"]) / "python",
        source=folder / "source",
        site=Path(paths["purelib"]),
    )


def _stamp(suite: Suite) -> str:
    facts = (suite.pinned, suite.form.value, suite.requirements, suite.kept, _COMMON, sys.version)
    text = json.dumps(facts)
    return json.dumps({"suite": suite.name, "made_from": hashlib.sha256(text.encode()).hexdigest()})


def _get_source(suite: Suite, folder: Path, prepared: Prepared, pipeline: Pipeline) -> None:
    downloads = folder / "downloads"
    _pip(
        pipeline,
        prepared.python,
        (
            *("download", "--quiet", "--no-deps", f"--no-binary={suite.distribution}"),
            *("--dest", str(downloads), f"{suite.distribution}=={suite.version}"),
        ),
        _DOWNLOAD_SECONDS,
    )
    archives = sorted(downloads.glob(f"*-{suite.version}.tar.gz"))
    if len(archives) != 1:
        raise CannotBeHad(f"expected one source archive in {downloads}, found {archives}")
    unpack(archives[0], suite.kept, prepared.source)


def unpack(archive: Path, kept: Iterable[str], target: Path) -> None:
    """Unpack the folders and files `kept` of a source archive, without its top folder.

    Raises CannotBeHad when one of them is not in it. Nothing is written outside of `target`.
    """
    wanted = {PurePosixPath(path) for path in kept}
    found: set[PurePosixPath] = set()
    with tarfile.open(archive) as opened:
        for member in opened:
            path = PurePosixPath(*PurePosixPath(member.name).parts[1:])
            if here := wanted & {path, *path.parents}:
                found |= here
                opened.extract(member.replace(name=str(path)), target, filter="data")
    missing = sorted(map(str, wanted - found))
    if missing:
        raise CannotBeHad(f"{archive.name} holds no {', '.join(missing)}")


def _pip(
    pipeline: Pipeline, python: Path, arguments: Sequence[str], timeout_seconds: float
) -> None:
    command = (str(python), "-m", "pip", "--disable-pip-version-check", *arguments)
    status, output = pipeline.ask(command, timeout_seconds=timeout_seconds)
    if status != 0:
        how = "did not end in time" if status is None else f"ended with {status}"
        last = "\n".join(output.strip().splitlines()[-15:])
        raise CannotBeHad(f"pip {arguments[0]} {how}:\n{last}")


def _say(suite: Suite, what: str) -> None:
    print(f"{suite.name}: {what}", flush=True)

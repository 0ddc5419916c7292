"""What the worker tells the supervisor, one JSON line each."""

import msgspec

from harness.acceptance.report import Front, Outcome


class Planned(msgspec.Struct, frozen=True, kw_only=True, tag="planned"):
    """The checks that will run, in order: name and phase of each."""

    checks: tuple[tuple[str, str, str], ...]


class FrontSeen(msgspec.Struct, frozen=True, kw_only=True, tag="front"):
    """What became of the shared front."""

    front: Front


class Began(msgspec.Struct, frozen=True, kw_only=True, tag="began"):
    """A check runs from now on."""

    check: str


class Ended(msgspec.Struct, frozen=True, kw_only=True, tag="ended"):
    """A check has found what it found."""

    outcome: Outcome


class Pictured(msgspec.Struct, frozen=True, kw_only=True, tag="pictured"):
    """The page, as a PNG."""

    png: bytes


class Stopped(msgspec.Struct, frozen=True, kw_only=True, tag="stopped"):
    """The worker cannot go on: what a HarnessError said, and its exit code."""

    message: str
    exit_code: int


class Done(msgspec.Struct, frozen=True, kw_only=True, tag="done"):
    """Every check has run."""


News = Planned | FrontSeen | Began | Ended | Pictured | Stopped | Done

_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(News)


def encode(news: News) -> bytes:
    """Return one line."""
    return _encoder.encode(news) + b"\n"


def decode(line: bytes) -> News:
    """Read one line; raises msgspec.MsgspecError for anything else."""
    return _decoder.decode(line)


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """What the worker is to do: `deadline` is in time.monotonic(), `only` empty for every check."""

    project: str
    scratch: str
    deadline: float
    only: tuple[str, ...] = ()
    picture: bool = False

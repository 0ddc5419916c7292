"""What a runner hands to the pytest process of one file run, in one environment variable."""

import msgspec

from harness.records.tier_record import Record

VARIABLE = "HARNESS_FILE_RUN"


class Assignment(Record, frozen=True, kw_only=True):
    """One attempt to run one file. All paths are absolute.

    `file` is the path of the test file, `artefacts` the folder for what its tests keep. `events`
    is appended to; `notify` is a datagram socket that is told of every line, so that nobody needs
    to look; `stacks` receives the stack of every thread on `stacks_signal`.
    """

    file: str
    artefacts: str
    events: str
    notify: str
    stacks: str
    stacks_signal: int


def socket_address(notify: str) -> str:
    """Return the address of `notify` as a socket takes it: `@` begins an abstract name."""
    return f"\0{notify[1:]}" if notify.startswith("@") else notify


def encode(assignment: Assignment) -> str:
    """Return the value of the environment variable."""
    return msgspec.json.encode(assignment).decode()


def decode(value: str) -> Assignment:
    """Read the value back; raises msgspec.MsgspecError when it is none of ours."""
    return msgspec.json.decode(value.encode(), type=Assignment)

"""The names under which a test's report carries what the witness saw, and what it can say."""

from enum import StrEnum

WITNESS = "lanewright_witness"
NAVIGATIONS = "lanewright_navigations"
REQUESTS = "lanewright_requests"
COMMANDS = "lanewright_commands"
CDP_COMMANDS = "lanewright_cdp_commands"
PROPERTIES = (WITNESS, NAVIGATIONS, REQUESTS, COMMANDS, CDP_COMMANDS)


class Seen(StrEnum):
    """What the witness can say of one test."""

    DRIVEN = "drove a browser"
    NOT_DRIVEN = "drove no browser"
    SHARED = "uses what a wider fixture had from a browser"
    NOT_WATCHED = "not watched"

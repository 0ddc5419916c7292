"""Options of the user's own `addopts` that must not change what the harness asks pytest for."""

import pytest

# What stops early, leaves out or spreads a collection, and the value that undoes it.
_COLLECTION: dict[str, object] = {
    "ignore": None,
    "ignore_glob": None,
    "maxfail": 0,
    "lf": False,
    "failedfirst": False,
    "newfirst": False,
    "stepwise": False,
    "stepwise_skip": False,
    "numprocesses": None,
    "maxprocesses": None,
    "dist": "no",
    "tx": [],
}
# What beside that leaves tests out, does not run them, runs them again, asks a person, or writes
# one file for all.
_RUN: dict[str, object] = {
    "markexpr": "",
    "keyword": "",
    "deselect": None,
    "collectonly": False,
    "setuponly": False,
    "setupplan": False,
    "usepdb": False,
    "trace": False,
    "xmlpath": None,
    "reruns": 0,
    "count": 1,
    "continue_on_collection_errors": False,
    "color": "no",
}


def neutralize_collection(config: pytest.Config) -> None:
    """Let pytest collect all of it, in this process and to the end."""
    _set(config, _COLLECTION)


def neutralize_run(config: pytest.Config) -> None:
    """Let pytest run what the last argument names, all of it, once, and nothing else."""
    _set(config, _COLLECTION | _RUN)
    # `addopts` may name files too; what the command line adds comes after them.
    config.args = config.args[-1:]


def _set(config: pytest.Config, values: dict[str, object]) -> None:
    for name, value in values.items():
        if hasattr(config.option, name):
            setattr(config.option, name, value)

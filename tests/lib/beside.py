"""Other people's pytest plugins, installed beside our environment and not into it.

`tools/dev.py setup` installs each dependency group `beside-NAME` of pyproject.toml into a folder
of its own. A suite sees one when the folder is on its path, as if it were installed.
"""

import os
import sys
import sysconfig
from collections.abc import Iterable
from pathlib import Path

_BESIDE = Path(sys.prefix) / "beside"


def beside(name: str) -> Path:
    """Return the folder of the group. A missing one fails: what is not there is not tested."""
    folder = _BESIDE / name
    assert folder.is_dir(), f"{folder} is missing: run python3 tools/dev.py setup"
    return folder


def path_of(*folders: Path) -> str:
    """Return a PYTHONPATH of these folders."""
    return os.pathsep.join(map(str, folders))


def in_order(folder: Path, distributions: Iterable[str], *, among: Iterable[Path]) -> str:
    """Return a PYTHONPATH that lets pytest find these distributions first, in this order.

    Otherwise the file system decides. Only what tells of a distribution is linked below `folder`,
    its modules stay where they are: in this environment or in `among`.
    """
    places = (*among, Path(sysconfig.get_paths()["purelib"]))
    links = []
    for number, distribution in enumerate(distributions):
        (found,) = (path for place in places for path in place.glob(f"{distribution}-*.dist-info"))
        link = folder / str(number) / found.name
        link.parent.mkdir(parents=True)
        link.symlink_to(found)
        links.append(link.parent)
    return path_of(*links, *among)

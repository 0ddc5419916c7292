"""Pull the trigger of a row."""

import errno
import os
import signal

from tests.lib.events import wait_until
from tests.lib.matrix import Trigger
from tests.lib.owner import Owner

_PIPE_SECONDS = 10.0
_TO_THE_OWNER = {
    Trigger.TERM: signal.SIGTERM,
    Trigger.INT: signal.SIGINT,
    Trigger.HUP: signal.SIGHUP,
    Trigger.KILL: signal.SIGKILL,
}
_TO_ITS_GROUP = {
    Trigger.TERM_GROUP: signal.SIGTERM,
    Trigger.INT_GROUP: signal.SIGINT,
    Trigger.HUP_GROUP: signal.SIGHUP,
    Trigger.KILL_GROUP: signal.SIGKILL,
}


def pull(owner: Owner, trigger: Trigger, number: int = 0) -> None:
    """End the owner this way; `number` names the household whose own process is meant."""
    if trigger in _TO_THE_OWNER:
        owner.stage.signal(_TO_THE_OWNER[trigger])
    elif trigger in _TO_ITS_GROUP:
        owner.stage.signal_group(_TO_ITS_GROUP[trigger])
    elif trigger in (Trigger.EXIT, Trigger.TIMEOUT_THREAD):
        _tell(owner, number)
    else:
        # pytest-timeout's own clock is an interval timer, whose end is this very signal.
        sent = signal.SIGALRM if trigger is Trigger.TIMEOUT_SIGNAL else signal.SIGKILL
        os.kill(owner.all_said("household")[number]["pid"], sent)


def _tell(owner: Owner, number: int) -> None:
    path = owner.folder / f"go-{number}"

    def opened() -> int | None:
        try:
            return os.open(path, os.O_WRONLY | os.O_NONBLOCK)
        except OSError as error:
            if error.errno not in (errno.ENXIO, errno.ENOENT):
                raise
            return None

    os.close(wait_until(opened, _PIPE_SECONDS, "the household to listen to its pipe") or 0)

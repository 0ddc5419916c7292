"""The settings that `accept` runs with where a project has none: those of the demo."""

import sys

from harness.config.accept import AcceptSettings, TurnSettings
from harness.demo.app import STATIC_FOLDER, STATIC_PREFIX
from harness.demo.folder import SEED_BYTES, SEED_NAME, TURN_LOG_NAME

DEMO = AcceptSettings(
    serve=(sys.executable, "-m", "harness.demo", "--root", "{root}"),
    disk={"/": str(STATIC_FOLDER / "index.html"), STATIC_PREFIX: str(STATIC_FOLDER)},
    reads=("/api/root", "/api/files"),
    writes=("POST /api/turn",),
    seed={SEED_NAME: SEED_BYTES.decode()},
    turn=TurnSettings(
        form="#turn",
        input="#utterance",
        send="#turn button[type=submit]",
        shown="#reply",
        request="POST /api/turn",
        file=TURN_LOG_NAME,
        line='{"turn": 1, "utterance": {json}}',
    ),
)

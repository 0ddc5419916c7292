"""`[tool.harness]` of a pyproject.toml as a checked, immutable value.

`load(root)` reads the file of a project, `parse(text, file)` a text that is at hand; both return
a `Config` or raise one `ConfigError` that holds every `Problem`. `KEYS` describes every key for
documentation. Pure, but for the one file that `load` reads.
"""

from harness.config.declare import Key
from harness.config.problems import ConfigError, Problem
from harness.config.reader import load, parse
from harness.config.schema import KEYS, Config

__all__ = ["KEYS", "Config", "ConfigError", "Key", "Problem", "load", "parse"]

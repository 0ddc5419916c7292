"""The `harness` command: options in, text and an exit code out."""

from harness.cli.app import main

__all__ = ["main"]

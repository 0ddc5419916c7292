"""`python -m harness.cli` is the `harness` command."""

from harness.cli.app import main

main()

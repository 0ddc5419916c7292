"""The words of the domain as types. Pure: imports nothing of the harness, does nothing."""

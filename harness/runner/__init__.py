"""Runs the files of a plan, each in a process of its own. Never imports a browser or a server."""

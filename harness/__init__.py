"""Lanewright: a browser-integration test harness for Chromium over CDP.

Importing this package imports nothing else: each room is imported by name, so that a
command or a warden pays only for what it uses.
"""

__version__ = "0.1.0"

"""What a page does when it is opened, left alone, or typed into: measured in a real Chromium.

Every module takes a Playwright `Browser` and the witness in front of a server, and returns what
it measured as a value. Nothing here knows of checks or settings.
"""

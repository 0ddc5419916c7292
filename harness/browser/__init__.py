"""Own a Chromium: find it, launch it under a warden, connect Playwright, tell how it is."""

"""Shows a run: markers, progress, summary, JUnit. Derived from events and records, never more."""

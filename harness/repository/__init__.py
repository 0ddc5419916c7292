"""What git knows of a project: which tree stands there. Reads; changes nothing."""

"""What every lane of this repository's own tests shares."""

pytest_plugins = ["pytester"]

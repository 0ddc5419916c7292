"""Does installing Lanewright change a result of a public suite? `run.py --help`."""

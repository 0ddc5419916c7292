"""Lanes, queue, coverage, shards, selection. Pure: sources and settings in, decisions out."""

"""Thin scripts for people and CI."""

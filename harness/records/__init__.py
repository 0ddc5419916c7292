"""Typed records, their one derivation of a status, and their store.

`tier_record` holds the stored types, `derive_status` says how a file run ended, `json_file`
reads and writes. Import the module that you need.
"""

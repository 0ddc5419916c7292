"""Typed records, their one derivation of a status, and their store.

`tier_record` holds the stored types, `derive_status` says how a file run ended, `json_file`
reads and writes, `facts_cache` and `roster_cache` keep what is known of sources. Import the
module that you need.
"""

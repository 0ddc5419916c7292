"""Own a server: start it, prove that the answer is its own, prove it gone afterwards.

`harness.server.serving.serve` starts one, `harness.server.handle.Server` is the handle.
"""

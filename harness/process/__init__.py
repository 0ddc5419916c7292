"""Spawn, own, stop, verify and sample processes: the only room that starts or signals one.

Empty on purpose: a warden imports modules of this room with a bare interpreter and must
not pay for the owner's side. Import the module that you need.
"""

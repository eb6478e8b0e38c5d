"""Runs a user's program, or records a block of one: its names, loops, clock and sources.

`runner.run` runs a program as a whole; `recording.record` is `backscope.record`.
"""

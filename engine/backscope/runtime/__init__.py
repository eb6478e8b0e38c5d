"""The lowest room: the listener, state of the process, warnings, signals, memory.

Imports nothing else of the engine.  Other rooms read `listening.hub`, keep state in `process.process_wide` and warn
with `warning.warn`.
"""

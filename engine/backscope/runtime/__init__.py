"""What lies under everything: the listener, state of the process, warnings, signals, memory.

Imports nothing else of the engine.  Others ask `listening.hub`, keep state in `process.process_wide` and warn with
`warning.warn`.
"""

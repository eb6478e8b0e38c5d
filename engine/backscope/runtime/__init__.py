"""What lies under everything: who listens to the engine, state of the process, warnings, signals.

Imports nothing else of the engine.  Others ask `listening.hub`, keep state in `process.process_wide` and warn with
`warning.warn`.
"""

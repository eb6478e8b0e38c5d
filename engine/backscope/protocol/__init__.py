"""The data that pages, editors and files exchange with runs: events, commands, answers, traces, and their bounds.

It imports nothing of the engine.  The page's types are generated from `events` and `commands`, and the server checks
what it receives against them.
"""

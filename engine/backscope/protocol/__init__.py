"""What crosses to a page, an editor or a file: events, commands, answers, traces, and their bounds.

Knows nothing of the engine.  `events` is the single source: the page's types and the server's checks come from it.
"""

"""Moments of the engine become events: the recorder, its parts, identities, the journal.

The only room that emits events.  `narration` makes the events of the moments that `journal` keeps.
"""

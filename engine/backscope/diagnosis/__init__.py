"""Explains errors while they are raised, from the tape; `why` answers questions afterwards, from a log.

Other rooms call `diagnose.explain`.
"""

"""The breakpoints of a run, and which of them a line or a moment of the recorder reaches.

`BreakpointSet` holds them all.  `Matching` is made of one part for each kind of breakpoint that is not on a line.
"""

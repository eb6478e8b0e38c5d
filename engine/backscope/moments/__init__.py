"""Moments of a run, named by what they mean as `after w accumulates #2`, and found in its events."""

from backscope.moments.moment_name import NotAName as NotAName
from backscope.moments.moment_search import NotFound as NotFound, Place as Place, find as find

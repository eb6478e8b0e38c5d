"""Summaries of values: first elements, norm, counts of NaN, decimals, statistics.

The recorder and the debugger use `summary` for one tensor and `summary_batch` for many.
"""

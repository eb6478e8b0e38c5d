"""What is told of a value: first elements, norm, counts of NaN, decimals, statistics.

The recorder and the debugger ask `summary` for one tensor and `summary_batch` for many.
"""

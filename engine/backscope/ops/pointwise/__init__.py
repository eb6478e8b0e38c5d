"""Ops of one element at a time: arithmetic, comparisons, powers, exponentials, rounding, complex parts."""

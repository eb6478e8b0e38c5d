"""Reductions, extremes, sorting, statistics, running sums."""

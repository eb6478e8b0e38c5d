"""Pruning: masks over parameters, and the ways to choose them."""

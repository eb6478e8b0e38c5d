"""Traces an element of a gradient back to the gradients that its pass started from."""

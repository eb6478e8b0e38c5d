"""Where a number comes from: an element of a gradient, back to what its pass started from."""

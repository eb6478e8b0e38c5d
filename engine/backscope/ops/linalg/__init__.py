"""Products of matrices, decompositions, and the solvers based on them."""

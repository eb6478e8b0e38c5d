"""Sparse tensors and the ops on them."""

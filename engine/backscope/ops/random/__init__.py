"""Tensors of random numbers, and how some of them move with their parameters."""

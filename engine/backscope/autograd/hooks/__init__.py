"""Hooks on tensors and nodes, and the handles by which they are removed."""

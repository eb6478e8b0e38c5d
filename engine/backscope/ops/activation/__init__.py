"""Activations of networks, and softmax."""

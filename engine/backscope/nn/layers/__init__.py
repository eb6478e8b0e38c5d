"""Layers of networks as modules."""

"""Ops of network layers: convolutions, normalizations, attention, recurrence, embeddings."""

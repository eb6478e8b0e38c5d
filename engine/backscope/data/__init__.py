"""Datasets, samplers and the loader that makes batches of them."""

"""Saved tensors: how nodes keep them, read them back, and what hooks do to them."""

"""Tensor and what describes it: dtype, size, device, storage, versions, printing, saving, overrides.

One core with `autograd`, `ops`, `func` and `random`: `tensor.Tensor` is what all of them work on.
"""

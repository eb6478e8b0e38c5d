"""Pooling: windows of images reduced to a number each."""

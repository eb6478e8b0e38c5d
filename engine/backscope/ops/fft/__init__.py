"""Fourier transforms, and the windows of signals."""

"""Parametrizations: a tensor of a module computed from others whenever it is read."""

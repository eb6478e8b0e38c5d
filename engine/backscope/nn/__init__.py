"""Modules, written on the ops.

`module` holds what every module is, `layers`, `losses`, `parametrization` and `pruning` the kinds of them; here is what
works on parameters and whole modules.
"""

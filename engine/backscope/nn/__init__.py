"""Modules, written on the ops.

`module` holds the parts of every module; `layers`, `losses`, `parametrization` and `pruning` hold the kinds of modules;
the files here work on parameters and whole modules.
"""

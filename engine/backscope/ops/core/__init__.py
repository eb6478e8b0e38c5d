"""The mechanism of ops: declarations, the code of their calls and formulas, writing into memory.

Modules that declare ops use `declaration`, `elementwise`, `dispatch` and `namespace`.
"""

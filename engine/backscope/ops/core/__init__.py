"""What an op is and how it runs: declarations, the code of their calls and formulas, writing into memory.

Modules that declare ops use `declaration`, `elementwise`, `dispatch` and `namespace`.
"""

"""What an op is and how it runs: declarations, the code of their calls and formulas, writing into memory.

Pages of ops use `declaration`, `elementwise`, `dispatch` and `namespace`.
"""

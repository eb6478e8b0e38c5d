"""Sessions on many machines: gateways serve them, workers run their programs, and Redis streams keep what was said.

A program runs from its order and its commands alone, and does the same in every run, so a worker that dies costs
nothing but time: another one runs the program again, and what the log has already is not written twice.
"""

"""The tape: nodes, the backward pass, and the functions by which programs use it.

This folder holds nodes, plans and passes, and `modes`, `views`, `saved`, `hooks` and `transforms` what they work with;
`function`, `checkpoint`, `gradcheck` and `functional` hold what is built on them.
"""

"""Random small programs, run on Backscope and on PyTorch and compared statement by statement.

`generator` makes a program from a seed, out of what `creation`, `views`, `changes`, `operations`, `modes` and
`transforms` offer; `observation` runs it and notes the state of every tensor after each statement; `comparison` finds
where two runs part; `shrinking` takes away what that does not need.
"""

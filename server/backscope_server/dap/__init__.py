"""`backscope dap`: the debugger for editors, by the Debug Adapter Protocol.

`adapter.py` answers the requests of an editor; `debuggee.py` is the program that they are about.
"""

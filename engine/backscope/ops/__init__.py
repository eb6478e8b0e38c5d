"""The ops, grouped in one folder per family; importing `backscope.ops.names.all` declares them.

`core` holds what a declaration is and how it is called; the other folders hold declarations.
"""

"""The ops, a room per family; importing `backscope.ops.names.all` declares them.

`core` holds what a declaration is and how it is called; the other rooms hold declarations.
"""

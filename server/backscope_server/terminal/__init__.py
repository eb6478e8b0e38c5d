"""`backscope debug`: the debugger in a terminal."""

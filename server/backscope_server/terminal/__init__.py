"""Programs in a terminal: `backscope run`, and the debugger `backscope debug`."""

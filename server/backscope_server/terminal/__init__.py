"""Programs in a terminal: `backscope run`, and the debugger of `backscope debug`."""

"""The command line: its grammar, and what `backscope serve`, `open`, `export` and `sandbox` do."""

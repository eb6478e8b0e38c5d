"""`python -m backscope_server` is the command `backscope`."""

import sys

from backscope_server.command.cli import main

if __name__ == "__main__":
    sys.exit(main())

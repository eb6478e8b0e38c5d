"""`python3 tests`: sets up what is missing, then runs every suite; `python3 tests engine web` runs parts.

Parts: lint, engine, server, packaging, web, browser.  `python3 tests setup` only sets up.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
NEEDED = (3, 11)


def main():
    """Set up with the Python that runs this, or a newer one from PATH; then hand over to tests/suites.py."""
    if sys.version_info < NEEDED:
        for minor in range(19, NEEDED[1] - 1, -1):
            found = shutil.which(f"python3.{minor}")
            if found and subprocess.call([found, "-c", ""], stdin=subprocess.DEVNULL) == 0:
                sys.exit(subprocess.call([found, str(HERE), *sys.argv[1:]]))
        sys.exit(
            f"Backscope needs Python {NEEDED[0]}.{NEEDED[1]} or newer; "
            f"this is {sys.version_info[0]}.{sys.version_info[1]}, and there is no newer one on PATH."
        )
    sys.path.insert(0, str(HERE.parent / "server"))
    import suites

    sys.exit(suites.main(sys.argv[1:]))


if __name__ == "__main__":
    os.environ.setdefault("PYTHONUNBUFFERED", "1")
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)

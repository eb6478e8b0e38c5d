"""`python3 server`: sets up what is missing, then runs `backscope serve` with the arguments given."""

import os
import shutil
import subprocess
import sys

NEEDED = (3, 11)
HELP = """\
usage: python3 server [-h] [--port N] [--host H] [--no-browser] [--public] [--fleet ADDRESS]

Set up what is missing, then start the server and open its page. The first start needs a network.
The limits of programs are set by environment variables, which server/backscope_server/operations/README.md lists.

options:
  -h, --help       show this help message and exit
  --port N         port to listen on (default 8000); 0 for any free port
  --host H         address to listen on, loopback only unless public (default 127.0.0.1)
  --no-browser     do not open a browser
  --public         serve anyone: narrow limits, any address; refused if the sandbox is not complete
  --fleet ADDRESS  be a gateway of a fleet, whose Redis is at this address: programs run on its workers
"""


def newer_python():
    """Return the path of a Python on PATH that is new enough, or None."""
    for minor in range(19, NEEDED[1] - 1, -1):
        found = shutil.which(f"python3.{minor}")
        if found and subprocess.call([found, "-c", ""], stdin=subprocess.DEVNULL) == 0:
            return found
    return None


def replace(arguments):
    """Replace this process by another program; on Windows, run it and exit with its status."""
    sys.stdout.flush()
    sys.stderr.flush()
    if os.name != "nt":
        os.execv(arguments[0], arguments)
    try:
        sys.exit(subprocess.call(arguments))
    except KeyboardInterrupt:
        sys.exit(130)


def main():
    """Set up and serve."""
    # The command line has the same text, but is not installed before the first start.
    if not {"-h", "--help"}.isdisjoint(sys.argv[1:]):
        sys.stdout.write(HELP)
        return
    # Everything else needs the newer Python to be read at all, this file does not.
    if sys.version_info < NEEDED:
        newer = newer_python()
        if newer is not None:
            replace([newer, os.path.dirname(os.path.abspath(__file__)), *sys.argv[1:]])
        sys.exit(
            f"Backscope needs Python {NEEDED[0]}.{NEEDED[1]} or newer; "
            f"this is {sys.version_info[0]}.{sys.version_info[1]}, and there is no newer one on PATH."
        )

    import environment

    try:
        with environment.page_packages():
            environment.ensure("server")
    except environment.SetupError as error:
        sys.exit(str(error))
    try:
        environment.ensure_page()
    except environment.SetupError as error:
        if not environment.page.is_built():
            sys.exit(str(error))
        sys.stderr.write(f"{error}\nServing the page as it was last built.\n")
    # -P: a file in the current folder must not be imported instead of a package of the same name.
    replace([str(environment.PYTHON), "-P", "-m", "backscope_server", "serve", *sys.argv[1:]])


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)

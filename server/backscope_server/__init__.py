"""The server of Backscope: it runs programs in locked-down processes and streams their events to the page."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("backscope")
except PackageNotFoundError:
    __version__ = "0+unknown"

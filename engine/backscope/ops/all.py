"""Declares every op and puts the methods on Tensor, by importing every page of this folder."""

from __future__ import annotations

import importlib
import pkgutil

from backscope import ops
from backscope.ops.declaration import catalogue

__all__ = ["catalogue"]

for _page in pkgutil.iter_modules(ops.__path__):
    if _page.name != "all":
        importlib.import_module(f"backscope.ops.{_page.name}")

importlib.import_module("backscope.ops.in_place").publish_functions()

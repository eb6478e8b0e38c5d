"""Declares every op and puts the methods on Tensor, by importing every page of every family."""

from __future__ import annotations

import importlib
import pkgutil

from backscope import ops
from backscope.ops.core.declaration import catalogue
from backscope.torch_dispatch import wrapper  # noqa: F401 - puts a method on Tensor

__all__ = ["catalogue"]

_pages = {
    page.name.rpartition(".")[2]: importlib.import_module(page.name)
    for page in pkgutil.walk_packages(ops.__path__, f"{ops.__name__}.")
    if not page.ispkg and page.name != __name__
}
_pages["in_place"].publish_functions()

_check_all, _names = _pages["argument_checks"].check_all, _pages["namespace"]
_check_all("torch", _names.torch_functions)
_check_all("nn", _names.functional)
_check_all("linalg", _names.linalg)
_check_all("special", _names.torch_functions, "special_")
_check_all("special", _pages["special_names"].special)
_check_all("fft", _pages["fourier"].fft)
_pages["argument_checks"].check_methods()
# PyTorch's own name of that function.
_names.functional["logsigmoid"] = _names.alias(_names.functional["logsigmoid"], "log_sigmoid")

"""Declares every op and adds the methods of Tensor, by importing every module of every family."""

from __future__ import annotations

import importlib
import pkgutil

from backscope import ops
from backscope.ops.core import namespace
from backscope.ops.core.arguments.argument_checks import check_all, check_methods
from backscope.ops.core.declaration import catalogue
from backscope.ops.fft.fourier import fft
from backscope.ops.names import in_place
from backscope.ops.names.special_names import special
from backscope.torch_dispatch import wrapper  # noqa: F401 - puts a method on Tensor

__all__ = ["catalogue"]

for _module in pkgutil.walk_packages(ops.__path__, f"{ops.__name__}."):
    if not _module.ispkg and _module.name != __name__:
        importlib.import_module(_module.name)
in_place.publish_functions()

check_all("torch", namespace.torch_functions)
check_all("nn", namespace.functional)
check_all("linalg", namespace.linalg)
check_all("special", namespace.torch_functions, "special_")
check_all("special", special)
check_all("fft", fft)
check_methods()
# PyTorch has this function under both names.
namespace.functional["logsigmoid"] = namespace.alias(namespace.functional["logsigmoid"], "log_sigmoid")

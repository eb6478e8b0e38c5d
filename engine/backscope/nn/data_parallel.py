"""DataParallel and DistributedDataParallel without GPUs and other processes."""

from __future__ import annotations

from typing import Any, NoReturn

from backscope.nn.module.module import Module
from backscope.runtime.given import Device, Value, Values
from backscope.tensor.single_process import reject_without_group
from backscope.tensor.typename import belongs


class DataParallel(Module):
    """A module that would run on several GPUs; without any it is called unchanged."""

    module: Module

    def __init__(self, module: Module, device_ids: Device = None, output_device: Device = None, dim: int = 0) -> None:
        super().__init__()
        self.module = module
        self.device_ids: list[int] = []

    # Any: the wrapped module's forward returns a value of any type.
    def forward(self, *inputs: Value, **kwargs: Value) -> Any:
        """Return the output of the module."""
        return self.module(*inputs, **kwargs)


class DistributedDataParallel(Module):
    """A module with gradients shared between processes; Backscope runs one process, which can't set up a group."""

    def __init__(self, module: Module, *args: object, **kwargs: object) -> None:
        super().__init__()
        reject_without_group()


def data_parallel(
    module: Module,
    inputs: Values,
    device_ids: Device = None,
    output_device: Device = None,
    dim: int = 0,
    module_kwargs: dict[str, Value] | None = None,
) -> NoReturn:
    """PyTorch's error of a machine without GPUs: RuntimeError."""
    raise RuntimeError("device type could not be determined")


belongs("torch.nn.parallel.data_parallel", DataParallel)
belongs("torch.nn.parallel.distributed", DistributedDataParallel)

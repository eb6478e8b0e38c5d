"""What a subclass may call its own attributes, and where PyTorch's private bases are found."""

from __future__ import annotations

import importlib
import inspect
import pickle
from types import ModuleType

import pytest


def test_layers_have_no_public_names_of_our_own(torch: ModuleType) -> None:
    """A program's subclass may use any name that PyTorch leaves free."""
    free = {"dims", "function", "mode", "title", "numbers_of_dims", "shape"}
    for name in dir(torch.nn):
        layer = getattr(torch.nn, name)
        if inspect.isclass(layer) and issubclass(layer, torch.nn.Module):
            assert not free & set(vars(layer)), name


def test_a_custom_convolution_derives_from_the_private_base(torch: ModuleType) -> None:
    base = importlib.import_module(f"{torch.__name__}.nn.modules.conv")._ConvNd

    class Blur(base):  # type: ignore[misc, valid-type]
        def __init__(self) -> None:
            super().__init__(1, 1, (3,), (1,), (1,), (1,), False, (0,), 1, False, "zeros")

        def forward(self, x: object) -> object:
            return torch.nn.functional.conv1d(x, self.weight, None, self.stride, self.padding)

    assert tuple(Blur()(torch.ones(1, 1, 4)).shape) == (1, 1, 4)
    assert repr(Blur()) == "Blur(1, 1, kernel_size=(3,), stride=(1,), padding=(1,), bias=False)"


@pytest.mark.parametrize("name", ["weight_norm", "spectral_norm"])
def test_a_page_and_the_function_of_its_name_live_together(name: str) -> None:
    """Importing the page, as unpickling does, leaves the function where it was."""
    from backscope.torch._backend.import_hook import Alias

    with Alias():
        import torch

        exec(f"from torch.nn.utils.{name} import {name}")
        assert callable(getattr(torch.nn.utils, name))
        again = pickle.loads(pickle.dumps(torch.nn.utils.spectral_norm(torch.nn.Linear(2, 2))))
        assert "weight_u" in again.state_dict()
        assert callable(getattr(torch.nn.utils, name))

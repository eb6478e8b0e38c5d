"""Folding a batch normalization in evaluation into the convolution or linear layer before it."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from backscope.ops.core.namespace import torch_functions as F
from backscope.runtime.given import Option, Value
from backscope.tensor.parameter import Parameter

if TYPE_CHECKING:
    from backscope.nn.module.module import Module


def _fused(layer: Module, bn: Module, fuse: Callable[..., tuple[Any, Any]], *options: Option) -> Module:
    """Copy a layer with the weight and bias from `fuse`; AssertionError without running statistics."""
    fused = copy.deepcopy(layer)
    if bn.running_mean is None or bn.running_var is None:
        raise AssertionError("bn.running_mean and bn.running_var must not be None")
    fused.weight, fused.bias = fuse(
        fused.weight, fused.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias, *options
    )
    return fused


def _check_evaluation(layer: Module, bn: Module) -> None:
    if layer.training or bn.training:
        raise AssertionError("Fusion only for eval!")


def fuse_conv_bn_eval(conv: Module, bn: Module, transpose: bool = False) -> Module:
    """Return a convolution equal to a convolution and a batch normalization, both in evaluation mode."""
    _check_evaluation(conv, bn)
    return _fused(conv, bn, fuse_conv_bn_weights, transpose)


def fuse_conv_bn_weights(
    conv_w: Value,
    conv_b: Value,
    bn_rm: Value,
    bn_rv: Value,
    bn_eps: float,
    bn_w: Value,
    bn_b: Value,
    transpose: bool = False,
) -> tuple[Any, Any]:
    """Weight and bias of the fused convolution."""
    kind = conv_w.dtype
    bias_kind = kind if conv_b is None else conv_b.dtype
    conv_b = F["zeros_like"](bn_rm) if conv_b is None else conv_b
    bn_w = F["ones_like"](bn_rm) if bn_w is None else bn_w
    bn_b = F["zeros_like"](bn_rm) if bn_b is None else bn_b
    scale = F["rsqrt"](bn_rv + bn_eps)
    channels = [1, -1] if transpose else [-1, 1]
    shape = channels + [1] * (len(conv_w.shape) - 2)
    weight = (conv_w * (bn_w * scale).reshape(shape)).to(dtype=kind)
    bias = ((conv_b - bn_rm) * scale * bn_w + bn_b).to(dtype=bias_kind)
    return Parameter(weight, conv_w.requires_grad), Parameter(bias, conv_b.requires_grad)


def fuse_linear_bn_eval(linear: Module, bn: Module) -> Module:
    """Return a linear layer equal to a linear layer and a batch normalization, both in evaluation mode."""
    _check_evaluation(linear, bn)
    if bn.num_features not in (linear.out_features, 1):
        raise AssertionError(
            "To fuse, linear.out_features == bn.num_features or bn.num_features == 1, got "
            f"linear.out_features={linear.out_features} and bn.num_features={bn.num_features}"
        )
    return _fused(linear, bn, fuse_linear_bn_weights)


def fuse_linear_bn_weights(
    linear_w: Value, linear_b: Value, bn_rm: Value, bn_rv: Value, bn_eps: float, bn_w: Value, bn_b: Value
) -> tuple[Any, Any]:
    """Weight and bias of the fused linear layer."""
    kind = linear_w.dtype
    bias_kind = kind if linear_b is None else linear_b.dtype
    linear_b = F["zeros_like"](bn_rm) if linear_b is None else linear_b
    scale = bn_w * F["rsqrt"](bn_rv + bn_eps)
    weight = linear_w * scale.unsqueeze(-1).to(dtype=kind)
    bias = ((linear_b - bn_rm) * scale + bn_b).to(dtype=bias_kind)
    return Parameter(weight, linear_w.requires_grad), Parameter(bias, linear_b.requires_grad)

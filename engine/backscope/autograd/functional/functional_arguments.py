"""The arguments and results of torch.autograd.functional: how they are checked, prepared and returned."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from backscope.autograd.backward_and_grad import grad
from backscope.ops.core.namespace import torch_functions
from backscope.runtime.given import Value, Values
from backscope.tensor.tensor import Tensor


def tensors(value: Value, what: str, api: str | None) -> tuple[bool, tuple[Any, ...]]:
    """Return a tensor or a tuple of tensors as a tuple, and if it was one; TypeError for anything else."""
    several = isinstance(value, tuple)
    if api is None:
        return several, value if several else tuple(value) if isinstance(value, list) else (value,)
    given = value if several else (value,)
    for i, x in enumerate(given):
        if not isinstance(x, Tensor):
            where = f"value at index {i}" if several else f"given {what}"
            raise TypeError(
                f"The {what} given to {api} must be either a Tensor or a tuple of Tensors but the {where} has type "
                f"{type(x)}."
            )
    return several, given


def restored(values: tuple[Any, ...], several: bool) -> Values:
    """Return a tuple as it is, or its only tensor where the program gave a single tensor."""
    return values if several else values[0]


def prepared(tensors: tuple[Any, ...], create_graph: bool, tracked: bool) -> tuple[Any, ...]:
    """Return tensors to differentiate by: parts of their graph if `create_graph`, otherwise new leaves."""
    return tuple(
        [x.view_as(x) if create_graph and x.requires_grad else x.detach().requires_grad_(tracked) for x in tensors]
    )


def finished(tensors: tuple[Any, ...], create_graph: bool) -> tuple[Any, ...]:
    """Return the results with their graph if `create_graph`, otherwise detached."""
    return tensors if create_graph else tuple([x.detach() for x in tensors])


def vector(v: Value, api: str, like: tuple[Any, ...], several: bool, create_graph: bool) -> tuple[Any, ...]:
    """Return the prepared vector of a product; RuntimeError where it doesn't have the sizes of `like`."""
    _, v = tensors(v, "v", api)
    vectors = prepared(v, create_graph, False)
    if len(like) != len(vectors):
        if several:
            raise RuntimeError(f"v is a tuple of invalid length: should be {len(like)} but got {len(vectors)}.")
        raise RuntimeError("The given v should contain a single Tensor.")
    for i, (given, x) in enumerate(zip(vectors, like, strict=True)):
        if given.shape != x.shape:
            entry = f"Entry {i} in " if several else ""
            raise RuntimeError(f"{entry}v has invalid size: should be {x.shape} but got {given.shape}.")
    return vectors


def gradients(
    outputs: tuple[Any, ...],
    inputs: tuple[Any, ...],
    grad_outputs: tuple[Any, ...] | None = None,
    *,
    create_graph: bool = False,
    retain_graph: bool | None = None,
    is_grads_batched: bool = False,
) -> tuple[Any, ...]:
    """Compute the gradients of the outputs that require grad; None for an input without one."""
    given = grad_outputs if grad_outputs is not None else (None,) * len(outputs)
    pairs = [(o, g) for o, g in zip(outputs, given, strict=True) if o is not None and o.requires_grad]
    if not pairs:
        return (None,) * len(inputs)
    found: tuple[Any, ...] = grad(
        tuple([o for o, _ in pairs]),
        inputs,
        tuple([g for _, g in pairs]),
        retain_graph,
        create_graph,
        allow_unused=True,
        is_grads_batched=is_grads_batched,
    )
    return found


def check_outputs(outputs: tuple[Any, ...], strict: bool) -> None:
    """Raise RuntimeError, if `strict`, for an output that does not require grad."""
    for i, out in enumerate(outputs):
        if strict and not out.requires_grad:
            raise RuntimeError(
                f"Output {i} of the user-provided function does not require gradients. The outputs must be computed in "
                "a differentiable manner from the input when running in strict mode."
            )


def check_tracked(found: tuple[Any, ...], what: str, strict: bool) -> None:
    """Raise RuntimeError, if `strict`, for a derivative that doesn't depend on the inputs."""
    if not strict:
        return
    texts = {
        "grad_inputs": (
            "The gradient with respect to input {} is independent of the inputs of the user-provided function. This is "
            "not allowed in strict mode."
        ),
        "jacobian": (
            "While computing the hessian, found that the jacobian of the user-provided function with respect to input "
            "{} is independent of the input. This is not allowed in strict mode. You should ensure that your function "
            "is twice differentiable and that the jacobian depends on the inputs (this would be violated by a linear "
            "function for example)."
        ),
        "hessian": (
            "The hessian of the user-provided function with respect to input {} is independent of the input. This is "
            "not allowed in strict mode. You should ensure that your function is thrice differentiable and that the "
            "hessian depends on the inputs."
        ),
    }
    for i, x in enumerate(found):
        if x is None:
            raise RuntimeError(
                f"The output of the user-provided function is independent of input {i}. This is not allowed in strict "
                "mode."
            )
        if not x.requires_grad:
            raise RuntimeError(texts[what].format(i))


_INDEPENDENT = {
    "back": (
        "The output of the user-provided function is independent of input {}. This is not allowed in strict mode."
    ),
    "back_trick": (
        "The gradient with respect to the input is independent of entry {} in the grad_outputs when using the double "
        "backward trick to compute forward mode gradients. This is not allowed in strict mode."
    ),
    "double_back": (
        "The jacobian of the user-provided function is independent of input {}. This is not allowed in strict mode."
    ),
    "double_back_trick": (
        "The hessian of the user-provided function is independent of entry {} in the grad_jacobian. This is not "
        "allowed in strict mode as it prevents from using the double backward trick to replace forward mode AD."
    ),
}


def filled(
    found: tuple[Any, ...], like: tuple[Any, ...], strict: bool, create_graph: bool, stage: str
) -> tuple[Any, ...]:
    """Replace missing gradients by zeros; RuntimeError for them if `strict`."""
    filled = []
    for i, x in enumerate(found):
        if x is None:
            if strict:
                raise RuntimeError(_INDEPENDENT[stage].format(i))
            filled.append(zeros(like[i]))
            continue
        if strict and create_graph and not x.requires_grad:
            what = "hessian" if "double" in stage else "jacobian"
            raise RuntimeError(
                f"The {what} of the user-provided function is independent of input {i}. This is not allowed in strict "
                "mode when create_graph=True."
            )
        filled.append(x)
    return tuple(filled)


def zeros(like: Value, *, tracked: bool = False) -> Value:
    """Return zeros in the shape and dtype of a tensor."""
    return torch_functions["zeros_like"](like, requires_grad=tracked)


def scalar_problem(
    func: Callable[..., Any], inputs: Values, v: Value, api: str, create_graph: bool, strict: bool
) -> tuple[bool, Any, Any, tuple[Any, ...]]:
    """Return the prepared inputs and vector of a Hessian product, and the checked outputs of the function."""
    several_inputs, inputs = tensors(inputs, "inputs", api)
    inputs = prepared(inputs, create_graph, True)
    if v is not None:
        v = vector(v, api, inputs, several_inputs, create_graph)
    elif len(inputs) != 1 or inputs[0]._data.size != 1:
        raise RuntimeError(
            "The vector v can only be None if the input to the user-provided function is a single Tensor with a single "
            "element."
        )
    several_outputs, outputs = tensors(func(*inputs), "outputs of the user-provided function", api)
    check_outputs(outputs, strict)
    check_scalar(outputs, several_outputs, api)
    return several_inputs, inputs, v, outputs


def check_scalar(outputs: tuple[Any, ...], several: bool, api: str) -> None:
    """Raise RuntimeError for anything but one tensor of one element."""
    if several or not isinstance(outputs[0], Tensor):
        raise RuntimeError(f"The function given to {api} should return a single Tensor")
    if outputs[0]._data.size != 1:
        raise RuntimeError(f"The Tensor returned by the function given to {api} should contain a single element")

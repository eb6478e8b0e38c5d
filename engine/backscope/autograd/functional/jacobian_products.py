"""torch.autograd.functional: products with the Jacobian and the Hessian of a function, and the two in full."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from backscope.autograd.functional.functional_arguments import (
    check_outputs,
    check_scalar,
    check_tracked,
    filled,
    finished,
    gradients,
    prepared,
    restored,
    scalar_problem,
    tensors,
    vector,
    zeros,
)
from backscope.autograd.modes.grad_mode import enable_grad, is_grad_enabled, set_grad_enabled
from backscope.ops.core.namespace import torch_functions
from backscope.runtime.given import Value, Values

Function = Callable[..., Any]


def vjp(
    func: Function, inputs: Values, v: Value = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """Compute the outputs of `func`, and the product of `v` with its Jacobian, shaped like the inputs.

    Raises TypeError for inputs or outputs that are no tensors, RuntimeError for a `v` that doesn't fit the outputs
    and, where `strict`, for a result that doesn't depend on an input.
    """
    with enable_grad():
        several_inputs, inputs = tensors(inputs, "inputs", "vjp")
        inputs = prepared(inputs, create_graph, True)
        several_outputs, outputs = tensors(func(*inputs), "outputs of the user-provided function", "vjp")
        check_outputs(outputs, strict)
        if v is not None:
            v = vector(v, "vjp", outputs, several_outputs, create_graph)
        elif len(outputs) != 1 or outputs[0]._data.size != 1:
            raise RuntimeError(
                "The vector v can only be None if the user-provided function returns a single Tensor with a single "
                "element."
            )
    with set_grad_enabled(create_graph or is_grad_enabled()):
        found = gradients(outputs, inputs, v, create_graph=create_graph)
        product = filled(found, inputs, strict, create_graph, "back")
    return (
        restored(finished(outputs, create_graph), several_outputs),
        restored(finished(product, create_graph), several_inputs),
    )


def jvp(
    func: Function, inputs: Values, v: Value = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """Compute the outputs of `func`, and the product of its Jacobian with `v`, shaped like the outputs.

    It is the derivative of the vector-Jacobian product with respect to the vector.  Raises as vjp does.
    """
    with enable_grad():
        several_inputs, inputs = tensors(inputs, "inputs", "jvp")
        inputs = prepared(inputs, create_graph, True)
        if v is not None:
            v = vector(v, "jvp", inputs, several_inputs, create_graph)
        elif len(inputs) != 1 or inputs[0]._data.size != 1:
            raise RuntimeError(
                "The vector v can only be None if the input to the user-provided function is a single Tensor with a "
                "single element."
            )
        several_outputs, outputs = tensors(func(*inputs), "outputs of the user-provided function", "jvp")
        check_outputs(outputs, strict)
        grad_outputs = tuple([zeros(out, tracked=True) for out in outputs])
        grad_inputs = gradients(outputs, inputs, grad_outputs, create_graph=True)
        check_tracked(grad_inputs, "grad_inputs", strict)
    with set_grad_enabled(create_graph or is_grad_enabled()):
        found = gradients(grad_inputs, grad_outputs, v, create_graph=create_graph)
        product = filled(found, outputs, strict, create_graph, "back_trick")
    return (
        restored(finished(outputs, create_graph), several_outputs),
        restored(finished(product, create_graph), several_outputs),
    )


def vhp(
    func: Function, inputs: Values, v: Value = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """Compute the value of the scalar function `func`, and the product of `v` with its Hessian.  Raises as vjp does."""
    with enable_grad():
        several_inputs, inputs, v, outputs = scalar_problem(func, inputs, v, "vhp", create_graph, strict)
        first = gradients(outputs, inputs, create_graph=True)
        check_tracked(first, "jacobian", strict)
    with set_grad_enabled(create_graph or is_grad_enabled()):
        found = gradients(first, inputs, v, create_graph=create_graph)
        product = filled(found, inputs, strict, create_graph, "double_back")
    return (
        restored(finished(outputs, create_graph), False),
        restored(finished(product, create_graph), several_inputs),
    )


def hvp(
    func: Function, inputs: Values, v: Value = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """Compute the value of the scalar function `func`, and the product of its Hessian with `v`.  Raises as vjp does."""
    with enable_grad():
        several_inputs, inputs, v, outputs = scalar_problem(func, inputs, v, "hvp", create_graph, strict)
        first = gradients(outputs, inputs, create_graph=True)
        check_tracked(first, "jacobian", strict)
        vectors = tuple([zeros(x, tracked=True) for x in inputs])
        second = gradients(first, inputs, vectors, create_graph=True)
        check_tracked(first, "hessian", strict)
    with set_grad_enabled(create_graph or is_grad_enabled()):
        found = gradients(second, vectors, v, create_graph=create_graph)
        product = filled(found, inputs, strict, create_graph, "double_back_trick")
    return (
        restored(finished(outputs, create_graph), False),
        restored(finished(product, create_graph), several_inputs),
    )


def jacobian(
    func: Function,
    inputs: Values,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Values:
    """Compute the Jacobian of `func`: for each output and each input a tensor of the output's and the input's shape.

    It is computed row by row, or all rows at once if `vectorize`; by columns with `strategy` "forward-mode".
    """
    if strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError(
            'Expected strategy to be either "forward-mode" or "reverse-mode". Hint: If your function has more outputs '
            'than inputs, "forward-mode" tends to be more performant. Otherwise, prefer to use "reverse-mode".'
        )
    if strategy == "forward-mode":
        if create_graph:
            raise NotImplementedError(
                'torch.autograd.functional.jacobian: `create_graph=True` and `strategy="forward-mode"` are not '
                'supported together (yet). Please either set `create_graph=False` or `strategy="reverse-mode"`.'
            )
        return _jacobian_forward(func, inputs, strict, vectorize)
    with enable_grad():
        several_inputs, inputs = tensors(inputs, "inputs", "jacobian")
        inputs = prepared(inputs, create_graph, True)
        several_outputs, outputs = tensors(func(*inputs), "outputs of the user-provided function", "jacobian")
        check_outputs(outputs, strict)
        if vectorize:
            if strict:
                raise RuntimeError(
                    "torch.autograd.functional.jacobian: `strict=True` and `vectorized=True` are not supported "
                    "together. Please either set `strict=False` or `vectorize=False`."
                )
            rows = _rows_at_once(outputs, inputs, create_graph)
        else:
            rows = tuple([_rows(i, out, inputs, create_graph, strict) for i, out in enumerate(outputs)])
        rows = tuple([finished(row, create_graph) for row in rows])
        return restored(tuple([restored(row, several_inputs) for row in rows]), several_outputs)


def _rows(number: int, out: Value, inputs: tuple[Any, ...], create_graph: bool, strict: bool) -> tuple[Any, ...]:
    """Compute the Jacobians of output `number` with respect to each input, by one backward pass per element."""
    columns: list[list[Any]] = [[] for _ in inputs]
    for j in range(out._data.size):
        found = gradients((out.reshape(-1)[j],), inputs, retain_graph=True, create_graph=create_graph)
        for k, (column, gradient, x) in enumerate(zip(columns, found, inputs, strict=True)):
            if gradient is None:
                if strict:
                    raise RuntimeError(
                        f"Output {number} of the user-provided function is independent of input {k}. This is not "
                        "allowed in strict mode."
                    )
                column.append(zeros(x))
                continue
            if strict and create_graph and not gradient.requires_grad:
                raise RuntimeError(
                    f"The jacobian of the user-provided function is independent of input {number}. This is not allowed "
                    "in strict mode when create_graph=True."
                )
            column.append(gradient)
    return tuple(
        [torch_functions["stack"](c, 0).view((*out.shape, *x.shape)) for c, x in zip(columns, inputs, strict=True)]
    )


def _rows_at_once(outputs: tuple[Any, ...], inputs: tuple[Any, ...], create_graph: bool) -> tuple[Any, ...]:
    """Compute the Jacobians of all outputs, by one backward pass over a batch of unit gradients."""
    lengths = [out._data.size for out in outputs]
    flat = tuple([out.reshape(-1) for out in outputs])
    units = unit_vectors(outputs, lengths)
    found = gradients(flat, inputs, units, create_graph=create_graph, is_grads_batched=True)
    parts = []
    for gradient, x in zip(found, inputs, strict=True):
        whole = zeros(x).expand(sum(lengths), *x.shape) if gradient is None else gradient
        pieces = whole.split(lengths, dim=0)
        parts.append([p.view((*out.shape, *x.shape)) for p, out in zip(pieces, outputs, strict=True)])
    return tuple(zip(*parts, strict=True))


def unit_vectors(tensors: tuple[Any, ...], lengths: list[int]) -> tuple[Any, ...]:
    """Return for each tensor its columns of the unit matrix over the elements of all tensors."""
    chunks, start = [], 0
    for tensor, length in zip(tensors, lengths, strict=True):
        chunk = tensor.new_zeros(sum(lengths), length)
        chunk.diagonal(start).fill_(1)
        chunks.append(chunk)
        start -= length
    return tuple(chunks)


def _jacobian_forward(func: Function, inputs: Values, strict: bool, vectorize: bool) -> Any:
    if strict:
        raise RuntimeError(
            'torch.autograd.functional.jacobian: `strict=True` and `strategy="forward-mode"` are not supported '
            'together (yet). Please either set `strict=False` or `strategy="reverse-mode"`.'
        )
    several_inputs, inputs = tensors(inputs, "inputs", "jacobian")
    if not vectorize:
        raise NotImplementedError(
            "Computing Jacobian using forward-AD or forward-over-reverse Hessian isonly implemented for "
            "`vectorize=True`."
        )
    from backscope.func import forward_ad
    from backscope.func.vmap import mapped_by_autograd

    seen: list[Any] = []

    def columns(tangents: tuple[Any, ...]) -> tuple[Any, ...]:
        with forward_ad.dual_level():
            duals = [forward_ad.make_dual(x, t.view_as(x)) for x, t in zip(inputs, tangents, strict=True)]
            several, outputs = tensors(func(*duals), "outputs", None)
            parts = [forward_ad.unpack_dual(out) for out in outputs]
            seen[:] = [several, [p.primal for p in parts]]
            return tuple([zeros(p.primal) if p.tangent is None else p.tangent for p in parts])

    lengths = [x._data.size for x in inputs]
    found = mapped_by_autograd(columns)(unit_vectors(inputs, lengths))
    several_outputs, outputs = seen
    rows: Any = [
        [
            p.permute(*range(1, p.ndim), 0).reshape(*out.shape, *x.shape)
            for p, x in zip(whole.split(lengths, dim=0), inputs, strict=True)
        ]
        for whole, out in zip(found, outputs, strict=True)
    ]
    if not several_inputs:
        rows = tuple([row[0] for row in rows])
    return rows if several_outputs else rows[0]


def hessian(
    func: Function,
    inputs: Values,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Values:
    """Compute the Hessian of the scalar function `func`: the Jacobian of its gradient, for each pair of inputs."""
    several_inputs, inputs = tensors(inputs, "inputs", "hessian")
    if outer_jacobian_strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError('Expected strategy to be either "forward-mode" or "reverse-mode".')

    def value(*given: Values) -> Any:
        out = func(*given)
        several, outputs = tensors(out, "outputs of the user-provided function", "hessian")
        check_outputs(outputs, strict)
        check_scalar(outputs, several, "hessian")
        return out.squeeze()

    def gradient(*given: Values) -> Any:
        if outer_jacobian_strategy == "forward-mode":
            from backscope.func.reverse_transforms import grad as gradient_of

            return gradient_of(value, tuple(range(len(given))))(*given)
        found = jacobian(value, given, create_graph=True)
        check_tracked(found, "jacobian", strict)
        return found

    rows = jacobian(gradient, inputs, create_graph, strict, vectorize, outer_jacobian_strategy)
    return rows if several_inputs else rows[0][0]

"""torch.autograd.functional: products with the Jacobian and the Hessian of a function, and the two in full."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from backscope.autograd.functions import grad
from backscope.autograd.grad_mode import enable_grad, is_grad_enabled, set_grad_enabled
from backscope.ops.namespace import torch_functions
from backscope.tensor import Tensor

Function = Callable[..., Any]


def vjp(
    func: Function, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """The outputs of `func`, and the product of `v` with its Jacobian, shaped like the inputs.

    Raises TypeError for inputs or outputs that are no tensors, RuntimeError for a `v` that doesn't fit the outputs
    and, where `strict`, for a result that doesn't depend on an input.
    """
    with enable_grad():
        several_inputs, inputs = _tensors(inputs, "inputs", "vjp")
        inputs = _prepared(inputs, create_graph, True)
        several_outputs, outputs = _tensors(func(*inputs), "outputs of the user-provided function", "vjp")
        _check_outputs(outputs, strict)
        if v is not None:
            v = _vector(v, "vjp", outputs, several_outputs, create_graph)
        elif len(outputs) != 1 or outputs[0]._data.size != 1:
            raise RuntimeError(
                "The vector v can only be None if the user-provided function returns a single Tensor with a single "
                "element."
            )
    with set_grad_enabled(create_graph or is_grad_enabled()):
        found = _gradients(outputs, inputs, v, create_graph=create_graph)
        product = _filled(found, inputs, strict, create_graph, "back")
    return (
        _restored(_finished(outputs, create_graph), several_outputs),
        _restored(_finished(product, create_graph), several_inputs),
    )


def jvp(
    func: Function, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """The outputs of `func`, and the product of its Jacobian with `v`, shaped like the outputs.

    It is the derivative of the vector-Jacobian product with respect to the vector.  Raises as vjp does.
    """
    with enable_grad():
        several_inputs, inputs = _tensors(inputs, "inputs", "jvp")
        inputs = _prepared(inputs, create_graph, True)
        if v is not None:
            v = _vector(v, "jvp", inputs, several_inputs, create_graph)
        elif len(inputs) != 1 or inputs[0]._data.size != 1:
            raise RuntimeError(
                "The vector v can only be None if the input to the user-provided function is a single Tensor with a "
                "single element."
            )
        several_outputs, outputs = _tensors(func(*inputs), "outputs of the user-provided function", "jvp")
        _check_outputs(outputs, strict)
        grad_outputs = tuple([_zeros(out, tracked=True) for out in outputs])
        grad_inputs = _gradients(outputs, inputs, grad_outputs, create_graph=True)
        _check_tracked(grad_inputs, "grad_inputs", strict)
    with set_grad_enabled(create_graph or is_grad_enabled()):
        found = _gradients(grad_inputs, grad_outputs, v, create_graph=create_graph)
        product = _filled(found, outputs, strict, create_graph, "back_trick")
    return (
        _restored(_finished(outputs, create_graph), several_outputs),
        _restored(_finished(product, create_graph), several_outputs),
    )


def vhp(
    func: Function, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """The value of the scalar function `func`, and the product of `v` with its Hessian.  Raises as vjp does."""
    with enable_grad():
        several_inputs, inputs, v, outputs = _scalar_problem(func, inputs, v, "vhp", create_graph, strict)
        first = _gradients(outputs, inputs, create_graph=True)
        _check_tracked(first, "jacobian", strict)
    with set_grad_enabled(create_graph or is_grad_enabled()):
        found = _gradients(first, inputs, v, create_graph=create_graph)
        product = _filled(found, inputs, strict, create_graph, "double_back")
    return (
        _restored(_finished(outputs, create_graph), False),
        _restored(_finished(product, create_graph), several_inputs),
    )


def hvp(
    func: Function, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """The value of the scalar function `func`, and the product of its Hessian with `v`.  Raises as vjp does."""
    with enable_grad():
        several_inputs, inputs, v, outputs = _scalar_problem(func, inputs, v, "hvp", create_graph, strict)
        first = _gradients(outputs, inputs, create_graph=True)
        _check_tracked(first, "jacobian", strict)
        vectors = tuple([_zeros(x, tracked=True) for x in inputs])
        second = _gradients(first, inputs, vectors, create_graph=True)
        _check_tracked(first, "hessian", strict)
    with set_grad_enabled(create_graph or is_grad_enabled()):
        found = _gradients(second, vectors, v, create_graph=create_graph)
        product = _filled(found, inputs, strict, create_graph, "double_back_trick")
    return (
        _restored(_finished(outputs, create_graph), False),
        _restored(_finished(product, create_graph), several_inputs),
    )


def _scalar_problem(
    func: Function, inputs: Any, v: Any, api: str, create_graph: bool, strict: bool
) -> tuple[bool, Any, Any, tuple[Any, ...]]:
    """The inputs and the vector of a Hessian product, prepared, and the checked outputs of the function."""
    several_inputs, inputs = _tensors(inputs, "inputs", api)
    inputs = _prepared(inputs, create_graph, True)
    if v is not None:
        v = _vector(v, api, inputs, several_inputs, create_graph)
    elif len(inputs) != 1 or inputs[0]._data.size != 1:
        raise RuntimeError(
            "The vector v can only be None if the input to the user-provided function is a single Tensor with a single "
            "element."
        )
    several_outputs, outputs = _tensors(func(*inputs), "outputs of the user-provided function", api)
    _check_outputs(outputs, strict)
    _check_scalar(outputs, several_outputs, api)
    return several_inputs, inputs, v, outputs


def _check_scalar(outputs: tuple[Any, ...], several: bool, api: str) -> None:
    if several or not isinstance(outputs[0], Tensor):
        raise RuntimeError(f"The function given to {api} should return a single Tensor")
    if outputs[0]._data.size != 1:
        raise RuntimeError(f"The Tensor returned by the function given to {api} should contain a single element")


def jacobian(
    func: Function,
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:
    """The Jacobian of `func`: for each output and each input a tensor of the output's and the input's shape.

    Row by row, or all rows at once where `vectorize`; by columns with `strategy` "forward-mode".
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
        several_inputs, inputs = _tensors(inputs, "inputs", "jacobian")
        inputs = _prepared(inputs, create_graph, True)
        several_outputs, outputs = _tensors(func(*inputs), "outputs of the user-provided function", "jacobian")
        _check_outputs(outputs, strict)
        if vectorize:
            if strict:
                raise RuntimeError(
                    "torch.autograd.functional.jacobian: `strict=True` and `vectorized=True` are not supported "
                    "together. Please either set `strict=False` or `vectorize=False`."
                )
            rows = _rows_at_once(outputs, inputs, create_graph)
        else:
            rows = tuple([_rows(i, out, inputs, create_graph, strict) for i, out in enumerate(outputs)])
        rows = tuple([_finished(row, create_graph) for row in rows])
        return _restored(tuple([_restored(row, several_inputs) for row in rows]), several_outputs)


def _rows(number: int, out: Any, inputs: tuple[Any, ...], create_graph: bool, strict: bool) -> tuple[Any, ...]:
    """The Jacobians of output `number` with respect to each input, one backward pass per element."""
    columns: list[list[Any]] = [[] for _ in inputs]
    for j in range(out._data.size):
        found = _gradients((out.reshape(-1)[j],), inputs, retain_graph=True, create_graph=create_graph)
        for k, (column, gradient, x) in enumerate(zip(columns, found, inputs, strict=True)):
            if gradient is None:
                if strict:
                    raise RuntimeError(
                        f"Output {number} of the user-provided function is independent of input {k}. This is not "
                        "allowed in strict mode."
                    )
                column.append(_zeros(x))
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
    """The Jacobians of all outputs, from one backward pass over a batch of unit gradients."""
    lengths = [out._data.size for out in outputs]
    flat = tuple([out.reshape(-1) for out in outputs])
    units = unit_vectors(outputs, lengths)
    found = _gradients(flat, inputs, units, create_graph=create_graph, is_grads_batched=True)
    parts = []
    for gradient, x in zip(found, inputs, strict=True):
        whole = _zeros(x).expand(sum(lengths), *x.shape) if gradient is None else gradient
        pieces = whole.split(lengths, dim=0)
        parts.append([p.view((*out.shape, *x.shape)) for p, out in zip(pieces, outputs, strict=True)])
    return tuple(zip(*parts, strict=True))


def unit_vectors(tensors: tuple[Any, ...], lengths: list[int]) -> tuple[Any, ...]:
    """For each tensor its rows of the unit matrix over all of their elements."""
    chunks, start = [], 0
    for tensor, length in zip(tensors, lengths, strict=True):
        chunk = tensor.new_zeros(sum(lengths), length)
        chunk.diagonal(start).fill_(1)
        chunks.append(chunk)
        start -= length
    return tuple(chunks)


def _jacobian_forward(func: Function, inputs: Any, strict: bool, vectorize: bool) -> Any:
    if strict:
        raise RuntimeError(
            'torch.autograd.functional.jacobian: `strict=True` and `strategy="forward-mode"` are not supported '
            'together (yet). Please either set `strict=False` or `strategy="reverse-mode"`.'
        )
    several_inputs, inputs = _tensors(inputs, "inputs", "jacobian")
    if not vectorize:
        raise NotImplementedError(
            "Computing Jacobian using forward-AD or forward-over-reverse Hessian isonly implemented for "
            "`vectorize=True`."
        )
    from backscope.autograd import forward_ad
    from backscope.func.vmap import vmap

    seen: list[Any] = []

    def columns(tangents: tuple[Any, ...]) -> tuple[Any, ...]:
        with forward_ad.dual_level():
            duals = [forward_ad.make_dual(x, t.view_as(x)) for x, t in zip(inputs, tangents, strict=True)]
            several, outputs = _tensors(func(*duals), "outputs", None)
            parts = [forward_ad.unpack_dual(out) for out in outputs]
            seen[:] = [several, [p.primal for p in parts]]
            return tuple([_zeros(p.primal) if p.tangent is None else p.tangent for p in parts])

    lengths = [x._data.size for x in inputs]
    found = vmap(columns)(unit_vectors(inputs, lengths))
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
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:
    """The Hessian of the scalar function `func`: the Jacobian of its gradient, for each pair of inputs."""
    several_inputs, inputs = _tensors(inputs, "inputs", "hessian")
    if outer_jacobian_strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError('Expected strategy to be either "forward-mode" or "reverse-mode".')

    def value(*given: Any) -> Any:
        out = func(*given)
        several, outputs = _tensors(out, "outputs of the user-provided function", "hessian")
        _check_outputs(outputs, strict)
        _check_scalar(outputs, several, "hessian")
        return out.squeeze()

    def gradient(*given: Any) -> Any:
        if outer_jacobian_strategy == "forward-mode":
            from backscope.func.reverse import grad as gradient_of

            return gradient_of(value, tuple(range(len(given))))(*given)
        found = jacobian(value, given, create_graph=True)
        _check_tracked(found, "jacobian", strict)
        return found

    rows = jacobian(gradient, inputs, create_graph, strict, vectorize, outer_jacobian_strategy)
    return rows if several_inputs else rows[0][0]


def _tensors(value: Any, what: str, api: str | None) -> tuple[bool, tuple[Any, ...]]:
    """A tensor or a tuple of tensors as a tuple, and whether it was one; TypeError for anything else."""
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


def _restored(values: tuple[Any, ...], several: bool) -> Any:
    return values if several else values[0]


def _prepared(tensors: tuple[Any, ...], create_graph: bool, tracked: bool) -> tuple[Any, ...]:
    """Each tensor as one to differentiate by: part of its graph where that is wanted, else a leaf of its own."""
    return tuple(
        [x.view_as(x) if create_graph and x.requires_grad else x.detach().requires_grad_(tracked) for x in tensors]
    )


def _finished(tensors: tuple[Any, ...], create_graph: bool) -> tuple[Any, ...]:
    return tensors if create_graph else tuple([x.detach() for x in tensors])


def _vector(v: Any, api: str, like: tuple[Any, ...], several: bool, create_graph: bool) -> tuple[Any, ...]:
    """The vector of a product, prepared; RuntimeError where it doesn't have the sizes of `like`."""
    _, v = _tensors(v, "v", api)
    vectors = _prepared(v, create_graph, False)
    if len(like) != len(vectors):
        if several:
            raise RuntimeError(f"v is a tuple of invalid length: should be {len(like)} but got {len(vectors)}.")
        raise RuntimeError("The given v should contain a single Tensor.")
    for i, (given, x) in enumerate(zip(vectors, like, strict=True)):
        if given.shape != x.shape:
            entry = f"Entry {i} in " if several else ""
            raise RuntimeError(f"{entry}v has invalid size: should be {x.shape} but got {given.shape}.")
    return vectors


def _gradients(
    outputs: tuple[Any, ...],
    inputs: tuple[Any, ...],
    grad_outputs: tuple[Any, ...] | None = None,
    *,
    create_graph: bool = False,
    retain_graph: bool | None = None,
    is_grads_batched: bool = False,
) -> tuple[Any, ...]:
    """The gradients of those outputs that are tracked; None where there are none."""
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


def _check_outputs(outputs: tuple[Any, ...], strict: bool) -> None:
    for i, out in enumerate(outputs):
        if strict and not out.requires_grad:
            raise RuntimeError(
                f"Output {i} of the user-provided function does not require gradients. The outputs must be computed in "
                "a differentiable manner from the input when running in strict mode."
            )


def _check_tracked(found: tuple[Any, ...], what: str, strict: bool) -> None:
    """RuntimeError, where `strict`, for a derivative that doesn't depend on the inputs any more."""
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


def _filled(
    found: tuple[Any, ...], like: tuple[Any, ...], strict: bool, create_graph: bool, stage: str
) -> tuple[Any, ...]:
    """Zeros for the gradients that are missing; RuntimeError for them where `strict`."""
    filled = []
    for i, x in enumerate(found):
        if x is None:
            if strict:
                raise RuntimeError(_INDEPENDENT[stage].format(i))
            filled.append(_zeros(like[i]))
            continue
        if strict and create_graph and not x.requires_grad:
            what = "hessian" if "double" in stage else "jacobian"
            raise RuntimeError(
                f"The {what} of the user-provided function is independent of input {i}. This is not allowed in strict "
                "mode when create_graph=True."
            )
        filled.append(x)
    return tuple(filled)


def _zeros(like: Any, *, tracked: bool = False) -> Any:
    return torch_functions["zeros_like"](like, requires_grad=tracked)

"""Transforms by reverse mode: grad, grad_and_value, vjp, jacrev, hessian."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

from backscope.autograd import backward_and_grad as autograd
from backscope.autograd.modes.grad_mode import is_grad_enabled
from backscope.autograd.saved.saved_hooks import disable_saved_tensors_hooks
from backscope.autograd.transforms.level import Level, differentiating
from backscope.autograd.transforms.transform_tensor import TransformTensor, wrapped
from backscope.func import transform_arguments as check
from backscope.func.pytree import tree_flatten, tree_leaves, tree_map, tree_unflatten, treespec_pprint
from backscope.func.transform_arguments import Argnums
from backscope.ops.core.namespace import torch_functions as torch
from backscope.runtime.given import Tree, Value, Values
from backscope.tensor.tensor import Tensor

Function = Callable[..., Any]
NO_HOOKS = (
    "torch.func.{grad, vjp, jacrev, hessian} don't yet support saved tensor hooks. Please open an issue with your use "
    "case."
)


def grad(func: Function, argnums: Argnums = 0, has_aux: bool = False) -> Function:
    """Return a function that computes the gradient of the scalar function `func` by its arguments `argnums`."""

    @functools.wraps(func)
    def gradient(*args: Any, **kwargs: Any) -> Any:
        found, value = _gradient(func, argnums, has_aux, args, kwargs)
        return (found, value[1]) if has_aux else found

    return gradient


def grad_and_value(func: Function, argnums: Argnums = 0, has_aux: bool = False) -> Function:
    """Return a function that computes the gradient of the scalar function `func`, and its value."""

    @functools.wraps(func)
    def gradient_and_value(*args: Any, **kwargs: Any) -> Any:
        return _gradient(func, argnums, has_aux, args, kwargs)

    return gradient_and_value


def _gradient(
    func: Function, argnums: Argnums, has_aux: bool, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, Any]:
    with disable_saved_tensors_hooks(NO_HOOKS), differentiating() as level:
        args, kwargs = raised(args, level), raised(kwargs, level)
        chosen = check.select(args, argnums, as_tuple=False)
        tree_map(differentiable, chosen)
        output, aux = func(*args, **kwargs), None
        if has_aux:
            output, aux = check.output_and_aux(output, "grad_and_value(f)(*args)")
        if not isinstance(output, Tensor):
            raise RuntimeError(f"grad_and_value(f)(*args): Expected f(*args) to return a Tensor, got {type(output)}")
        if output.ndim:
            raise RuntimeError(
                "grad_and_value(f)(*args): Expected f(*args) to return a scalar Tensor, got tensor with "
                f"{output.ndim} dims. Maybe you wanted to use the vjp or jacrev APIs instead?"
            )
        leaves, spec = tree_flatten(chosen)
        found = tree_unflatten(_gradients([output], leaves, None, False, True), spec)
        value = lowered(output, level)
        return lowered(found, level), (value, lowered(aux, level)) if has_aux else value


def raised(tree: Tree, level: Level) -> Tree:
    """Wrap every tensor of a tree at `level`."""
    return tree_map(lambda x: wrapped(x, level) if isinstance(x, Tensor) else x, tree)


def lowered(tree: Tree, level: Level) -> Tree:
    """Unwrap every tensor of a tree from `level`; RuntimeError for anything but tensors."""

    def lower(x: Value) -> Any:
        if not isinstance(x, Tensor):
            raise RuntimeError(f"Expected tensors, got unsupported type {type(x)}")
        return x.inner if x.__class__ is TransformTensor and x.level is level else x

    return tree_map(lower, tree)


def differentiable(x: Value) -> Value:
    """Make a tensor of an open level one to differentiate by; ValueError for what is no tensor."""
    if not isinstance(x, Tensor):
        raise ValueError(f"Thing passed to transform API must be Tensor, got {type(x)}")
    if x._dtype.category < 2:
        return x._change_requires_grad(True)
    x._requires_grad = True
    return x


def _gradients(outputs: Values, inputs: Values, given: Value, retain_graph: bool, create_graph: bool) -> list[Any]:
    """The gradients of the tracked ones of `outputs`, zeros where there are none."""
    given = [None] * len(outputs) if given is None else given
    pairs = [(o, g) for o, g in zip(outputs, given, strict=True) if o.requires_grad]
    if not pairs:
        return [torch["zeros_like"](x) for x in inputs]
    found = autograd.grad(
        [o for o, _ in pairs],
        inputs,
        [g for _, g in pairs],
        retain_graph,
        create_graph,
        allow_unused=True,
    )
    return [torch["zeros_like"](x) if g is None else g for g, x in zip(found, inputs, strict=True)]


def vjp(func: Function, *primals: Value, has_aux: bool = False) -> tuple[Any, ...]:
    """The value of `func` at `primals`, and a function that multiplies a cotangent with its Jacobian there."""
    return pullback(func, primals, None, has_aux)


def pullback(func: Function, primals: tuple[Any, ...], argnums: Argnums | None, has_aux: bool) -> tuple[Any, ...]:
    """vjp with respect to the arguments `argnums`, all of them for None."""
    with disable_saved_tensors_hooks(NO_HOOKS), differentiating() as level:
        args = raised(primals, level)
        chosen = args if argnums is None else check.select(args, argnums, as_tuple=False)
        tree_map(differentiable, chosen)
        output, aux = func(*args), None
        if has_aux:
            output, aux = check.output_and_aux(output, "vjp(f, *primals)")
            aux = lowered(aux, level)
        outputs, output_spec = tree_flatten(output)
        check.outputs_are_tensors(outputs, "vjp(f, *primals)")
        inputs, input_spec = tree_flatten(chosen)
        result = lowered(output, level)
        for out in outputs:
            if out._dtype.category < 2:
                raise RuntimeError(
                    "vjp(f, ...): All outputs of f must be floating-point or complex Tensors, got Tensor with dtype "
                    f"{out.dtype}"
                )

    def product(cotangents: Values, retain_graph: bool = True, create_graph: bool | None = None) -> Any:
        given, spec = tree_flatten(cotangents)
        if spec != output_spec:
            raise RuntimeError(
                "Expected pytree structure of cotangents to be the same as pytree structure of outputs to the "
                f"function. cotangents: {treespec_pprint(spec)}, "
                f"primal output: {treespec_pprint(output_spec)}"
            )
        recorded = is_grad_enabled() if create_graph is None else create_graph
        return tree_unflatten(_gradients(outputs, inputs, given, retain_graph, recorded), input_spec)

    return (result, product, aux) if has_aux else (result, product)


def jacrev(
    func: Function,
    argnums: int | tuple[int, ...] = 0,
    *,
    has_aux: bool = False,
    chunk_size: int | None = None,
    _preallocate_and_copy: bool = False,
) -> Function:
    """Return a function that computes the Jacobian of `func`, all rows at once or `chunk_size` at a time."""
    if not (chunk_size is None or chunk_size > 0):
        raise ValueError("jacrev: `chunk_size` should be greater than 0.")

    @functools.wraps(func)
    def jacobian(*args: Any) -> Any:
        check.refuse_complex("jacrev", args, "inputs")
        output, product, *aux = pullback(func, args, argnums, has_aux)
        outputs, output_spec = tree_flatten(output)
        check.refuse_complex("jacrev", outputs, "outputs")
        lengths = [o._data.size for o in outputs]
        primals, primal_spec = tree_flatten(check.select(args, argnums))
        parts = [_rows(product, units, output_spec) for units in _units(outputs, lengths, chunk_size)]
        columns = [torch["cat"](list(p), 0) if len(p) > 1 else p[0] for p in zip(*parts, strict=True)]
        by_input = [
            [piece.view((*o.shape, *x.shape)) for piece, o in zip(c.split(lengths, dim=0), outputs, strict=True)]
            for c, x in zip(columns, primals, strict=True)
        ]
        by_output = [tree_unflatten(row, primal_spec) for row in zip(*by_input, strict=True)]
        if isinstance(argnums, int):
            by_output = [row[0] for row in by_output]
        found = tree_unflatten(by_output, output_spec)
        return (found, aux[0]) if has_aux else found

    return jacobian


def _rows(product: Function, units: list[Any], spec: Tree) -> list[Any]:
    """The products with a batch of unit cotangents."""
    from backscope.func.vmap import vmap

    if len(units[0]) == 1:
        return [x.unsqueeze(0) for x in tree_leaves(product(tree_unflatten([u.squeeze(0) for u in units], spec)))]
    return tree_leaves(vmap(product)(tree_unflatten(units, spec)))


def _units(tensors: list[Any], lengths: list[int], chunk_size: int | None) -> Iterator[list[Any]]:
    """The rows of the unit matrix over all elements of `tensors`, in chunks."""
    total = sum(lengths)
    size = total if chunk_size is None or chunk_size > total else chunk_size
    for start in range(0, total, size) if total else (0,):
        rows = min(size, total - start)
        chunk, offset = [], start
        for tensor, length in zip(tensors, lengths, strict=True):
            unit = tensor.new_zeros(rows, length)
            unit.diagonal(offset).fill_(1)
            chunk.append(unit.view(rows, *tensor.shape))
            offset -= length
        yield chunk


def hessian(func: Function, argnums: Argnums = 0) -> Function:
    """Return a function that computes the Hessian of `func`: the forward mode Jacobian of its reverse mode one."""
    from backscope.func.forward_transforms import jacfwd

    return jacfwd(jacrev(func, argnums), argnums)


for _function in (grad, grad_and_value, vjp, jacrev, hessian):
    _function.__module__ = "torch.func"

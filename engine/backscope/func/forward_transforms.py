"""Transforms by forward mode: jvp, jacfwd, linearize."""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

from backscope.autograd.functional.jacobian_products import unit_vectors
from backscope.autograd.transforms.level import dual_level, levels, opened
from backscope.autograd.transforms.transform_tensor import TransformTensor, wrapped
from backscope.func import forward_ad, transform_arguments as check
from backscope.func.pytree import tree_flatten, tree_leaves, tree_map, tree_unflatten
from backscope.func.reverse_transforms import differentiable, lowered, raised
from backscope.func.transform_arguments import Argnums
from backscope.func.transform_errors import unmapped
from backscope.func.vmap import vmap
from backscope.ops.core.namespace import torch_functions as torch
from backscope.runtime.given import Shape, Tree, Value, Values
from backscope.runtime.warning import warn
from backscope.tensor.tensor import Tensor

Function = Callable[..., Any]
_UNREGISTERED = (
    "Attempted to insert a get_attr Node with no underlying reference in the owning GraphModule! Call "
    "GraphModule.add_submodule to add the necessary submodule, GraphModule.add_parameter to add the necessary "
    "Parameter, or nn.Module.register_buffer to add the necessary buffer"
)
_JVP = "jvp(f, primals, tangents)"


def jvp(func: Function, primals: Values, tangents: Values, *, strict: bool = False, has_aux: bool = False) -> Tree:
    """The value of `func` at `primals`, and the product of its Jacobian there with `tangents`."""
    return pushforward(func, primals, tangents, None, strict, has_aux)


def pushforward(
    func: Function,
    primals: Values,
    tangents: Values,
    argnums: Argnums | None,
    strict: bool,
    has_aux: bool,
    *,
    refuses: bool = True,
) -> Tree:
    """jvp with respect to the arguments `argnums`, all of them for None.

    Unless it `refuses`, `func` may do what programs may do outside transforms alone.
    """
    if not isinstance(primals, tuple):
        raise RuntimeError(f"{_JVP}: Expected primals to be a tuple. E.g. it should be valid to call f(*primals).")
    chosen = primals if argnums is None else check.select(primals, argnums)
    values, spec = tree_flatten(chosen)
    directions, given_spec = tree_flatten(tangents)
    if spec != given_spec:
        raise RuntimeError(
            f"{_JVP}: Expected primals and tangents to have the same python structure. For example, if primals is a "
            f"tuple of 3 tensors, tangents also must be. Got primals with structure {spec} and tangents with structure "
            f"{given_spec}"
        )
    check.only_tensors(values, _JVP, "primals")
    check.only_tensors(directions, _JVP, "tangents")
    with opened("jvp") as level, forward_ad._set_fwd_grad_enabled(True), ExitStack() as stack:
        level.refuses = refuses
        # The outermost jvp opens a level of its own, which is an error inside one that the program has opened.
        if dual_level() is None or sum(x.kind == "jvp" for x in levels) == 1:
            stack.enter_context(forward_ad.dual_level())
        duals = [
            forward_ad.make_dual(wrapped(x, level), wrapped(t, level)) for x, t in zip(values, directions, strict=True)
        ]
        args = tree_unflatten(duals, spec)
        if argnums is not None:
            args = check.replace(raised(primals, level), args, argnums)
        output, aux = func(*args), None
        if has_aux:
            output, aux = check.output_and_aux(output, _JVP)
            aux = lowered(aux, level)
        outputs, output_spec = tree_flatten(output)
        check.outputs_are_tensors(outputs, _JVP)
        pairs = [_parts(o, strict) for o in outputs]
        result = tree_unflatten([lowered(p, level) for p, _ in pairs], output_spec)
        product = tree_unflatten([lowered(t, level) for _, t in pairs], output_spec)
        return (result, product, aux) if has_aux else (result, product)


def _parts(out: Value, strict: bool) -> tuple[Any, Any]:
    """The primal and the tangent of an output, zeros where it has none."""
    primal, tangent = forward_ad.unpack_dual(out)
    if tangent is None:
        if strict:
            raise RuntimeError(
                "jvp(f, primals, tangents, strict=True): The output of f is independent of the inputs. This is not "
                "allowed with strict=True."
            )
        tangent = torch["zeros_like"](primal)
    return primal, tangent


def jacfwd(
    func: Function, argnums: Argnums | None = 0, has_aux: bool = False, *, randomness: str = "error"
) -> Function:
    """Return a function that computes the Jacobian of `func`, all columns at once."""

    @functools.wraps(func)
    def jacobian(*args: Any) -> Any:
        check.refuse_complex("jacfwd", args, "inputs")
        primals, spec = tree_flatten(args if argnums is None else check.select(args, argnums))
        lengths = [x.numel() for x in primals]
        if not lengths:
            raise AssertionError("tensors must have at least one element")
        units = [u.view(len(u), *x.shape) for u, x in zip(unit_vectors(tuple(primals), lengths), primals, strict=True)]

        def push(directions: Any) -> Any:
            found = pushforward(func, args, directions, argnums, False, has_aux)
            check.refuse_complex("jacfwd", found[0], "outputs")
            return found[1:] if has_aux else found[1]

        found = vmap(push, randomness=randomness)(tree_unflatten(units, spec))
        aux = None
        if has_aux:
            found, aux = found
            aux = tree_map(lambda x: x[0], aux)
        columns, output_spec = tree_flatten(found)
        rows = []
        for whole in columns:
            pieces = whole.movedim(0, -1).split(lengths, dim=-1)
            row = [_unflattened(p, x.shape) for p, x in zip(pieces, primals, strict=True)]
            nested = tree_unflatten(row, spec)
            rows.append(nested[0] if isinstance(argnums, int) else nested)
        result = tree_unflatten(rows, output_spec)
        return (result, aux) if has_aux else result

    return jacobian


def _unflattened(piece: Any, shape: Shape) -> Any:
    return piece.unflatten(-1, shape) if len(shape) else piece.squeeze(-1)


def linearize(func: Function, *primals: Value) -> tuple[Any, Function]:
    """The value of `func` at `primals`, and the function that multiplies its Jacobian there with tangents.

    RuntimeError where forward mode is in use already, or a vmap maps over a primal.
    """
    output = func(*primals)
    values, spec = tree_flatten(primals)
    forward = forward_ad._is_fwd_grad_enabled()
    _refuse_linearize(values, tree_leaves(output))
    for _ in tree_leaves(output):
        warn(_UNREGISTERED, UserWarning)

    def product(*tangents: Any) -> Any:
        given, given_spec = tree_flatten(tangents)
        if given_spec != spec:
            raise RuntimeError(f"Expected the tangents {given_spec} to have the same argspec as the primals {spec}")
        for i, (t, x) in enumerate(zip(given, values, strict=True)):
            for what, own, wanted in (("shape", t.shape, x.shape), ("dtype", t.dtype, x.dtype)):
                if own != wanted:
                    raise RuntimeError(
                        f"tangent:{i} with {what} {own} in flattened pytree doesn't match the {what} {wanted} of the "
                        "corresponding primal."
                    )
        if any(x.__class__ is TransformTensor for x in (*values, *given)):
            return pushforward(func, primals, tangents, None, False, False, refuses=False)[1]
        # The primals are constants of the product: it has no gradient with respect to their inputs.
        constants = [differentiable(x.detach()) if x.requires_grad else x for x in values]
        with forward_ad._set_fwd_grad_enabled(forward), forward_ad.dual_level():
            duals = [forward_ad.make_dual(x, t) for x, t in zip(constants, given, strict=True)]
            return tree_map(
                lambda out: _parts(out, False)[1] if isinstance(out, Tensor) else out,
                func(*tree_unflatten(duals, spec)),
            )

    return output, product


def _refuse_linearize(primals: list[Any], outputs: list[Any]) -> None:
    """Raise where no dual tensors can be made of the primals, or none can be taken apart."""
    for primal in primals:
        if not isinstance(primal, Tensor):
            raise AttributeError(f"{type(primal).__name__!r} object has no attribute 'new_empty'")
    if dual_level() is not None:
        raise RuntimeError("Nested forward mode AD is not supported at the moment")
    for op, tensors in (("aten::_make_dual", primals), ("aten::_unpack_dual", outputs)):
        for tensor in tensors:
            if tensors is primals:
                forward_ad.refuse_whole_numbers("primal", tensor)
            while tensor.__class__ is TransformTensor and tensor.inner is not None:
                if tensor.batch_dim is not None and tensor._live() is tensor:
                    raise unmapped(op)
                tensor = tensor.inner


def debug_unwrap(tensor: Value, *, recurse: bool = True) -> Value:
    """Return the tensor that a transform's tensor wraps, at the innermost level unless `recurse` is False."""
    if not (isinstance(tensor, Tensor) and tensor.__class__ is TransformTensor and tensor.inner is not None):
        return tensor
    inner = tensor.inner
    return debug_unwrap(inner) if recurse else inner


for _function in (jvp, jacfwd, linearize, debug_unwrap):
    _function.__module__ = "torch.func"

"""Custom Functions inside transforms: one call at each level, and their batches under vmap."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from backscope.autograd.function.function import Function, call
from backscope.autograd.modes.forward_mode import forward_mode
from backscope.autograd.modes.grad_mode import mode
from backscope.autograd.transforms.level import Level, differentiating_above, levels, only_up_to, opened
from backscope.autograd.transforms.transform_tensor import TransformTensor, wrapped
from backscope.func.pytree import broadcast_to_and_flatten, tree_flatten, tree_leaves, tree_unflatten
from backscope.runtime.given import Dim, Value, Values
from backscope.tensor.tensor import Tensor

_MORE = "For more details, please see https://pytorch.org/docs/main/notes/extending.func.html"
NO_SETUP = (
    "In order to use an autograd.Function with functorch transforms (vmap, grad, jvp, jacrev, ...), it must override "
    f"the setup_context staticmethod. {_MORE}"
)
TWO_RETURNS = (
    "Expected the vmap staticmethod to have two returns, an output and out_dims with pytree structure compatible with "
    "the output. "
)


class VmapInfo(NamedTuple):
    """The `info` argument of a Function's vmap(): batch size and randomness of the enclosing vmap."""

    batch_size: int
    randomness: str


def _live(x: Value) -> Any:
    return x._live() if x.__class__ is TransformTensor else x


# Any: a Function returns a value of any type.
def through_levels(function: type[Any], args: tuple[Any, ...]) -> Any:
    """Call a Function at the innermost level of its arguments, then level by level down to the ordinary tape."""
    args = tuple([_live(a) for a in args])
    top: Level | None = None
    for a in args:
        if a.__class__ is TransformTensor and a.level is not None and (top is None or a.level.serial > top.serial):
            top = a.level
    around = differentiating_above(top)
    if around is not None:
        with only_up_to(around, without=True):
            returned = through_levels(function, args)
        if isinstance(returned, tuple):
            return tuple([wrapped(x, around) if isinstance(x, Tensor) else x for x in returned])
        return wrapped(returned, around) if isinstance(returned, Tensor) else returned
    if top is None:
        return call(function, args)
    if top.kind == "vmap":
        return _mapped(function, args, top)
    level = top
    raised = tuple(
        [
            wrapped(a, level)
            if isinstance(a, Tensor) and not (a.__class__ is TransformTensor and a.level is level)
            else a
            for a in args
        ]
    )
    inner = tuple([a.inner if isinstance(a, TransformTensor) else a for a in raised])

    def below() -> Any:
        before = mode.enabled, forward_mode.enabled
        mode.enabled = level.grad_mode or level.kind != "grad"
        forward_mode.enabled = level.forward_mode or level.kind != "jvp"
        try:
            with only_up_to(level, without=True):
                returned = through_levels(function, inner)
        finally:
            mode.enabled, forward_mode.enabled = before
        own = {id(i): r for i, r in zip(inner, raised, strict=True) if isinstance(i, Tensor)}

        def raise_(x: Value) -> Any:
            if not isinstance(x, Tensor):
                return x
            return own[id(x)] if id(x) in own else wrapped(x, level)

        return tuple([raise_(x) for x in returned]) if isinstance(returned, tuple) else raise_(returned)

    return call(_of_level(function), raised, below)


@contextmanager
def _without(level: Level) -> Iterator[None]:
    """Close `level` within a context, for the computations of a vmap rule on whole batches."""
    position = levels.index(level)
    levels.pop(position)
    try:
        yield
    finally:
        levels.insert(position, level)


def _metaclass(function: type[Any]) -> Any:
    """Return the metaclass for classes like a Function."""
    return type(function)


def _of_level(function: type[Any]) -> Any:
    """Return the Function for the nodes on a level's tape; it differs by the name that PyTorch gives it."""
    found = vars(function).get("_generated")
    if found is None:
        found = function._generated = _metaclass(function)(f"{function.__name__}Generated", (function,), {})
    return found


def _mapped(function: type[Any], args: tuple[Any, ...], level: Level) -> Any:
    """Call a Function on batches: by its own vmap(), or by mapping over its forward and backward."""
    own = {id(a.inner): a for a in args if a.__class__ is TransformTensor and a.level is level}
    whole, dims = _unwrapped(args, level)
    with _without(level):
        if function.vmap is not Function.vmap:
            result = function.vmap(VmapInfo(level.size, level.randomness), dims, *whole)
            if not isinstance(result, tuple):
                raise RuntimeError(f"{TWO_RETURNS}Got a {type(result)} instead")
            if len(result) != 2:
                raise RuntimeError(f"{TWO_RETURNS}Got {len(result)} returns instead")
            outputs, out_dims = result
        else:
            mapped = vmapped(function, dims, level.size, level.randomness)
            outputs = through_levels(mapped, whole)
            out_dims = mapped.out_dims
    leaves, spec = tree_flatten(outputs)
    found = broadcast_to_and_flatten(out_dims, spec)
    if found is None:
        raise RuntimeError(
            "The autograd.Function's vmap staticmethod returned an incompatible (output, out_dims) tuple. Expected "
            f"out_dims={out_dims} to be compatible with the structure of `output`. out_dims has structure "
            f"{tree_flatten(out_dims)[1]} but output has structure {spec}. {_MORE}"
        )
    return tree_unflatten(
        [own[id(x)] if id(x) in own else _wrapped(x, d, level) for x, d in zip(leaves, found, strict=True)], spec
    )


def refuse_keywords(function: type[Any], kwargs: dict[str, Any]) -> None:
    """Raise NotImplementedError for tensors among the keywords of a call inside vmap that can't be made positional."""
    own = inspect.signature(function.forward).parameters
    given = {k: v for k, v in kwargs.items() if k in own and own[k].kind is inspect.Parameter.KEYWORD_ONLY}
    if given and levels[-1].kind == "vmap" and any(isinstance(v, Tensor) for v in tree_leaves(given)):
        raise NotImplementedError(
            "Run vmap on autograd.Function with kwarg-only Tensor args. Please do not pass kwarg-only Tensors to "
            f"autograd.Function. Got: {given}"
        )


def check_vmap_support(function: type[Any]) -> None:
    """Raise RuntimeError for a Function that can't be mapped over, inside a vmap."""
    if not any(level.kind == "vmap" for level in levels):
        return
    own_rule = function.vmap is not Function.vmap
    if function.generate_vmap_rule and own_rule:
        raise RuntimeError(
            f"You tried to vmap over {function.__name__}, but it has both generate_vmap_rule=True and an overridden "
            "vmap staticmethod. Please set generate_vmap_rule=False or delete the overridden vmap staticmethod to "
            f"avoid ambiguity. {_MORE}"
        )
    if not function.generate_vmap_rule and not own_rule:
        raise RuntimeError(
            f"You tried to vmap over {function.__name__}, but it does not have vmap support. Please override and "
            f"implement the vmap staticmethod or set generate_vmap_rule=True. {_MORE}"
        )


def _unwrapped(values: Values, level: Level) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Return the tensors that a vmap's values wrap, and the dims that it maps over, None where it does not."""
    mapped = [v.__class__ is TransformTensor and v.level is level for v in values]
    inner = tuple([v.inner if m else v for v, m in zip(values, mapped, strict=True)])
    return inner, tuple([v.batch_dim if m else None for v, m in zip(values, mapped, strict=True)])


def _wrapped(value: Value, dim: int | None, level: Level) -> Any:
    return value if dim is None or not isinstance(value, Tensor) else wrapped(value, level, dim % max(value.ndim, 1))


def _map(run: Callable[..., Any], values: Values, dims: Dim, size: int, randomness: str) -> tuple[Any, Any]:
    """Run `run` for each example of a batch; return its results as whole batches, and their dims."""
    with opened("vmap") as level:
        level.size, level.randomness = size, randomness
        returned = run(level, *[_wrapped(v, d, level) for v, d in zip(values, dims, strict=True)])
        several = isinstance(returned, tuple)
        whole, out_dims = _unwrapped(returned if several else (returned,), level)
        return (whole, out_dims) if several else (whole[0], out_dims[0])


class _Ctx:
    """A ctx for one example: it saves whole batches and returns examples."""

    def __init__(self, ctx: Any, level: Level) -> None:
        object.__setattr__(self, "inner", ctx)
        object.__setattr__(self, "level", level)

    def save_for_backward(self, *tensors: Any) -> None:
        """Save tensors for backward()."""
        whole, dims = _unwrapped(tensors, self.level)
        self.inner.backward_dims = dims
        self.inner.save_for_backward(*whole)

    def save_for_forward(self, *tensors: Any) -> None:
        """Save tensors for jvp()."""
        whole, dims = _unwrapped(tensors, self.level)
        self.inner.forward_dims = dims
        self.inner.save_for_forward(*whole)

    def mark_dirty(self, *tensors: Any) -> None:
        """Mark these inputs as changed in place by forward()."""
        self.inner.mark_dirty(*_unwrapped(tensors, self.level)[0])

    def mark_non_differentiable(self, *tensors: Any) -> None:
        """Mark these outputs as without gradient."""
        self.inner.mark_non_differentiable(*_unwrapped(tensors, self.level)[0])

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """The tensors that were saved."""
        inner: Any = self.inner
        dims = inner.backward_dims if inner._engine_node.saved_for_forward is None else inner.forward_dims
        level: Level = self.level
        return tuple([_wrapped(t, d, level) for t, d in zip(inner.saved_tensors, dims, strict=True)])

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def __setattr__(self, name: str, value: Value) -> None:
        setattr(self.inner, name, value)


def vmapped(function: type[Any], in_dims: tuple[Any, ...], size: int, randomness: str) -> type[Any]:
    """Return a Function on whole batches that maps the methods of `function` over the examples."""
    shapes: list[Any] = []

    def forward(*args: Any) -> Any:
        outputs, dims = _map(lambda level, *a: function.forward(*a), args, in_dims, size, randomness)
        Mapped.out_dims = dims
        shapes[:] = [a.shape if isinstance(a, Tensor) else None for a in args]
        return outputs

    def setup_context(ctx: Any, inputs: Values, output: Value) -> None:
        def run(level: Level, *examples: Any) -> None:
            given, made = examples[: len(inputs)], examples[len(inputs) :]
            function.setup_context(_Ctx(ctx, level), given, made if isinstance(output, tuple) else made[0])

        outputs = output if isinstance(output, tuple) else (output,)
        dims = Mapped.out_dims if isinstance(output, tuple) else (Mapped.out_dims,)
        _map(run, (*inputs, *outputs), (*in_dims, *dims), size, randomness)

    def backward(ctx: Any, *gradients: Any) -> Any:
        from backscope.autograd.function.context import user_formula

        dims = Mapped.out_dims if isinstance(Mapped.out_dims, tuple) else (Mapped.out_dims,)
        formula = user_formula(function)
        found, found_dims = _map(lambda level, *g: formula(_Ctx(ctx, level), *g), gradients, dims, size, randomness)
        if not isinstance(found, tuple):
            found, found_dims = (found,), (found_dims,)
        wanted = [*in_dims, *[None] * (len(found) - len(in_dims))]
        return tuple([_fitting(g, d, w, size) for g, d, w in zip(found, found_dims, wanted, strict=False)])

    def jvp(ctx: Any, *tangents: Any) -> Any:
        found, dims = _map(lambda level, *t: function.jvp(_Ctx(ctx, level), *t), tangents, in_dims, size, randomness)
        several = isinstance(found, tuple)
        wanted = Mapped.out_dims if isinstance(Mapped.out_dims, tuple) else (Mapped.out_dims,)
        pairs = zip(found, dims, wanted, strict=False) if several else [(found, dims, wanted[0])]
        moved = tuple([_moved(t, d, w, size) for t, d, w in pairs])
        return moved if several else moved[0]

    Mapped: Any = _metaclass(function)(
        f"Vmapped{function.__name__}",
        (Function,),
        {
            "generate_vmap_rule": True,
            "forward": staticmethod(forward),
            "setup_context": staticmethod(setup_context),
            "backward": staticmethod(backward),
            "jvp": staticmethod(jvp),
            "out_dims": None,
        },
    )
    result: type[Any] = Mapped
    return result


def _fitting(gradient: Value, dim: int | None, wanted: int | None, size: int) -> Any:
    """Move the dim of a batch's gradient to where the input has its own, or sum over it for an input without one."""
    if not isinstance(gradient, Tensor):
        return gradient
    if wanted is None:
        return gradient if dim is None else gradient.sum(dim)  # type: ignore[attr-defined]
    return _moved(gradient, dim, wanted, size)


def _moved(tensor: Value, dim: int | None, wanted: int | None, size: int) -> Any:
    """Move a batch's dim to `wanted`; a value without one is expanded."""
    if not isinstance(tensor, Tensor) or wanted is None:
        return tensor
    value: Any = tensor
    if dim is None:
        value = value.unsqueeze(wanted)
        return value.expand([size if i == wanted else n for i, n in enumerate(value.shape)])
    return value.movedim(dim, wanted)

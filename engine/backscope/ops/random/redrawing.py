"""Random numbers written into a tensor (uniform_, normal_ and others), and numbers drawn around a tensor's values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from backscope.autograd.transforms.level import levels
from backscope.func.randomness import lift_drawing
from backscope.ops.core.arguments.dims import sizes
from backscope.ops.core.declaration import A, V, op, primitives, xp
from backscope.ops.core.dispatch import apply
from backscope.ops.core.mutation import mutate
from backscope.ops.core.namespace import export, torch_functions
from backscope.ops.core.unsupported import no_kernel
from backscope.ops.create.creation import born
from backscope.random import default_generator
from backscope.runtime.given import Device, Dtype, MemoryFormat, Option, Shape, Value
from backscope.tensor.dtype import BOOL, dtype
from backscope.tensor.meta import MetaArray
from backscope.tensor.tensor import Tensor

_GONE = "sends 0: the numbers drawn don't depend on the old values"


def _in_memory_order(like: A, draw: Callable[..., A]) -> A:
    """Return the result of `draw(shape, contiguous=...)`, with consecutive numbers next to each other in memory.

    Nothing is drawn for a tensor without data.
    """
    if isinstance(like, MetaArray):
        return like
    if not isinstance(like, np.ndarray) or like.flags.c_contiguous:
        return draw(like.shape, contiguous=True)
    order = sorted(range(like.ndim), key=lambda d: -like.strides[d])
    drawn = draw(tuple([like.shape[d] for d in order]), contiguous=False)
    return drawn.transpose(np.argsort(order))


def _declare(name: str, symbol: str, draw: Callable[..., A], grad_fn: str | None = None) -> None:
    """Declare an op that draws by `draw(generator, shape, dtype, contiguous, *given)`."""

    def forward(self: A, generator: Option, *given: Any) -> A:
        source = generator or default_generator
        return _in_memory_order(self, lambda shape, contiguous: draw(source, shape, self.dtype, contiguous, *given))

    def grad_self(g: V) -> V:
        return xp.zeros_like(g)

    forward.__annotations__ = {"self": "A"}
    named = {"grad_fn": grad_fn} if grad_fn else {}
    op(name=name, symbol=symbol, latex={"self": "0"}, summary={"self": _GONE}, **named)(
        type(name, (), {"forward": forward, "grad_self": grad_self})
    )


def _redraw(name: str, symbol: str, draw: Callable[..., A], parameters: dict[str, Any]) -> None:
    """Declare an op and `Tensor.NAME_`, with the default values of its `parameters`."""
    _declare(name, symbol, draw)
    names = list(parameters)

    def redrawn(self: Tensor, *args: Any, generator: Option = None, **kwargs: Any) -> Tensor:
        values = dict(zip(names, args, strict=False)) | kwargs
        unknown = [k for k in values if k not in parameters]
        if unknown or len(args) > len(names):
            raise TypeError(f"{name}_() got an unexpected keyword argument '{unknown[0] if unknown else args[-1]}'")
        given = [values.get(k, default) for k, default in parameters.items()]
        return mutate(name, self, generator, *[v.item() if isinstance(v, Tensor) else v for v in given])

    redrawn.__name__ = redrawn.__qualname__ = name + "_"
    redrawn.__doc__ = f"Numbers drawn as torch.Tensor.{name}_ draws them, in place."
    export(name + "_", function=False)(redrawn)


_redraw(
    "uniform", "U", lambda g, shape, kind, _, low, high: g.uniform(low, high, shape, kind), {"from": 0.0, "to": 1.0}
)
_redraw(
    "normal",
    "N",
    lambda g, shape, kind, contiguous, mean, std: g.normal(mean, std, shape, kind, contiguous=contiguous),
    {"mean": 0.0, "std": 1.0},
)
_redraw("exponential", "Exp", lambda g, shape, kind, _, rate: g.exponential(rate, shape, kind), {"lambd": 1.0})
_redraw("geometric", "Geom", lambda g, shape, kind, _, p: g.geometric(p, shape, kind), {"p": None})
_redraw("cauchy", "Cauchy", lambda g, shape, kind, _, m, s: g.cauchy(m, s, shape, kind), {"median": 0.0, "sigma": 1.0})
_redraw(
    "log_normal",
    "LogN",
    lambda g, shape, kind, _, mean, std: g.log_normal(mean, std, shape, kind),
    {"mean": 1.0, "std": 2.0},
)


_declare(
    "random_from", "random", lambda g, shape, kind, _, low, high: g.randint(low, high, shape, kind), "RandomBackward0"
)
_declare("random_to", "random", lambda g, shape, kind, _, high: g.randint(0, high, shape, kind), "RandomBackward1")
_declare("random", "random", lambda g, shape, kind, _: g.random(shape, kind), "RandomBackward2")


def _most(kind: dtype) -> int:
    """The greatest whole number that a dtype counts up to without a gap."""
    if kind.is_floating_point:
        return 1 << _DIGITS[kind.name]
    return 1 if kind.category == BOOL else int(np.iinfo(kind.np).max)


_DIGITS = {"float64": 53, "float32": 24, "float16": 11, "bfloat16": 8}


@export(function=False)
def random_(self: Tensor, *bounds: Option, generator: Option = None, **named: Option) -> Tensor:
    """Fill with whole numbers, in place: from 0 or the first of two bounds, up to a bound or the dtype's limit."""
    given: list[Any] = [*bounds, *(named[k] for k in ("from", "to") if k in named)]
    if len(given) == 2 and given[1] is None:
        given[1] = _most(self._dtype) + 1
    given = [int(bound) for bound in given]
    return mutate(("random", "random_to", "random_from")[len(given)], self, generator, *given, reported_as="random_")


@op(
    grad_fn="BernoulliBackward0",
    symbol="bernoulli",
    latex={"self": "0"},
    summary={"self": "sends 0: what is drawn has no slope"},
)
class bernoulli:
    """1 with the probability in each element, else 0."""

    def forward(self: A, generator: Option) -> A:
        return (generator or default_generator).bernoulli(self, dtype=self.dtype)

    def grad_self(g: V) -> V:
        return xp.zeros_like(g)


@op(
    grad_fn="BernoulliBackward2",
    symbol="bernoulli",
    latex={"self": "0"},
    summary={"self": _GONE},
)
class bernoulli_number:
    """1 with one probability for all elements, else 0."""

    def forward(self: A, generator: Option, p: float) -> A:
        source = generator or default_generator
        return _in_memory_order(self, lambda shape, contiguous: source.bernoulli(p, shape, self.dtype))

    def grad_self(g: V) -> V:
        return xp.zeros_like(g)


@op(
    grad_fn="BernoulliBackward1",
    symbol="bernoulli",
    latex={"self": "0", "p": "0"},
    summary={"self": _GONE, "p": "sends 0: what is drawn has no slope"},
)
class bernoulli_tensor:
    """1 with the probability in `p`, else 0."""

    def forward(self: A, generator: Option, p: A) -> A:
        for value, kernel in ((self, "bernoulli_tensor_cpu_self_"), (p, "bernoulli_tensor_cpu_p_")):
            if value.dtype.kind == "c":
                raise no_kernel(kernel, dtype.table[value.dtype])
        return (generator or default_generator).bernoulli(p, self.shape, self.dtype)

    def grad_self(g: V) -> V:
        return xp.zeros_like(g)

    def grad_p(g: V, p: V) -> V:
        return xp.zeros_like(p)


@export("bernoulli")
def _bernoulli(input: Tensor, p: Value = None, *, generator: Option = None) -> Any:  # noqa: A002
    """Draw 1 with the probability in each element of input (or `p` for all), else 0."""
    if p is not None:
        return torch_functions["empty_like"](input).bernoulli_(p, generator=generator)
    return apply(primitives["bernoulli"], input, generator)


@export(function=False)
def bernoulli_(self: Tensor, p: Value = 0.5, *, generator: Option = None) -> Tensor:
    """1 with probability `p`, a number or a tensor, else 0; in place."""
    if isinstance(p, Tensor):
        return mutate("bernoulli_tensor", self, generator, p, reported_as="bernoulli_")
    return mutate("bernoulli_number", self, generator, p, reported_as="bernoulli_")


def _around(name: str, grad_fn: str, tensors: tuple[str, ...]) -> None:
    def forward(mean: Value, std: Value, generator: Option) -> A:
        if np.iscomplexobj(std):
            raise RuntimeError("normal expects standard deviation to be non-complex")
        return (generator or default_generator).normal(mean, std)

    def grad_mean(g: V, mean_shape: V) -> V:
        return xp.sum_to_size(xp.zeros_like(g), mean_shape)

    def grad_std(g: V, std_shape: V) -> V:
        return xp.sum_to_size(xp.zeros_like(g), std_shape)

    forward.__annotations__ = dict.fromkeys(tensors, "A")
    formulas = {"grad_mean": grad_mean, "grad_std": grad_std}
    op(
        name=name,
        grad_fn=grad_fn,
        symbol="N",
        latex=dict.fromkeys(tensors, "0"),
        summary=dict.fromkeys(tensors, "sends 0: what is drawn has no slope"),
    )(type(name, (), {"forward": forward} | {f"grad_{t}": formulas[f"grad_{t}"] for t in tensors}))


_around("normal_around", "NormalBackward1", ("mean",))
_around("normal_spread", "NormalBackward2", ("std",))
_around("normal_both", "NormalBackward3", ("mean", "std"))


@export("normal", method=False)
def _normal(
    mean: Value,
    std: Value = 1.0,
    size: Shape = None,
    *,
    generator: Option = None,
    out: Value = None,
    dtype: Dtype = None,
    device: Device = None,
    layout: MemoryFormat = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Any:
    """Normal numbers of a mean and a standard deviation, each a number or a tensor; two numbers take a `size`."""
    if isinstance(mean, Tensor) or isinstance(std, Tensor):
        both = isinstance(mean, Tensor) and isinstance(std, Tensor)
        name = "normal_both" if both else "normal_around" if isinstance(mean, Tensor) else "normal_spread"
        return apply(primitives[name], mean, std, generator)
    from backscope.tensor.dtype import default

    kind = dtype or default.floating
    drawn = (generator or default_generator).normal(mean, std, sizes((size,)), kind.np)
    return born(drawn if drawn.ndim else drawn[()], kind, "normal", requires_grad, device)


@export()
def multinomial(
    input: Tensor,  # noqa: A002
    num_samples: int,
    replacement: bool = False,
    *,
    generator: Option = None,
) -> Value:
    """Indices of categories drawn by weight."""
    from backscope.tensor import dtype as types

    if levels:
        found = lift_drawing(
            "multinomial", lambda x: multinomial(x, num_samples, replacement, generator=generator), input
        )
        if found is not None:
            return found
    drawn = (generator or default_generator).multinomial(np.asarray(input._data), num_samples, replacement)
    return born(drawn, types.int64, "multinomial")

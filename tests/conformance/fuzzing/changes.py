"""Generates statements that change tensors in place: their numbers, their shapes, their place in the graph."""

from __future__ import annotations

from dataclasses import replace

from fuzzing.scope import Scope, Variable, broadcast
from fuzzing.statements import Statement
from fuzzing.views import expression

UNARY = (
    "sin_",
    "exp_",
    "neg_",
    "abs_",
    "sqrt_",
    "tanh_",
    "square_",
    "zero_",
    "sigmoid_",
    "relu_",
    "conj_physical_",
    "sgn_",
    "log_",
    "reciprocal_",
)
BINARY = ("add_", "sub_", "mul_", "div_", "copy_", "pow_", "atan2_", "addcmul_", "lerp_", "fmod_", "maximum")


def change(scope: Scope) -> Statement | None:
    """Write a change of a variable, or of a view of it without a name."""
    v = scope.pick(lambda v: not v.leaf or not v.tracked or scope.chance(0.15))
    if v is None:
        return None
    form = scope.choice(
        (
            _unary,
            _number,
            _number,
            _other,
            _other,
            _written,
            _written,
            _filled,
            _grad_setting,
            _reshape,
            _change_without_autograd,
            _assigned,
        )
    )
    return form(scope, v)


def _target(scope: Scope, v: Variable) -> Variable:
    """Return the variable, or a view of it, as text."""
    if scope.chance(0.3):
        text, size, kind = expression(scope, v)
        return replace(v, name=text, shape=size, dtype=kind)
    return v


def _unary(scope: Scope, v: Variable) -> Statement:
    return Statement(f"{_target(scope, v).name}.{scope.choice(UNARY)}()")


def _number(scope: Scope, v: Variable) -> Statement:
    form = scope.choice((
        "{}.add_({n})", "{}.mul_({n})", "{} += {n}", "{} *= {n}", "{}.fill_({n})", "{}.sub_({n}, alpha=2)",
        "{}.pow_(2)", "{}.clamp_(min=0.0)", "{}.div_({n})", "{}.clamp_({n}, 1.5)", "{}.pow_({n})",
    ))  # fmt: skip
    target = v if "=" in form and "_" not in form else _target(scope, v)
    return Statement(form.replace("{}", target.name).format(n=scope.number()))


def _other(scope: Scope, v: Variable) -> Statement | None:
    target = _target(scope, v)
    other = scope.pick(lambda o: broadcast(o.shape, target.shape) == target.shape)
    if other is None:
        return None
    name = other.name
    if scope.chance(0.25):
        text, size, _ = expression(scope, other)
        if broadcast(size, target.shape) == target.shape:
            name = text
    form = scope.choice((
        "{}.add_({o})", "{}.mul_({o})", "{}.copy_({o})", "{}.sub_({o})", "{}.div_({o})", "{}[...] = {o}",
        "{}.addcmul_({o}, {o})", "{}.lerp_({o}, 0.5)", "{}.atan2_({o})", "{}.copysign_({o})", "{}.pow_({o})",
        "{}.add_({o}, alpha=2)", "{}.masked_fill_({o} > 0.5, 2.0)", "{}.hypot_({o})",
    ))  # fmt: skip
    return Statement(form.replace("{}", target.name).format(o=name))


def _written(scope: Scope, v: Variable) -> Statement | None:
    if not v.ndim or not v.shape[0]:
        return Statement(f"{v.name}[()] = {scope.number()}")
    options = [
        "{}[0] = {n}",
        "{}[-1:] = {n}",
        "{}[:] = {n}",
        "{}[{} > 0.5] = {n}",
        "{}[[0]] = {n}",
        "{}[0] += {n}",
        "{}[..., 0] *= {n}",
    ]
    if v.ndim > 1 and v.shape[1]:
        options += ["{}[:, 0] = {n}", "{}[0, 0] = {n}", "{}[:, [0]] = {n}"]
    other = scope.pick(lambda o: broadcast(o.shape, v.shape[1:]) == v.shape[1:])
    if other is not None:
        options += ["{}[0] = {o}", "{}[[0, -1]] = {o}", "{}[0] *= {o}"]
    return Statement(
        scope.choice(options).replace("{}", v.name).format(n=scope.number(), o="" if other is None else other.name)
    )


def _filled(scope: Scope, v: Variable) -> Statement:
    if not v.ndim or not v.shape[0]:
        return Statement(f"{v.name}.zero_()")
    d = scope.dim(v.ndim)
    text = scope.choice((
        "index_fill_({d}, torch.tensor([0]), {n})", "masked_fill_({v} > 0, {n})", "fill_(torch.tensor({n}))",
        "index_add_({d}, torch.tensor([0]), {v}.detach().narrow({d}, 0, 1))", "cumsum_({d})",
        "scatter_({d}, torch.zeros({v}.shape, dtype=torch.int64), {n})", "fill_diagonal_({n})", "tril_()",
        "index_copy_({d}, torch.tensor([0]), {v}.detach().narrow({d}, 0, 1).clone())",
        "scatter_add_({d}, torch.zeros({v}.shape, dtype=torch.int64), {v}.detach().clone())",
    ))  # fmt: skip
    return Statement(f"{v.name}." + text.format(d=d, n=scope.number(), v=v.name))


def _grad_setting(scope: Scope, v: Variable) -> Statement:
    """Write a statement that changes whether a tensor requires, retains or has a gradient."""
    return Statement(
        f"{v.name}."
        + scope.choice(
            (
                "detach_()",
                "requires_grad_()",
                "requires_grad_(False)",
                "retain_grad()",
                "requires_grad = True",
                "grad = None",
            )
        )
    )


def _reshape(scope: Scope, v: Variable) -> Statement | None:
    """Write a change of shape that keeps the memory, and update the variable."""
    if scope.inside_function:
        return None
    options: list[tuple[str, tuple[int, ...]]] = [
        ("unsqueeze_(0)", (1, *v.shape)),
        ("squeeze_()", tuple([n for n in v.shape if n != 1])),
    ]
    if v.ndim == 2:
        options += [("t_()", v.shape[::-1]), ("transpose_(0, 1)", v.shape[::-1]), ("swapaxes_(0, 1)", v.shape[::-1])]
        options.append(("resize_(2, 2)", (2, 2)))
    if v.ndim and v.shape[0] > 1:
        options.append(("as_strided_((2,), (1,))", (2,)))
    if any(w.name == v.name for w in scope.variables):
        text, size = scope.choice(options)
        scope.variables[:] = [replace(w, shape=size) if w.name == v.name else w for w in scope.variables]
        return Statement(f"{v.name}.{text}")
    return None


def _change_without_autograd(scope: Scope, v: Variable) -> Statement:
    """Write a change that autograd does not record."""
    text = scope.choice((
        "data.mul_({n})", "data.add_({n})", "detach().mul_({n})", "data[...] = {n}", "data = {v}.data * 2",
        "detach().zero_()", "data = {v}.detach().clone()",
    ))  # fmt: skip
    if scope.inside_function and text.startswith("data = "):
        text = "data.mul_({n})"  # A tensor outside would get a wrapper's data, whose elements crash PyTorch when read.
    return Statement(f"{v.name}." + text.format(n=scope.number(), v=v.name))


def _assigned(scope: Scope, v: Variable) -> Statement:
    if v.complex:
        return Statement(
            f"{v.name}."
            + scope.choice(("real = {n}", "imag = {n}", "real.mul_({n})", "imag.add_({n})")).format(n=scope.number())
        )
    return Statement(f"{v.name} = {v.name}")

"""Generates statements that compute new tensors, and those that write a result into an `out`."""

from __future__ import annotations

import math

from fuzzing.scope import COMPLEX, Scope, Variable, broadcast, promoted
from fuzzing.statements import Statement
from fuzzing.views import REAL_OF, expression

UNARY = (
    "sin",
    "cos",
    "exp",
    "tanh",
    "sigmoid",
    "relu",
    "abs",
    "neg",
    "square",
    "sqrt",
    "log",
    "sgn",
    "clone",
    "reciprocal",
    "expm1",
    "log1p",
    "atan",
    "erf",
    "conj_physical",
    "rsqrt",
    "positive",
)
BINARY = (
    "add",
    "sub",
    "mul",
    "div",
    "maximum",
    "pow",
    "atan2",
    "where",
    "hypot",
    "minimum",
    "eq",
    "gt",
    "logaddexp",
    "fmod",
)
REDUCTIONS = (
    "sum",
    "mean",
    "prod",
    "amax",
    "var",
    "std",
    "logsumexp",
    "norm",
    "max",
    "min",
    "argmax",
    "all",
    "any",
    "median",
    "nansum",
    "cumsum",
    "cumprod",
    "softmax",
    "log_softmax",
    "sort",
    "flip",
    "cummax",
    "logcumsumexp",
    "count_nonzero",
)


def _result(text: str, v: Variable) -> str:
    """Return the type of the result of a function of one tensor."""
    if v.complex and text in ("abs", "norm", "var", "std"):
        return REAL_OF[v.dtype]
    return (
        v.dtype
        if v.differentiable or text in ("neg", "abs", "clone", "square", "sum", "sgn", "positive")
        else "float32"
    )


def operand(scope: Scope, v: Variable) -> tuple[str, tuple[int, ...], str]:
    """Return a variable, sometimes a view of it, as text with its shape and type."""
    return expression(scope, v) if scope.chance(0.15) else (v.name, v.shape, v.dtype)


def compute(scope: Scope) -> Statement | None:
    """Write a call of a function of one, two or more tensors."""
    found = scope.choice(
        (_unary, _binary, _binary, _reduced, _reduced, _product, _joined, _picked, _number, _cast, _layer)
    )(scope)
    if found is None:
        return None
    text, size, kind, tracked = found
    made = scope.add(size, kind, tracked=tracked)
    return Statement(f"{made.name} = {text}")


Found = tuple[str, tuple[int, ...], str, bool] | None


def _unary(scope: Scope) -> Found:
    v = scope.pick()
    if v is None:
        return None
    name = scope.choice(UNARY)
    text, size, kind = operand(scope, v)
    form = scope.choice((f"torch.{name}({{}})", f"{{}}.{name}()"))
    return form.format(text), size, _result(name, Variable("", size, kind)), v.tracked


def _binary(scope: Scope) -> Found:
    a = scope.pick()
    b = None if a is None else scope.pick(lambda b: broadcast(a.shape, b.shape) is not None)
    if a is None or b is None:
        return None
    name = scope.choice(BINARY)
    (left, size, kind), (right, other, second) = operand(scope, a), operand(scope, b)
    common = broadcast(size, other)
    if common is None:
        return None
    result = "bool" if name in ("eq", "gt") else promoted(kind, second)
    if name == "where":
        return f"torch.where({left} > 0.3, {left}, {right})", common, result, a.tracked or b.tracked
    form = scope.choice((f"torch.{name}({{}}, {{}})", f"{{}}.{name}({{}})"))
    return form.format(left, right), common, result, a.tracked or b.tracked


def _number(scope: Scope) -> Found:
    v = scope.pick()
    if v is None:
        return None
    text, size, kind = operand(scope, v)
    form = scope.choice(
        (
            "{} * {n}",
            "{} + {n}",
            "{n} - {}",
            "{n} / {}",
            "{} ** 2",
            "{} ** {n}",
            "2.0 ** {}",
            "{} / {n}",
            "-{}",
            "{} > {n}",
            "torch.where({} > 0, {}, {n})",
            "{}.clamp({n})",
            "torch.lerp({}, {}, {n})",
        )
    )
    kind = "bool" if ">" in form and "where" not in form else kind if kind not in ("int64", "bool") else "float32"
    if form.startswith("{} *") and scope.chance(0.1):
        return f"{text} * 1j", size, "complex128" if kind == "float64" else "complex64", v.tracked
    return form.replace("{}", text).format(n=scope.number()), size, kind, v.tracked


def _reduced(scope: Scope) -> Found:
    v = scope.pick()
    if v is None:
        return None
    name = scope.choice(REDUCTIONS)
    text, size, kind = operand(scope, v)
    result = _result(name, Variable("", size, kind))
    if name in ("argmax", "count_nonzero"):
        result = "int64"
    if name in ("all", "any"):
        result = "bool"
    whole = name in ("cumsum", "cumprod", "softmax", "log_softmax", "sort", "flip", "cummax", "logcumsumexp")
    if not whole and name != "logsumexp" and scope.chance(0.4):
        return f"{text}.{name}()", (), result, v.tracked
    d = scope.dim(len(size))
    tail = "[0]" if name in ("max", "min", "median", "sort", "cummax") else ""
    if name == "norm":
        order = scope.choice(("1", "2", "3", "float('inf')"))
        arguments = f"{order}, {d}"
    else:
        arguments = f"{d}"
    left = size if whole else size[: d % len(size)] + size[d % len(size) + 1 :] if size else ()
    if not whole and name not in ("count_nonzero",) and size and scope.chance(0.25):
        arguments += ", keepdim=True"
        left = (*size[: d % len(size)], 1, *size[d % len(size) + 1 :])
    if name == "median":  # PyTorch reads memory of others along a dim that is expanded.
        text = f"{text}.clone()"
    return f"{text}.{name}({arguments}){tail}", left, result, v.tracked


def _product(scope: Scope) -> Found:
    a = scope.pick(lambda v: v.differentiable and v.ndim in (1, 2, 3))
    b = (
        None
        if a is None
        else scope.pick(lambda b: b.dtype == a.dtype and b.ndim in (1, 2) and b.shape[-min(2, b.ndim)] == a.shape[-1])
    )
    if a is None or b is None:
        return None
    form = scope.choice(
        (
            "{} @ {}",
            "torch.matmul({}, {})",
            "{}.mv({})" if (a.ndim, b.ndim) == (2, 1) else "{} @ {}",
            "{}.mm({})" if (a.ndim, b.ndim) == (2, 2) else "torch.matmul({}, {})",
            "torch.einsum('i,i->', {}, {})" if (a.ndim, b.ndim) == (1, 1) else "{} @ {}",
        )
    )
    size = a.shape[:-1] + (b.shape[1:] if b.ndim == 2 else ())
    return form.format(a.name, b.name), size, a.dtype, a.tracked or b.tracked


def _joined(scope: Scope) -> Found:
    a = scope.pick()
    b = None if a is None else scope.pick(lambda b: b.shape == a.shape)
    if a is None or b is None:
        return None
    kind, tracked = promoted(a.dtype, b.dtype), a.tracked or b.tracked
    if scope.chance(0.5) or not a.ndim:
        d = scope.rng.randrange(a.ndim + 1)
        return f"torch.stack([{a.name}, {b.name}], {d})", (*a.shape[:d], 2, *a.shape[d:]), kind, tracked
    return f"torch.cat([{a.name}, {b.name}], 0)", (2 * a.shape[0], *a.shape[1:]), kind, tracked


def _picked(scope: Scope) -> Found:
    v = scope.pick(lambda v: v.ndim > 0 and 0 not in v.shape)
    if v is None:
        return None
    d = scope.dim(v.ndim)
    n = v.shape[d]
    rest = (*v.shape[: d % v.ndim], 2, *v.shape[d % v.ndim + 1 :])
    index = f"torch.tensor([0, {n - 1}])"
    return scope.choice(
        (
            (f"{v.name}.index_select({d}, {index})", rest, v.dtype, v.tracked),
            (f"{v.name}[{index.replace(str(n - 1) + ']', '-1]')}]", (2, *v.shape[1:]), v.dtype, v.tracked),
            (f"{v.name}.gather({d}, torch.zeros({v.shape}, dtype=torch.int64))", v.shape, v.dtype, v.tracked),
            (f"{v.name}.masked_fill({v.name}.detach() == 0, {scope.number()})", v.shape, v.dtype, v.tracked),
            (f"{v.name}.roll(1, {d})", v.shape, v.dtype, v.tracked),
            (
                f"{v.name}.repeat_interleave(2, {d})",
                (*v.shape[: d % v.ndim], 2 * n, *v.shape[d % v.ndim + 1 :]),
                v.dtype,
                v.tracked,
            ),
            (f"{v.name}.take(torch.tensor([0]))", (1,), v.dtype, v.tracked),
            (f"torch.nn.functional.pad({v.name}, (1, 0))", (*v.shape[:-1], v.shape[-1] + 1), v.dtype, v.tracked),
            (f"{v.name}.tril()", v.shape, v.dtype, v.tracked),
            (
                f"{v.name}.scatter({d}, torch.zeros({v.shape}, dtype=torch.int64), {v.name} * 2)",
                v.shape,
                v.dtype,
                v.tracked,
            ),
            (
                f"{v.name}.index_add({d}, torch.tensor([0]), {v.name}.narrow({d}, 0, 1), alpha=2)",
                v.shape,
                v.dtype,
                v.tracked,
            ),
        )
    )


def _cast(scope: Scope) -> Found:
    v = scope.pick()
    if v is None:
        return None
    kind = scope.choice(("float64", "float32", "complex128", "bfloat16", v.dtype))
    if v.complex and kind not in COMPLEX:
        kind = "complex128"
    form = scope.choice(
        ("{}.to(torch.{k})", "{}.type(torch.{k})", "{}.to(torch.{k}, copy=True)", "{}.clone().to(torch.{k})")
    )
    return form.replace("{}", v.name).format(k=kind), v.shape, kind, v.tracked


def _layer(scope: Scope) -> Found:
    v = scope.pick(lambda v: v.real and v.ndim == 2)
    if v is None:
        return None
    n = v.shape[1]
    return scope.choice(
        (
            (f"torch.nn.functional.linear({v.name}, {v.name})", (v.shape[0], v.shape[0]), v.dtype, v.tracked),
            (f"torch.nn.functional.layer_norm({v.name}, ({n},))", v.shape, v.dtype, v.tracked),
            (f"torch.nn.functional.mse_loss({v.name}, torch.ones_like({v.name}))", (), v.dtype, v.tracked),
            (
                f"torch.nn.functional.cross_entropy({v.name}, torch.zeros({v.shape[0]}, dtype=torch.int64))",
                (),
                v.dtype,
                v.tracked,
            ),
            (f"torch.nn.functional.gelu({v.name})", v.shape, v.dtype, v.tracked),
            (f"torch.nn.functional.normalize({v.name})", v.shape, v.dtype, v.tracked),
            (f"torch.addmm({v.name}, {v.name}, torch.eye({n}, dtype=torch.{v.dtype}))", v.shape, v.dtype, v.tracked),
            (f"torch.cdist({v.name}, {v.name}.detach() + 1)", (v.shape[0], v.shape[0]), v.dtype, v.tracked),
            (f"torch.nn.functional.silu({v.name})", v.shape, v.dtype, v.tracked),
        )
    )


def into_out(scope: Scope) -> Statement | None:
    """Write a call with `out=`: a tensor of the right shape or of another, a view, or one of another type."""
    a = scope.pick()
    b = None if a is None else scope.pick(lambda b: broadcast(a.shape, b.shape) is not None)
    if a is None or b is None:
        return None
    size, kind = broadcast(a.shape, b.shape) or (), promoted(a.dtype, b.dtype)
    form, result = scope.choice(
        (
            ("torch.add({a}, {b}, out={o})", size),
            ("torch.mul({a}, {b}, out={o})", size),
            ("torch.sub({a}, {b}, alpha=2, out={o})", size),
            ("torch.sin({a}, out={o})", a.shape),
            ("torch.sum({a}, 0, out={o})", a.shape[1:]),
            ("torch.cat([{a}, {a}], out={o})", (2 * a.shape[0], *a.shape[1:]) if a.ndim else ()),
            ("torch.stack([{a}, {a}], out={o})", (2, *a.shape)),
            ("torch.abs({a}, out={o})", a.shape),
            ("torch.matmul({a}, {b}, out={o})", size),
            ("torch.div({a}, {b}, out={o})", size),
            ("torch.cumsum({a}, 0, out={o})", a.shape),
            ("torch.mean({a}, 0, out={o})", a.shape[1:]),
            ("torch.clamp({a}, 0.0, 1.0, out={o})", a.shape),
            ("torch.pow({a}, 2, out={o})", a.shape),
            ("torch.conj_physical({a}, out={o})", a.shape),
            ("torch.eq({a}, {b}, out={o})", size),
            ("torch.where({a} > 0, {a}, {b}, out={o})", size),
            ("torch.index_select({a}, 0, torch.tensor([0]), out={o})", (1, *a.shape[1:])),
            ("torch.arange(3, out={o})", (3,)),
            ("torch.zeros({s}, out={o})", (2,)),
            ("torch.linspace(0, 1, 3, out={o})", (3,)),
            ("torch.prod({a}, 0, out={o})", a.shape[1:]),
            ("torch.tril({a}, out={o})", a.shape),
            ("torch.neg({a}, out={o})", a.shape),
            ("torch.lerp({a}, {b}, 0.5, out={o})", size),
            ("torch.logsumexp({a}, 0, out={o})", a.shape[1:]),
            ("torch.take({a}, torch.tensor([0]), out={o})", (1,)),
            ("torch.maximum({a}, {b}, out={o})", size),
            ("torch.addcmul({a}, {a}, {b}, out={o})", size),
            ("torch.softmax({a}, 0, out={o})", a.shape),
            ("torch.gather({a}, 0, torch.tensor([[0]]), out={o})", (1, 1)),
        )
    )
    target = scope.pick(lambda o: o.shape == result and o not in (a, b) and (not o.tracked or scope.chance(0.2)))
    if target is not None and scope.chance(0.4):
        return Statement(form.format(a=a.name, b=b.name, o=target.name, s=(2,)))
    made = scope.add(result, kind)
    count = math.prod(result)
    fresh = scope.choice(
        (
            f"torch.empty({result}, dtype=torch.{kind})",
            f"torch.zeros({result}, dtype=torch.{kind})",
            f"torch.zeros(0, dtype=torch.{kind})",
            f"torch.zeros({(*result, 2)}, dtype=torch.{kind})[..., 1]",
            f"torch.zeros({result[::-1]}, dtype=torch.{kind}).T"
            if len(result) == 2
            else f"torch.zeros({2 * count}, dtype=torch.{kind})[::2]",
            f"torch.zeros({result}, dtype=torch.float64)",
            f"torch.zeros({result}, dtype=torch.int64)",
            f"torch.zeros({result}, dtype=torch.complex128)",
            f"torch.zeros({result}, dtype=torch.{kind}, requires_grad=True)"
            if kind not in ("int64", "bool")
            else "torch.zeros(3)",
            f"torch.zeros((1,), dtype=torch.{kind}).expand({result})",
            "torch.ones(5)",
        )
    )
    if "empty" in fresh:
        fresh += ".fill_(0)"
    return Statement(f"{made.name} = {fresh}; " + form.format(a=a.name, b=b.name, o=made.name, s=(2,)))

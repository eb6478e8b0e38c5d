"""Generates statements that define functions and call them: transforms, checkpoints, forward mode."""

from __future__ import annotations

from fuzzing.scope import FLOATING, Scope, Variable
from fuzzing.statements import Statement


def _function(
    scope: Scope, parameters: list[Variable], fill, *, scalar: bool
) -> tuple[str, Statement, Variable | None]:  # type: ignore[no-untyped-def]
    """Write a function of some parameters; return its name, its definition and what it returns."""
    captured = [v for v in scope.variables if scope.chance(0.1)]
    inner = scope.inner([*captured, *parameters], function=True)
    inner.variables += parameters  # They are picked more often.
    body = fill(inner, scope.rng.randrange(1, 5))
    inner.variables = inner.variables[: len(captured)] + inner.variables[len(captured) + len(parameters) :]
    made = [v for v in inner.variables[len(captured) :] if v.differentiable]
    name = scope.fresh("f")
    result = made[-1] if made else None
    given = "x" if result is None else result.name
    if scalar:
        given = f"{given}.abs().sum()" if result is not None and result.complex else f"{given}.sum()"
    head = f"def {name}({', '.join(p.name for p in parameters)}):"
    return name, Statement(head, (*body, Statement(f"return {given}"))), result


def _mapped(definition: Statement, parameter: Variable) -> Statement:
    """Write a function whose result is mapped: with a negative `out_dims` PyTorch reads invalid memory if it is not."""
    *body, last = definition.body
    return Statement(definition.text, (*body, Statement(f"{last.text} + torch.zeros_like({parameter.name}).sum()")))


def _parameter(scope: Scope, like: Variable, shape: tuple[int, ...] | None = None) -> Variable:
    return Variable(scope.fresh("x"), like.shape if shape is None else shape, like.dtype, tracked=like.tracked)


def _wanted(v: Variable) -> bool:
    return v.differentiable and 0 not in v.shape


def transformed(scope: Scope, fill) -> Statement | None:  # type: ignore[no-untyped-def]
    """Write a function and a call of it under one transform or two."""
    v = scope.pick(lambda v: (_wanted(v) and v.dtype in FLOATING) or (_wanted(v) and scope.chance(0.2)))
    if v is None:
        return None
    kind = scope.choice(
        (
            "grad",
            "grad",
            "vmap",
            "vmap",
            "vmap",
            "jvp",
            "vjp",
            "jacrev",
            "jacfwd",
            "hessian",
            "vmap_grad",
            "grad_vmap",
            "vmap_two",
            "grad_grad",
            "vmap_vmap",
            "jvp_grad",
            "functional_call",
            "grad_and_value",
            "linearize",
        )
    )
    if kind == "linearize" and scope.inside_function:
        kind = "vjp"  # Inside another transform PyTorch's gives numbers of memory that nobody has written to.
    batched = kind in ("vmap", "vmap_grad", "vmap_two", "vmap_vmap")
    if batched and not v.ndim:
        return None
    inner = v.shape[1:] if batched else v.shape
    if kind == "vmap_vmap":
        if v.ndim < 2:
            return None
        inner = v.shape[2:]
    parameter = _parameter(scope, v, inner)
    scalar = kind in ("grad", "hessian", "vmap_grad", "grad_grad", "jvp_grad", "grad_and_value")
    second = _parameter(scope, v) if kind == "vmap_two" else None
    name, definition, result = _function(
        scope, [parameter, *([second] if second is not None else [])], fill, scalar=scalar
    )
    a = v.name
    option = scope.choice(("", "", ", out_dims=-1", ", chunk_size=1", ", randomness='same'"))
    if kind == "vmap" and "out_dims" in option:
        definition = _mapped(definition, parameter)
    replaced = f"{{'weight': torch.ones(2, 2), 'bias': {name}({a}).sum().float().expand(2)}}"
    calls = {
        "grad": f"torch.func.grad({name})({a})",
        "grad_and_value": f"torch.func.grad_and_value({name})({a})[1]",
        "vmap": f"torch.vmap({name}{option})({a})",
        "vmap_two": f"torch.vmap({name}, (0, None))({a}, {a})",
        "vmap_vmap": f"torch.vmap(torch.vmap({name}))({a})",
        "jvp": f"torch.func.jvp({name}, ({a},), (torch.ones_like({a}),))",
        "vjp": f"(lambda r: r[1](torch.ones_like(r[0]))[0])(torch.func.vjp({name}, {a}))",
        "jacrev": f"torch.func.jacrev({name})({a})",
        "jacfwd": f"torch.func.jacfwd({name})({a})",
        "hessian": f"torch.func.hessian({name})({a})",
        "vmap_grad": f"torch.vmap(torch.func.grad({name}))({a})",
        "grad_vmap": f"torch.func.grad(lambda t: torch.vmap({name})(t[None]).sum())({a})",
        "grad_grad": f"torch.func.grad(lambda t: torch.func.grad({name})(t).sum())({a})",
        "jvp_grad": f"torch.func.jvp(torch.func.grad({name}), ({a},), (torch.ones_like({a}),))[1]",
        "functional_call": f"torch.func.functional_call(torch.nn.Linear(2, 2), {replaced}, (torch.ones(1, 2),))",
        "linearize": f"torch.func.linearize({name}, {a})[1](torch.ones_like({a}))",
    }
    shape = v.shape if kind in ("grad", "grad_grad", "vmap_grad", "vjp", "grad_vmap", "jvp_grad") else ()
    size = (v.shape[0], *result.shape) if kind in ("vmap", "vmap_two") and result is not None else shape
    made = scope.add(size, v.dtype if result is None else result.dtype, tracked=v.tracked)
    target = f"{made.name}, {scope.add(size, v.dtype).name}" if kind == "jvp" else made.name
    return Statement("if True:", (definition, Statement(f"{target} = {calls[kind]}")))


def checkpointed(scope: Scope, fill) -> Statement | None:  # type: ignore[no-untyped-def]
    """Write a function that runs again in the backward pass."""
    v = scope.pick(_wanted)
    if v is None:
        return None
    parameter = _parameter(scope, v)
    name, definition, result = _function(scope, [parameter], fill, scalar=False)
    made = scope.add(
        () if result is None else result.shape, v.dtype if result is None else result.dtype, tracked=v.tracked
    )
    mode = scope.choice(
        (
            "use_reentrant=False",
            "use_reentrant=True",
            "use_reentrant=False, early_stop=False",
            "use_reentrant=False, determinism_check='none'",
        )
    )
    call = f"torch.utils.checkpoint.checkpoint({name}, {v.name}, {mode})"
    return Statement("if True:", (definition, Statement(f"{made.name} = {call}")))


def forward_mode(scope: Scope, fill) -> Statement | None:  # type: ignore[no-untyped-def]
    """Write a dual level: a tangent carried along a few statements."""
    v = scope.pick(_wanted)
    if v is None:
        return None
    dual = Variable(scope.fresh("d"), v.shape, v.dtype, tracked=v.tracked)
    inner = scope.inner([*scope.variables[-2:], dual, dual])
    body = fill(inner, scope.rng.randrange(1, 5))
    made = [w for w in inner.variables if w.differentiable]
    tangent = scope.add(made[-1].shape, made[-1].dtype, tracked=v.tracked)
    primal = scope.fresh()
    return Statement(
        "with torch.autograd.forward_ad.dual_level():",
        (
            Statement(f"{dual.name} = torch.autograd.forward_ad.make_dual({v.name}, torch.ones_like({v.name}))"),
            *body,
            Statement(f"{primal}, {tangent.name} = torch.autograd.forward_ad.unpack_dual({made[-1].name})"),
        ),
    )


def own_function(scope: Scope, fill) -> Statement | None:  # type: ignore[no-untyped-def]
    """Write a function with a backward of its own."""
    v = scope.pick(_wanted)
    if v is None:
        return None
    name = scope.fresh("F")
    made = scope.add(v.shape, v.dtype, tracked=v.tracked)
    forward = scope.choice(
        (
            "return x * 2",
            "ctx.save_for_backward(x); return x.sin()",
            "ctx.mark_dirty(x); return x.mul_(2)",
            "return x",
            "return x.view_as(x)",
            "ctx.save_for_backward(x); return x[..., None] * 1",
            "ctx.mark_non_differentiable(x); return x",
        )
    )
    back = scope.choice(
        ("return g * 2", "return g * ctx.saved_tensors[0]", "return None", "return g, g", "return g.sum()")
    )
    return Statement(
        "if True:",
        (
            Statement(
                f"class {name}(torch.autograd.Function):",
                (
                    Statement("@staticmethod"),
                    Statement("def forward(ctx, x):", (Statement(forward),)),
                    Statement("@staticmethod"),
                    Statement("def backward(ctx, g):", (Statement(back),)),
                ),
            ),
            Statement(f"{made.name} = {name}.apply({v.name})"),
        ),
    )

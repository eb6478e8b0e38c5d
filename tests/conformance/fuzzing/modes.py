"""Generates statements about gradients: modes, passes, hooks, checkpoints."""

from __future__ import annotations

from fuzzing.scope import Scope, Variable
from fuzzing.statements import Statement

MODES = (
    "torch.no_grad()",
    "torch.no_grad()",
    "torch.enable_grad()",
    "torch.inference_mode()",
    "torch.set_grad_enabled(False)",
    "torch.set_grad_enabled(True)",
    "torch.autocast('cpu', torch.bfloat16)",
    "torch.autocast('cpu', torch.bfloat16)",
    "torch.autocast('cpu', torch.bfloat16, cache_enabled=False)",
    "torch.autograd.graph.save_on_cpu()",
    "torch.inference_mode(False)",
    "torch.autograd.graph.saved_tensors_hooks(lambda x: x * 2, lambda x: x / 2)",
    "torch.autograd.set_multithreading_enabled(False)",
    "torch.autograd.graph.allow_mutation_on_saved_tensors()",
    "torch.autocast('cpu', enabled=False)",
)


def block(scope: Scope, fill) -> Statement:  # type: ignore[no-untyped-def]
    """Write a few statements under a mode; `fill(scope, count)` writes them."""
    inner = scope.inner()
    body = fill(inner, scope.rng.randrange(1, 4))
    known = {v.name for v in scope.variables}
    scope.variables += [v for v in inner.variables if v.name not in known]
    return Statement(f"with {scope.choice(MODES)}:", tuple(body))


def switch(scope: Scope) -> Statement:
    """Write a change of a mode without a block."""
    return Statement(
        scope.choice(
            (
                "torch.set_grad_enabled(True)",
                "torch.set_grad_enabled(False); torch.set_grad_enabled(True)",
                "torch.clear_autocast_cache()",
            )
        )
    )


def _scalar(v: Variable) -> str:
    return f"{v.name}.abs().sum()" if v.complex else f"{v.name}.sum()"


def backward(scope: Scope) -> Statement | None:
    """Write a backward pass, or a call for the gradients of some inputs."""
    v = scope.pick(lambda v: v.tracked and v.differentiable)
    if v is None:
        return None
    retain = scope.choice(("", "retain_graph=True", "create_graph=True"))
    if scope.chance(0.5):
        form = scope.choice(("{s}.backward({r})", "{v}.backward(torch.ones_like({v}){c})", "{s}.backward({r})"))
        return Statement(form.format(s=_scalar(v), v=v.name, r=retain, c=", " + retain if retain else ""))
    wanted = scope.pick(lambda w: w.tracked and w.differentiable)
    assert wanted is not None
    made = scope.add(wanted.shape, wanted.dtype, tracked="create" in retain)
    options = "".join(
        [", " + o for o in (retain, scope.choice(("", "allow_unused=True", "materialize_grads=True"))) if o]
    )
    return Statement(f"{made.name}, = torch.autograd.grad({_scalar(v)}, [{wanted.name}]{options})")


HOOKS = (
    "{v}.register_hook(lambda g: g * 2)",
    "{v}.register_hook(lambda g: print('hook', tuple(g.shape), g.stride()))",
    "{v}.register_post_accumulate_grad_hook(lambda p: print('post', p.grad.shape))",
    "{v}.grad_fn.register_hook(lambda i, o: print('after', len(i), len(o)))",
    "{v}.grad_fn.register_prehook(lambda g: tuple(x * 3 for x in g))",
    "{v}.register_hook(lambda g: g.mul_(2))",
    "{v}.retain_grad()",
    "{v}.register_hook(lambda g: None).remove()",
)


def hook(scope: Scope) -> Statement | None:
    """Write the registration of a hook that a pass calls."""
    v = scope.pick(lambda v: v.tracked)
    return None if v is None else Statement(scope.choice(HOOKS).format(v=v.name))


def about_grad(scope: Scope) -> Statement | None:
    """Write a statement that reads or changes `.grad`."""
    v = scope.pick(lambda v: v.tracked)
    if v is None:
        return None
    if scope.chance(0.4):
        made = scope.add(v.shape, v.dtype)
        return Statement(f"{made.name} = {v.name}.grad")
    form = scope.choice(
        (
            "{v}.grad = None",
            "{v}.grad = torch.ones_like({v})",
            "{v}.grad.zero_()",
            "{v}.grad.mul_(2)",
            "{v}.grad = {v}.detach()",
            "torch.nn.utils.clip_grad_norm_([{v}], 1.0)",
            "torch.optim.SGD([{v}], lr=0.1, momentum=0.9).step()",
            "{v}.grad.detach_()",
            "torch.optim.SGD([{v}], lr=0.1).zero_grad()",
            "torch.optim.Adam([{v}]).step()",
            "{v}.grad = {v}.grad.t()",
        )
    )
    return Statement(form.format(v=v.name))

"""A program finds everything as in a new process, whatever the one before it in the same process has changed."""

from __future__ import annotations

import sys
import textwrap
import threading
import warnings

import numpy as np
import pytest

from backscope import torch
from backscope.program import runner

CHANGES = {
    "default device": "torch.set_default_device('meta')",
    "entered device": "torch.device('meta').__enter__()",
    "default dtype": "torch.set_default_dtype(torch.float64)",
    "print options": "torch.set_printoptions(precision=2)",
    "numpy's print options": "numpy.set_printoptions(precision=2)",
    "numpy's errors": "numpy.seterr(all='raise')",
    "anomaly mode": "torch.autograd.set_detect_anomaly(True)",
    "determinism": "torch.use_deterministic_algorithms(True); torch.set_float32_matmul_precision('high')",
    "backends": """
        torch.backends.cudnn.benchmark = torch.backends.cudnn.deterministic = torch.backends.mkldnn.deterministic = True
        torch.backends.cudnn.enabled = torch.backends.cudnn.allow_tf32 = torch.backends.mkldnn.enabled = False
    """,
    "functions taken over": """
        from torch.overrides import TorchFunctionMode
        class Loud(TorchFunctionMode):
            def __torch_function__(self, func, types, args=(), kwargs=None):
                print(func)
                return func(*args, **(kwargs or {}))
        Loud().__enter__()
    """,
    "subclasses left alone": "torch._C.DisableTorchFunctionSubclass().__enter__()",
    "threads": "torch.set_num_threads(7); torch.set_num_interop_threads(7)",
    "warnings": "torch.set_warn_always(True)",
    "grad mode": "torch.set_grad_enabled(False)",
    "inference mode": "torch.inference_mode().__enter__()",
    "saved tensor hooks": "torch.autograd.graph.saved_tensors_hooks(print, print).__enter__()",
    "disabled hooks": "torch.autograd.graph.disable_saved_tensors_hooks('none').__enter__()",
    "permitted mutation": "torch.autograd.graph.allow_mutation_on_saved_tensors().__enter__()",
    "module hooks": """
        every.register_module_forward_pre_hook(lambda *_: print('pre'))
        every.register_module_forward_hook(lambda *_: print('forward'))
        every.register_module_full_backward_hook(lambda *_: print('backward'))
        every.register_module_module_registration_hook(lambda *_: print('module'))
        every.register_module_parameter_registration_hook(lambda *_: print('parameter'))
        every.register_module_buffer_registration_hook(lambda *_: print('buffer'))
    """,
    "optimizer hooks": """
        torch.optim.optimizer.register_optimizer_step_pre_hook(lambda *_: print('pre'))
        torch.optim.optimizer.register_optimizer_step_post_hook(lambda *_: print('post'))
    """,
    "checkpoint": "set_checkpoint_debug_enabled(True).__enter__(); set_checkpoint_early_stop(False).__enter__()",
    "forward mode": "forward_ad.enter_dual_level()",
    "transforms": "torch.func.grad(lambda x: sys.exit())(torch.ones(()))",
    "cached parametrizations": "torch.nn.utils.parametrize.cached().__enter__()",
    "serialization": "torch.serialization.add_safe_globals([print])",
    "distributions": """
        torch.distributions.Distribution.set_default_validate_args(False)
        torch.distributions.register_kl(torch.distributions.Normal, torch.distributions.Normal)(lambda p, q: 'mine')
    """,
    "recursion limit": "sys.setrecursionlimit(777)",
}

IMPORTS = """
import sys
import numpy
import torch
import torch.nn.modules.module as every
from torch.autograd import forward_ad
from torch.utils.checkpoint import checkpoint, set_checkpoint_debug_enabled, set_checkpoint_early_stop
"""

LOOK = (
    IMPORTS
    + """
from torch.distributions import Normal, kl_divergence

print(torch.get_default_device(), torch.zeros(2).device, torch.zeros(2).dtype, torch.tensor([1.23456789]))
print(numpy.get_printoptions(), numpy.geterr(), sys.getrecursionlimit(), torch.get_num_threads())
print(torch.get_num_interop_threads(), torch.is_grad_enabled(), torch.is_inference_mode_enabled())
print(torch.is_anomaly_enabled(), torch.are_deterministic_algorithms_enabled(), torch.is_warn_always_enabled())
print(torch.get_float32_matmul_precision(), torch.serialization.get_safe_globals())
print([getattr(torch.backends.cudnn, n) for n in ("benchmark", "deterministic", "enabled", "allow_tf32")])
print(torch.backends.mkldnn.enabled, torch.backends.mkldnn.deterministic)
print(hasattr(torch.exp, "overridable"), hasattr(torch.Tensor.exp, "overridable"))
print(torch.overrides.has_torch_function([type("Mine", (torch.Tensor,), {})()]))
x = torch.ones(3, requires_grad=True)
y = x * x
y.sum().backward(retain_graph=True)
print(y.grad, float(x[0]), float(x[0]), x.grad)
y.mul_(2)
with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
    (x * x).sum().backward()


class Bag(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("a", torch.ones(2))
        self.b = torch.nn.Linear(2, 2)

    def forward(self, t):
        return self.b(t + self.a)


bag = Bag()
bag(torch.ones(2)).sum().backward()
torch.optim.SGD(bag.parameters(), lr=0.1).step()


def part(t):
    print("part begins")
    t = t.sin().sin()
    print("part ends")
    return t


checkpoint(part, x, use_reentrant=False).sum().backward()
with forward_ad.dual_level():
    print(forward_ad.make_dual(torch.ones(2), torch.ones(2)) * 2)
print(torch.func.grad(lambda t: (print(t), t.sin())[1])(torch.ones(())))
print(torch.func.vmap(lambda t: (print(t), t.sin())[1])(torch.ones(2)))
print(kl_divergence(Normal(0.0, 1.0), Normal(0.0, 1.0)))
Normal(0.0, -1.0)
"""
)


def log(source: str) -> bytes:
    """The whole log of a program."""
    pieces: list[bytes] = []
    runner.run(source, pieces.append)
    return b"".join(pieces)


@pytest.fixture(scope="module")
def fresh() -> bytes:
    """What the program that looks records before anything was changed."""
    return log(LOOK)


@pytest.mark.parametrize("what", CHANGES)
def test_nothing_is_left_to_the_next_program(fresh: bytes, what: str) -> None:
    changed = log(IMPORTS + textwrap.dedent(CHANGES[what])).decode()
    assert '"kind":"error_raised"' not in changed or "SystemExit" in changed
    assert log(LOOK) == fresh


def test_nothing_is_left_to_the_process_itself() -> None:
    before = sys.getrecursionlimit(), np.geterr(), np.get_printoptions()
    for change in CHANGES.values():
        log(IMPORTS + textwrap.dedent(change))
    assert (sys.getrecursionlimit(), np.geterr(), np.get_printoptions()) == before
    assert torch.is_grad_enabled() and not torch.is_inference_mode_enabled()
    assert torch.get_default_dtype() is torch.float32 and torch.get_default_device().type == "cpu"
    assert not torch.is_anomaly_enabled()


def test_threads_of_the_program_warn_of_no_infinities() -> None:
    found: list[str] = []

    def work() -> None:
        x = torch.tensor([0.0, -1.0], requires_grad=True)
        ((1 / x).sum() + x.log().sum()).backward()
        found.append(str(x.grad))

    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("default")
        runner.silence_numpy()
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert found == ["tensor([nan, -2.])"] and not given

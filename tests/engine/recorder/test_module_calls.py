"""Protects the calls of modules: each op has the path of its module, and each call is recorded with its end."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from backscope.program.runner import run
from backscope.protocol import commands as c, events as ev
from backscope.protocol.transport import Script

MODEL = """
from torch import nn

class Cell(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(2, 2)
    def forward(self, x):
        return torch.tanh(self.linear(x))

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = Cell()
        self.again = self.cell
        self.layers = nn.ModuleList([nn.Linear(2, 2), nn.ReLU()])
        self.plain = [nn.Sigmoid()]
    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.plain[0](self.cell(x))

x = torch.ones(1, 2)
"""


def paths(run: Any) -> list[tuple[str, str | None]]:
    """Op and module path of every op."""
    return [(e.op, e.module_path) for e in run.of(ev.OpApplied)]


def test_paths_begin_with_the_variable(record: Callable[..., Any]) -> None:
    """Containers that are not called are part of a path; ops outside of modules have none."""
    run = record(MODEL + "net = Model()\nloss = net(x).sum()\n")
    assert paths(run) == [
        ("t", "net.layers.0"),
        ("addmm", "net.layers.0"),
        ("relu", "net.layers.1"),
        ("t", "net.cell.linear"),
        ("addmm", "net.cell.linear"),
        ("tanh", "net.cell"),
        ("sigmoid", "net.plain[0]"),
        ("sum", None),
    ]


@pytest.mark.parametrize(
    ("program", "path"),
    [
        ("nn.Linear(2, 2)(x)\n", "Linear"),
        ("a = nn.Linear(2, 2)\nb = a\nb(x)\n", "a"),
        ("a = nn.Linear(2, 2)\nnet = nn.Sequential(a)\nnet(x)\n", "net.0"),
        ("net = nn.Sequential(nn.Linear(2, 2))\nfor layer in net:\n    layer(x)\n", "net.0"),
        ("def use(m):\n    return m(x)\nnet = nn.Linear(2, 2)\nuse(net)\n", "net"),
        ("def use(m):\n    return m(x)\nuse(nn.Linear(2, 2))\n", "m"),
        ("nets = {'a': nn.Linear(2, 2)}\nnets['a'](x)\n", "nets['a']"),
        (
            "class Trainer:\n    def __init__(self):\n        self.net = nn.Linear(2, 2)\n"
            "    def run(self):\n        return self.net(x)\nTrainer().run()\n",
            "self.net",
        ),
        ("net = nn.Linear(2, 2)\nnet = nn.Sequential(nn.Linear(2, 2))\nnet(x)\n", "net.0"),
        ("net = nn.Sequential(nn.ReLU())\nnet(x)\nnet[0] = nn.Linear(2, 2)\nnet(x)\n", "net.0"),
    ],
)
def test_path_of_a_linear(record: Callable[..., Any], program: str, path: str) -> None:
    """Aliases, loop variables, arguments and containers; the outermost variable counts."""
    run = record("from torch import nn\nx = torch.ones(1, 2)\n" + program)
    assert run.status == "ok"
    assert {e.module_path for e in run.of(ev.OpApplied) if e.op == "addmm"} == {path}


def test_a_shared_module_has_the_path_of_its_caller(record: Callable[..., Any]) -> None:
    """A module that two others hold has the path of the one that calls it."""
    run = record(
        "from torch import nn\nshared = nn.ReLU()\nnet = nn.Sequential(nn.Sequential(shared), nn.Sequential(shared))\n"
        "net(torch.ones(2))\n"
    )
    assert paths(run) == [("relu", "net.0.0"), ("relu", "net.1.0")]
    assert len({e.module for e in run.of(ev.ModuleEntered) if e.path.endswith("0.0") or e.path.endswith("1.0")}) == 1


def test_calls_are_counted_within_their_caller(record: Callable[..., Any]) -> None:
    """An unrolled cell is called three times in each call of the model."""
    run = record(
        "from torch import nn\nclass Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.cell = nn.Tanh()\n    def forward(self, h):\n        for _ in range(3):\n"
        "            h = self.cell(h)\n        return h\nnet = Net()\nfor _ in range(2):\n    net(torch.ones(1))\n"
    )
    entered = run.of(ev.ModuleEntered)
    assert [(e.path, e.times) for e in entered] == [
        ("net", 1), ("net.cell", 1), ("net.cell", 2), ("net.cell", 3),
        ("net", 2), ("net.cell", 1), ("net.cell", 2), ("net.cell", 3),
    ]  # fmt: skip
    assert [e.caller for e in entered[1:4]] == [entered[0].call] * 3
    left = [e.call for e in run.of(ev.ModuleLeft)]
    assert sorted(left) == [e.call for e in entered] and left[:4] == [*[e.call for e in entered[1:4]], entered[0].call]


def test_a_module_is_described_once(record: Callable[..., Any]) -> None:
    """Its class, its path and its own parameters come before its first call."""
    run = record(
        "from torch import nn\nnet = nn.Sequential(nn.Linear(2, 1))\nfor _ in range(3):\n    net(torch.ones(2))\n"
    )
    described = run.of(ev.ModuleDescribed)
    assert [(e.type, e.path, e.text) for e in described] == [
        ("Sequential", "net", ""), ("Linear", "net.0", "in_features=2, out_features=1, bias=True"),
    ]  # fmt: skip
    names = {e.tensor: e.name for e in run.of(ev.TensorNamed)}
    assert [(p.name, names[p.tensor]) for p in described[1].parameters] == [
        ("weight", "net.0.weight"), ("bias", "net.0.bias"),
    ]  # fmt: skip


def test_a_module_that_raises_is_left(record: Callable[..., Any]) -> None:
    """Ops after a caught error are outside of the module that raised it."""
    run = record(
        "from torch import nn\nnet = nn.Linear(2, 2)\ntry:\n    net(torch.ones(3))\nexcept RuntimeError:\n    pass\n"
        "torch.ones(1) * 2\n"
    )
    assert len(run.of(ev.ModuleEntered)) == len(run.of(ev.ModuleLeft)) == 1
    assert paths(run)[-1] == ("mul", None)


@pytest.mark.parametrize("reentrant", [False, True])
def test_recomputed_ops_keep_their_path(record: Callable[..., Any], reentrant: bool) -> None:
    """A checkpointed module runs again in the backward pass under its own path."""
    run = record(
        "from torch import nn\nfrom torch.utils.checkpoint import checkpoint\n"
        "net = nn.Sequential(nn.Sequential(nn.Linear(2, 2), nn.Tanh()))\nx = torch.ones(1, 2, requires_grad=True)\n"
        f"checkpoint(net[0], x, use_reentrant={reentrant}).sum().backward()\n"
    )
    assert run.status == "ok"
    assert [path for op, path in paths(run) if op == "addmm"] == ["net.0.0"] * 2


def test_formulas_have_the_path_of_their_forward_op(record: Callable[..., Any]) -> None:
    """With create_graph, the ops of a node's formula belong to the module of the op that made the node."""
    run = record(
        "from torch import nn\nnet = nn.Tanh()\nx = torch.ones(1, requires_grad=True)\ny = net(x) * 3\n"
        "torch.autograd.grad(y, x, create_graph=True)\n"
    )
    node = {e.node.node: e for e in run.of(ev.OpApplied) if e.node is not None}
    inside = [e for e in run.of(ev.OpApplied) if e.during is not None]
    assert {(node[e.during].op, e.module_path) for e in inside} == {("tanh", "net"), ("mul", None)}


@pytest.mark.parametrize(
    "call",
    [
        "torch.func.functional_call(net, dict(net.named_parameters()), (x,))",
        "torch.func.grad(lambda p: torch.func.functional_call(net, p, (x,)).sum())(dict(net.named_parameters()))",
        "torch.func.vmap(net)(torch.ones(3, 1, 2))",
        "[net.register_forward_hook(lambda m, i, o: o * 2), net(x)]",
    ],
)
def test_paths_inside_of_transforms(record: Callable[..., Any], call: str) -> None:
    """functional_call, torch.func and hooks leave the path as it is."""
    run = record(f"from torch import nn\nnet = nn.Sequential(nn.Linear(2, 2))\nx = torch.ones(1, 2)\n{call}\n")
    assert run.status == "ok"
    made = [path for op, path in paths(run) if op in ("addmm", "mm") and path]
    assert made and set(made) == {"net.0"}


def test_a_loop_variable_does_not_take_a_parameters_path(record: Callable[..., Any]) -> None:
    """`for p in net.parameters()` is recorded, and errors still name the parameter by its path."""
    run = record(
        "from torch import nn\nnet = nn.Linear(1, 1)\nfor p in net.parameters():\n    p.sum()\n"
        "y = net.weight.sin()\nwith torch.no_grad():\n    net.weight.mul_(2)\ny.sum().backward()\n"
    )
    assert [e.name for e in run.of(ev.TensorNamed)][:4] == ["net.weight", "net.bias", "p", "p"]
    assert "net.weight" in run.of(ev.ErrorRaised)[0].diagnosis.cause


def test_modules_do_not_live_longer_for_being_recorded(record: Callable[..., Any]) -> None:
    """A recording keeps no module alive."""
    run = record(
        "import weakref\nfrom torch import nn\nnet = nn.Sequential(nn.Linear(2, 2))\nnet(torch.ones(2))\n"
        "ref = weakref.ref(net[0])\nnet = None\nprint(ref() is None)\n"
    )
    assert run.stdout == "True\n"


def test_transforms_are_told(record: Callable[..., Any]) -> None:
    """Which transforms of torch.func are around what happens; a dual level is none."""
    run = record(
        "f = lambda x: (x * x).sum()\nx = torch.ones(2)\ntorch.func.vmap(torch.func.grad(f))(x.reshape(2, 1))\n"
        "torch.func.jvp(f, (x,), (x,))\ntry:\n    torch.func.grad(lambda x: 1 / 0)(x)\nexcept ZeroDivisionError:\n"
        "    pass\n"
    )
    assert run.status == "ok"
    entered = [(e.transform, e.depth) for e in run.of(ev.TransformEntered)]
    assert entered == [("vmap", 1), ("grad", 2), ("jvp", 1), ("grad", 1)]
    assert [e.depth for e in run.of(ev.TransformLeft)] == [2, 1, 1, 1]


def test_a_block_of_a_model_that_an_object_holds_keeps_its_path(record: Callable[..., Any]) -> None:
    """`for block in self.blocks` names no parameters of its own, and no two of them alike."""
    run = record(
        "from torch import nn\n"
        "class Net(nn.Module):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.blocks = nn.ModuleList([nn.Linear(2, 2) for _ in range(2)])\n"
        "    def forward(self, x):\n"
        "        for block in self.blocks:\n"
        "            x = block(x)\n"
        "        return x\n"
        "class Trainer:\n"
        "    def __init__(self):\n"
        "        self.model = Net()\n"
        "    def step(self, x):\n"
        "        self.model(x).sum().backward()\n"
        "Trainer().step(torch.ones(1, 2))\n"
    )
    last = {e.tensor: e.name for e in run.of(ev.TensorNamed)}
    weights = sorted(name for name in last.values() if name.endswith("weight"))
    assert weights == ["self.model.blocks.0.weight", "self.model.blocks.1.weight"]


def test_parameters_that_no_variable_leads_to_go_by_their_modules_path(record: Callable[..., Any]) -> None:
    """A model that is made and called in passing."""
    run = record(
        "from torch import nn\nnn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1))(torch.ones(1, 2)).sum().backward()\n"
    )
    named = {e.tensor: e.name for e in run.of(ev.TensorNamed)}
    leaves = [e.tensor for e in run.of(ev.NodeCreated) if e.tensor is not None]
    assert sorted(named[leaf] for leaf in leaves) == [
        "Sequential.0.bias", "Sequential.0.weight", "Sequential.1.bias", "Sequential.1.weight",
    ]  # fmt: skip


@pytest.mark.parametrize("command", [c.Step(id=1, to="seq", seq=10**6, at_end=True), c.Step(id=1, to="moment")])
def test_lines_of_modules_are_the_same_while_somebody_steps(command: c.Step) -> None:
    """The caller of a module is found with any listener: a run that is stepped through records the same events."""
    source = "import torch\n" + MODEL + "net = Model()\nfor _ in range(2):\n    net(x).sum().backward()\n"
    logs = []
    for transport in (None, Script([c.Pause(id=0)], [command] * 500)):
        written: list[bytes] = []
        run(source, written.append, transport=transport)
        events = map(ev.decode, b"".join(written).splitlines())
        logs.append([replace(e, seq=0) for e in events if not isinstance(e, (ev.Paused, ev.Resumed))])
    assert [e.line for e in logs[0] if isinstance(e, ev.ModuleDescribed)] == [27, 21, 21, 22, 10, 22]
    assert logs[1] == logs[0]


PATHS = {
    "a function's variable is gone": (
        "def make():\n    block = nn.Linear(2, 1)\n    return block\nnet = make()\n", ["net.weight"]
    ),
    "the variable of what was around it in a function is gone": (
        "def make():\n    outer = nn.Sequential(nn.Linear(1, 1))\n    return outer[0]\nlin = make()\n", ["lin.weight"]
    ),
    "an alias": ("a = nn.Linear(2, 1)\nb = a\n", ["a.weight"]),
    "an alias of a deleted name": ("a = nn.Linear(2, 1)\nb = a\ndel a\n", ["b.weight"]),
    "an alias of an emptied name": ("a = nn.Linear(2, 1)\nb = a\na = None\n", ["b.weight"]),
    "an alias of a reassigned name": (
        "a = nn.Linear(2, 1)\nb = a\na = nn.Linear(3, 1)\n", ["b.weight", "a.weight"]
    ),
    "names swapped": ("a = nn.Linear(1, 1)\nb = nn.Linear(1, 1)\na, b = b, a\n", ["b.weight", "a.weight"]),
    "a list": ("blocks = [nn.Linear(2, 1), nn.Linear(1, 1)]\n", ["blocks[0].weight", "blocks[1].weight"]),
    "a module made of a list": (
        "blocks = [nn.Linear(2, 1), nn.Linear(1, 1)]\nnet = nn.Sequential(*blocks)\n", ["net.0.weight", "net.1.weight"]
    ),
    "a module made in a loop": (
        "layers = []\nfor i in range(2):\n    layer = nn.Linear(1, 1)\n    layers.append(layer)\n"
        "net = nn.Sequential(*layers)\n", ["net.0.weight", "net.1.weight"]
    ),
    "a module around itself": ("m = nn.Linear(1, 1)\nm = nn.Sequential(m)\n", ["m.0.weight"]),
    "two modules share one": (
        "shared = nn.Linear(2, 2)\na = nn.Sequential(shared)\nb = nn.Sequential(shared)\n", ["a.0.weight"]
    ),
    "what is inside": ("m = nn.Sequential(nn.Linear(1, 1))\ninner = m[0]\nfor layer in m:\n    pass\n", ["m.0.weight"]),
    "attributes by computed names": (
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        for i in range(2):\n"
        "            first = nn.Sequential(nn.Linear(1, 1))\n            setattr(self, f'layer{i}', first)\n"
        "net = Net()\n", ["net.layer0.0.weight", "net.layer1.0.weight"]
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", PATHS)
def test_a_parameter_goes_by_its_path_from_the_outermost_name_that_holds_it_now(
    what: str, record: Callable[..., Any]
) -> None:
    """The last recorded name of each tensor, in the order in which they were made."""
    source, expected = PATHS[what]
    found = record(f"import torch\nfrom torch import nn\n{source}")
    last = {e.tensor: e.name for e in found.of(ev.TensorNamed) if e.name.endswith("weight")}
    assert [last[tensor] for tensor in sorted(last)] == expected


def test_the_parameters_of_the_example_of_resnet_have_names_of_their_own(record: Callable[..., Any]) -> None:
    """None is called as another, though each block was called `first` while the model was made."""
    example = Path(__file__).parents[3] / "server" / "backscope_server" / "examples" / "52_resnet18.py"
    source = example.read_text("utf-8").partition("images, labels")[0]
    found = record(source)
    last = {e.tensor: e.name for e in found.of(ev.TensorNamed)}
    assert len(last) == len(set(last.values()))
    assert all(name.startswith("model.") for name in last.values())
    assert "model.layer1.0.conv1.weight" in last.values()

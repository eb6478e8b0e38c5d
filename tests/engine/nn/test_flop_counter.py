"""Counting floating point operations: the table, which PyTorch lays out with a package that may be missing."""

from backscope import torch
from backscope.protocol import events as ev
from backscope.torch import nn
from backscope.torch.utils.flop_counter import FlopCounterMode, register_flop_formula
from backscope.torch.utils.module_tracker import ModuleTracker


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 4)
        self.b = nn.Linear(4, 4)

    def forward(self, x):
        return self.b(self.a(x).relu()) + x


def test_the_table_has_a_row_for_each_module_and_op():
    block = Block()
    with FlopCounterMode(display=False, depth=None) as counter:
        y = block(block(torch.ones(2, 4)))
        (y @ y.t()).sum().backward()
    assert counter.get_table().splitlines() == [
        "Module          FLOP    % Total",
        "------------  ------  ---------",
        "Global           800    100.00%",
        "- aten.addmm     256     32.00%",
        "- aten.mm        544     68.00%",
        "Block            512     64.00%",
        "- aten.addmm     256     32.00%",
        "- aten.mm        256     32.00%",
        "Block.a          320     40.00%",
        "- aten.addmm     128     16.00%",
        "- aten.mm        192     24.00%",
        "Block.b          384     48.00%",
        "- aten.addmm     128     16.00%",
        "- aten.mm        256     32.00%",
    ]


def test_the_table_is_printed_at_the_end_and_says_when_nothing_was_counted(capsys):
    with FlopCounterMode():
        torch.ones(2).exp()
    assert capsys.readouterr().out.splitlines()[-1].split() == ["Global", "0", "0%"]


def test_formulas_of_the_programs_own_count_too():
    exp = torch.ops.aten.exp
    with FlopCounterMode(
        display=False, custom_mapping={exp: lambda shape, out_shape=None: 5 * shape.numel()}
    ) as counter:
        torch.ones(3).exp()
    assert counter.get_total_flops() == 15

    @register_flop_formula(torch.ops.aten.log)
    def log(shape, out_shape=None):
        return shape.numel()

    with FlopCounterMode(display=False) as counter:
        torch.ones(3).log()
    assert counter.get_flop_counts() == {"Global": {torch.ops.aten.log: 3}}


def test_a_tracker_knows_the_modules_that_run():
    seen = []
    block = Block()
    block.a.register_forward_pre_hook(lambda *_: seen.append((set(tracker.parents), tracker.is_bw)))
    with ModuleTracker() as tracker:
        y = block(torch.ones(2, 4, requires_grad=True))
        y.register_hook(lambda g: seen.append(tracker.is_bw))
        y.sum().backward()
    assert seen == [({"Global", "Block", "Block.a"}, False), True]
    assert tracker.parents == {"Global"}


def test_its_own_hooks_are_not_recorded(record):
    """The program registered none: the counter's hooks on modules are recorded neither as registered nor as run."""
    source = (
        "from torch.utils.flop_counter import FlopCounterMode\nm = torch.nn.Linear(3, 2)\n"
        "m.register_forward_hook(lambda *given: None)\n"
        "with FlopCounterMode(display=False) as counter:\n    m(torch.ones(1, 3)).sum().backward()\n"
        "assert counter.get_total_flops() == 24\n"
    )
    run = record(source)
    assert run.status == "ok"
    assert [e.hook for e in run.of(ev.HookRan)] == ["<lambda>"]

"""Protects the events of custom Functions: one op, its node with what ctx saved, and the ops of its backward()."""

import json

from backscope.program.runner import run

PROGRAM = """
import torch
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, k):
        ctx.save_for_backward(x)
        ctx.k = k
        return x ** 3 * k
    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g * 3 * x ** 2 * ctx.k, None
x = torch.tensor([1., 2.], requires_grad=True)
z = Cube.apply(x, 2)
z.sum().backward()
"""


def events(source):
    batches: list[bytes] = []
    run(source, batches.append)
    return [json.loads(line) for batch in batches for line in batch.splitlines()]


def test_a_call_is_one_op_with_what_its_ctx_kept():
    told = events(PROGRAM)
    (op,) = [e for e in told if e["kind"] == "op_applied" and e["op"] == "Cube"]
    assert [(a["name"], a["text"]) for a in op["inputs"]] == [("x", None), ("k", "2")]
    assert op["node"]["name"] == "CubeBackward"
    assert op["node"]["attributes"] == {"k": "2"}
    assert [s["slot"] for s in op["node"]["saved"]] == ["saved_tensors[0]"]
    assert [o["value"]["values"] for o in op["outputs"]] == [[2.0, 16.0]]
    assert [e["slot"] for e in told if e["kind"] == "buffer_freed"] == ["saved_tensors[0]"]


def test_the_inside_of_forward_is_told_as_such():
    told = events(PROGRAM)
    kinds = [e["mode"] if e["kind"] == "grad_mode_changed" else e["op"] for e in told if "mode" in e or "op" in e]
    assert kinds[:5] == ["function", "pow", "mul", "grad", "Cube"]


def test_ops_of_backward_are_told_between_start_and_end_of_their_node():
    told = events(PROGRAM)
    (node,) = [e["node"]["node"] for e in told if e["kind"] == "op_applied" and e["op"] == "Cube"]
    inner = [i for i, e in enumerate(told) if e["kind"] == "op_applied" and e["during"] == node]
    (start,) = [i for i, e in enumerate(told) if e["kind"] == "node_started" and e["node"] == node]
    (end,) = [i for i, e in enumerate(told) if e["kind"] == "node_finished" and e["node"] == node]
    assert [told[i]["op"] for i in inner] == ["mul", "pow", "mul", "mul"]
    assert start < min(inner)
    assert max(inner) < end


def test_an_error_in_backward_is_told_with_the_users_lines():
    told = events(PROGRAM.replace("return g * 3", "g.nothing; return g * 3"))
    (error,) = [e for e in told if e["kind"] == "error_raised" and e["stage"] == "engine"]
    assert error["type"] == "AttributeError"
    assert [(f["line"], f["function"]) for f in error["traceback"]] == [(15, "<module>"), (12, "backward")]
    assert error["line"] == 12


def test_a_log_has_no_addresses_of_the_users_objects():
    source = PROGRAM.replace("ctx.k = k", "ctx.k = k; ctx.how = lambda: k")
    (op,) = [e for e in events(source) if e["kind"] == "op_applied" and e["op"] == "Cube"]
    assert op["node"]["attributes"]["how"] == "<function Cube.forward.<locals>.<lambda>>"

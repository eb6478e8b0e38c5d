"""Inputs for a server under test: programs, commands of every kind, and messages that are no commands."""

from __future__ import annotations

import json

from hypothesis import strategies as st
from msgspec import inspect as types

from backscope.protocol import commands
from backscope_server.api import request
from backscope_server.errors import Problem

ENDLESS = [
    "x = 0\nwhile True:\n    x += 1\n",
    "x = 0\nwhile True:\n    x += 1\n    sum(range(100_000))\n",
    "x = 0\nwhile True:\n    try:\n        x = 1 / 0\n    except BaseException:\n        pass\n",
    "import torch\nx = torch.ones(2, requires_grad=True)\nwhile True:\n    x.exp().sum().backward()\n",
]
PROGRAMS = [
    "",
    "print(1)",
    "x = (",
    "def f(n):\n    return 1 / n\nf(0)",
    "for i in range(300):\n    print('line', i)\n",
    "import torch\nx = torch.ones(3, requires_grad=True)\ny = (x * x).sum()\ny.backward()\nprint(x.grad)\n",
    """import torch
x = torch.ones(2, 2, requires_grad=True)
x.register_hook(lambda g: torch.autograd.grad((x * x).sum(), x)[0] + g)
for i in range(5):
    (x.exp() * x).sum().backward()
""",
    """import torch
model = torch.nn.Sequential(torch.nn.Linear(2, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(10):
    loss = (model(torch.ones(8, 2)) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item())
""",
    "import os\nprint(1)\nos._exit(3)\n",
]
TEXTS = {
    "expression": [
        "x",
        "1 + 1",
        "x + 1",
        "1 / 0",
        "x.grad",
        "[x] * 3",
        "(",
        "",
        "print(x)",
        "__import__('os')._exit(1)",
        "(i for i in [])",
    ],
    "condition": ["x > 2", "True", "1 / 0", "(", "x.sum() > 1"],
    "target": ["x", "x[0]", "x.grad", "y", "1", "x, y", "", "model"],
    "name": ["exp", "ExpBackward0", "mul", "<lambda>", "x"],
    "tensor": ["x", "y", "nothing"],
    "type": ["ZeroDivisionError", "Exception"],
    "file": ["program.py", "layers.py", "/etc/passwd", "../layers.py", "os.py"],
}
SMALL = ("line", "node", "tensor", "frame", "hits", "begin", "end", "seq")


def anything(kind, name=""):
    """Return a strategy for a field of the protocol, by its type; it prefers texts and numbers that programs have."""
    match kind:
        case types.StructType(fields=fields, tag_field=tag_field, tag=tag):
            required = {
                field.encode_name: anything(field.type, field.encode_name) for field in fields if field.required
            }
            optional = {
                field.encode_name: anything(field.type, field.encode_name) for field in fields if not field.required
            }
            return st.fixed_dictionaries({tag_field: st.just(tag), **required}, optional=optional)
        case types.UnionType(types=parts):
            return st.one_of([anything(part, name) for part in parts])
        case types.LiteralType(values=values):
            return st.sampled_from(values)
        case types.ListType(item_type=item, max_length=longest):
            return st.lists(anything(item, name), max_size=min(longest or 4, 4))
        case types.StrType(max_length=longest):
            usual = st.sampled_from(TEXTS[name])
            return usual | usual | usual | st.text(min_size=1, max_size=min(longest or 9, 9))
        case types.IntType(ge=least, le=most):
            usual = st.integers(least, least + 12)
            return usual if name in SMALL else st.sampled_from([0, 1, 2, most]) | usual
        case types.FloatType():
            return st.floats(allow_nan=False, allow_infinity=False)
        case types.BoolType():
            return st.booleans()
        case types.NoneType():
            return st.none()
        case types.Metadata(type=inner):
            return anything(inner, name)
    raise TypeError(f"{name} is a {kind}: say here what is sent for one")


def is_command(value):
    """Return whether the server accepts a value as a command: some fields depend on others, which types do not say."""
    try:
        request.command(json.dumps(value))
    except Problem:
        return False
    return True


COMMANDS = anything(types.type_info(commands.Command)).filter(is_command)
LOOKING = anything(types.type_info(commands.Looking)).filter(is_command)
JUNK = st.sampled_from(
    [None, True, -1, 2**53, 2**53 + 1, 2**64, 1e400, 0.5, "", "\x00", "x" * 5000, [], [[]], {}, {"id": 1}, [1] * 1001]
)


@st.composite
def odd(draw):
    """Draw a command with a field removed or replaced, as JSON; it may still be valid."""
    command = dict(draw(COMMANDS))
    field = draw(st.sampled_from([*command, "command", "id", "more"]))
    if draw(st.booleans()):
        command.pop(field, None)
    else:
        command[field] = draw(JUNK)
    return json.dumps(command)


GARBAGE = st.one_of(
    odd(),
    st.text(max_size=30),
    st.binary(max_size=30),
    st.sampled_from(
        [
            "[" * 100_000,
            '{"command":"pause","id":1' + " " * (1 << 18) + "}",
            "x" * (1 << 22),
            b"\xff" * (1 << 17),
            '{"command":"run","source":"print(1)"}',
            '{"command":"pause","id":1}{"command":"pause","id":2}',
            '{"command":"pause","id":' + "9" * 5000 + "}",
            '{"command":"evaluate","id":1,"expression":"\\ud800"}',
        ]
    ),
)


class Frame(bytes):
    """Bytes of a WebSocket frame that are written to the socket unchanged."""


FRAMES = st.sampled_from(
    [
        Frame(b"\x81\x81\0\0\0\0\xff"),  # Text that is not UTF-8.
        Frame(b"\x83\x80\0\0\0\0"),  # A reserved kind.
        Frame(b"\xf1\x80\0\0\0\0"),  # Reserved bits.
        Frame(b"\x81\x01x"),  # Not masked.
        Frame(b"\x80\x80\0\0\0\0"),  # Goes on with nothing.
        Frame(b"\x89\xfe\x10\0" + b"\0" * 4100),  # A ping that is too long.
        Frame(b"\x81\xff\x7f" + b"\xff" * 7 + b"\0" * 4),  # Of nine exabytes.
    ]
)

"""torch.save and torch.load through buffers."""

from __future__ import annotations

import base64
import importlib
import io
import pickle
import pickletools
import zlib
from collections import OrderedDict
from pickle import UnpicklingError
from typing import Any

import pytest

from backscope.tensor.serialization import _FORMER, _Unpickler


def through(torch: Any, value: Any, **options: Any) -> Any:
    """A value saved and loaded again."""
    buffer = io.BytesIO()
    torch.save(value, buffer)
    buffer.seek(0)
    return torch.load(buffer, **options)


def test_containers_of_tensors(torch: Any) -> None:
    """Values, dtypes, requires_grad and containers come back."""
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    found = through(torch, OrderedDict(a=x, b=[torch.tensor(3), "text", 2.5], c=torch.ones(1, dtype=torch.bfloat16)))
    assert (found["a"].tolist(), found["a"].requires_grad) == ([1.0, 2.0], True)
    assert (found["b"][0].item(), found["b"][1:], found["c"].dtype) == (3, ["text", 2.5], torch.bfloat16)


class Custom:
    """A class that holds no data."""


def test_other_classes_need_trust(torch: Any) -> None:
    """They are refused unless weights_only is False."""
    with pytest.raises(pickle.UnpicklingError, match="Weights only load failed"):
        through(torch, Custom())
    assert isinstance(through(torch, Custom(), weights_only=False), Custom)


def test_module_state(torch: Any) -> None:
    """A state_dict makes the round trip."""
    net = torch.nn.Linear(2, 1)
    again = torch.nn.Linear(2, 1)
    again.load_state_dict(through(torch, net.state_dict()))
    assert torch.equal(net.weight, again.weight)


def test_nothing_to_read(torch: Any) -> None:
    """An empty buffer is an error."""
    with pytest.raises(EOFError):
        torch.load(io.BytesIO())


FLAT = zlib.decompress(
    base64.b85decode(
        b"c-nQ6-D=w~6vu5hA!*Z6O3T`dJwSJ3=vI0)Xdu06AcOS*j4aEOi7XjO9?f9TUi2ey?sE1%eY5RYDGj@*1O`d}|M{H{-}U~KNfZ{0xKT=QUm5KX"
        b"M&E29tSGK3?s0{mzT+vxw+JUW<8#MNBU012lpFn1SVta&VP-|%R;nO9e9&#(EYge{E7H1EzGBw01;Q?=$mP6kLuBX&CBi@#Ysm_y(F0E69G{S|"
        b")0lShh;jt|!Y>-pnUeAxm(T0>Er`G3Y&N_8ODlY)k;i;F8Aj2|C6)Gqbc8{v4D(+;W3WL_GF74+$Q`-Y@#Ov+jSfe!U8^kMs2RgNc+V~f{YI51"
        b"#GEFy$AOkamw~epFV~=Xr3-}pP2<*8z#vn`%-be3q0;{193MJE-$~ZJ_r0-PQh=N4S64KVwjN1xj}SKqhns*6v#b_gScHSu8DyKg6`sCV=J9gU"
        b"i=y$kOI&^o`98~phW(pvy4)3Wo`(7V(0>R+kuA+^uNJkji>x%ZX5l}%CoA+cq3M-NrnOKm3t?Q|rvCs?^Yic"
    )
)
"""A file of when the engine's modules had no rooms: its pickle names backscope.dtype and the like."""


def globals_of(file: bytes) -> set[tuple[str, str]]:
    """The modules and names that a pickle imports, which follow one another in it or come from its memo."""
    found: set[tuple[str, str]] = set()
    memo: list[object] = []
    stack: list[object] = []
    for code, argument, _ in pickletools.genops(file):
        if code.name in ("SHORT_BINUNICODE", "BINUNICODE"):
            stack.append(argument)
        elif code.name == "MEMOIZE":
            memo.append(stack[-1] if stack else None)
        elif code.name in ("BINGET", "LONG_BINGET"):
            stack.append(memo[argument])
        elif code.name == "STACK_GLOBAL":
            name, module = stack.pop(), stack.pop()
            found.add((str(module), str(name)))
            stack.append(None)
        else:
            stack.append(None)
    return found


def test_files_from_before_the_rooms() -> None:
    from backscope import torch

    assert ("backscope.dtype", "_lookup") in globals_of(FLAT)
    assert ("backscope.parameter", "rebuild_parameter") in globals_of(FLAT)
    with pytest.raises(UnpicklingError, match=r"Unsupported global: GLOBAL torch\.memory_format"):
        torch.load(io.BytesIO(FLAT))
    found = torch.load(io.BytesIO(FLAT), weights_only=False)
    assert (found["x"].tolist(), found["x"].requires_grad) == ([[1.5, -2.0]], True)
    assert (found["half"].dtype, found["half"].item()) == (torch.bfloat16, 0.5)
    assert found["kind"] is torch.int64 and found["shape"] == torch.Size([2, 3])
    assert type(found["p"]) is torch.nn.Parameter and found["p"].item() == 3.0 and found["p"].requires_grad
    assert repr(found["last"]) == "torch.channels_last"


def test_what_older_files_name_is_there() -> None:
    for module, name in _FORMER:
        assert _Unpickler(io.BytesIO(), weights_only=False).find_class(module, name) is not None


def test_pickles_name_what_stays() -> None:
    """The names of modules of the engine would not outlive a move; those of backscope.torch do."""
    from backscope import torch

    buffer = io.BytesIO()
    x = torch.ones(2, dtype=torch.float16, requires_grad=True)
    torch.save([x, torch.nn.Parameter(x.detach()), torch.int8, torch.channels_last, torch.randperm(3)], buffer)
    ours = {(module, name) for module, name in globals_of(buffer.getvalue()) if module.startswith("backscope")}
    home = "backscope.torch.serialization"
    assert ours == {(home, name) for name in ("_dtype", "_memory_format", "_rebuild_parameter", "_rebuild_tensor")}
    for module, name in ours:
        assert callable(getattr(importlib.import_module(module), name))
    buffer.seek(0)
    again = torch.load(buffer)
    assert again[2] is torch.int8 and again[3] is torch.channels_last
    assert pickle.loads(pickle.dumps(x)).tolist() == [1.0, 1.0]


def test_parameters_need_no_trust(torch: Any) -> None:
    found = through(torch, torch.nn.Parameter(torch.tensor([3.0])))
    assert type(found) is torch.nn.Parameter and found.requires_grad and found.tolist() == [3.0]

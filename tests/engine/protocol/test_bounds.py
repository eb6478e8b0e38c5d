"""Protects the page from fields that fit the protocol's types and nothing else: what the engine says always passes."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from backscope.protocol import commands, events

GOLDEN = sorted((Path(__file__).resolve().parents[2] / "golden").glob("*.jsonl"))


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_what_the_engine_records_passes_unchanged(path):
    for line in path.read_bytes().splitlines():
        assert events.encode(events.decode(line)) == line


VALUE = {
    "shape": [2], "dtype": "float32", "strides": [1], "nbytes": 8, "min": 0.0, "max": 1.0, "mean": 0.5, "norm": 1.0,
    "nan_count": 0, "inf_count": 0, "values": [0.0, 1.0],
}  # fmt: skip
INFO = {
    "tensor": 1, "storage": 1, "version": 0, "requires_grad": False, "is_leaf": True, "base": None, "value": VALUE,
}  # fmt: skip


def created(value: dict[str, object], **info: object) -> bytes:
    told = {**INFO, "value": {**VALUE, **value}, **info}
    return msgspec.json.encode({"kind": "tensor_created", "seq": 1, "line": 1, "origin": "ones", "info": told})


def said(kind: str, **fields: object) -> bytes:
    return msgspec.json.encode({"kind": kind, "seq": 1, "line": 1, **fields})


ERROR = {
    "type": "E", "message": "m", "column": None, "traceback": [], "node": None, "diagnosis": None, "frames_left_out": 0,
}  # fmt: skip


def test_the_samples_below_are_wrong_in_one_thing_only():
    for line in (created({}), said("tensor_released", tensor=1), said("error_raised", stage="engine", **ERROR)):
        assert events.encode(events.decode(line)) == line


def test_what_the_protocol_may_leave_out_may_be_left_out():
    plain = {"cause": "c", "fix": "f", "lines": [1], "nodes": [], "tensors": [2]}
    for diagnosis in (plain, {**plain, "wrong_fix": "w", "evidence": [{"text": "t", "line": 3}]}):
        line = said("error_raised", stage="engine", **{**ERROR, "diagnosis": diagnosis})
        assert events.encode(events.decode(line)) == line


@pytest.mark.parametrize(
    "line",
    [
        created({"nbytes": -1}),
        created({"shape": [-2]}),
        created({"shape": [1] * 65}),
        created({"values": [0.0] * 257}),
        created({"values": [[0.0] * 300]}),
        created({"dtype": "x" * 10_001}),
        created({}).replace(b'"min":0.0', b'"min":1e999'),
        created({}).replace(b'"min":0.0', b'"min":' + b"9" * 400),
        created({}, tensor=0),
        created({}, base=-1),
        created({}, version=2**60),
        said("tensor_released", tensor=2**70),
        said("tensor_released", tensor=1).replace(b'"line":1', b'"line":-1'),
        said("tensor_named", tensor=1, name="n" * 10_001),
        said("node_started", call=1, node=1, gradients=[None] * 70_000),
        said("output_printed", stream="stdlog", text="x"),
        said("output_printed", stream="stdout", text="x" * (1 << 20) + "x"),
        said("error_raised", stage="server", **ERROR),
    ],
)
def test_what_fits_the_types_but_no_run_is_refused(line):
    with pytest.raises(msgspec.ValidationError):
        events.decode(line)


@pytest.mark.parametrize(
    ("line", "right"),
    [
        (
            b'{"answer":"tensor_read","id":1,"whole":[300],"shape":[300],"dtype":"float32","values":[%b]}',
            b"1.0," * 299 + b"0.5",
        ),
        (b'{"answer":"tensor_read","id":1,"whole":[1],"shape":[1],"dtype":"int64","values":[%b]}', b"5"),
    ],
)
def test_answers_are_held_to_bounds_too(line, right):
    assert commands.encode(commands.decode_answer(line % right)) == line % right
    for wrong in (b"9" * 400, b'[["x"]]', b"x" * 2_000_000):
        with pytest.raises((msgspec.ValidationError, msgspec.DecodeError)):
            commands.decode_answer(line % wrong)


def test_pytorchs_largest_sequence_number_passes_and_endless_digits_do_not():
    node = '{"node":1,"name":"F","sequence_nr":NUMBER,"next_functions":[],"saved":[],"attributes":{}}'
    line = '{"kind":"graph_rebased","seq":1,"line":1,"tensor":1,"node":' + node + "}"
    largest = line.replace("NUMBER", str(2**64 - 1)).encode()
    assert events.encode(events.decode(largest)) == largest
    with pytest.raises((ValueError, OverflowError)):
        events.decode(line.replace("NUMBER", "9" * 5000).encode())

"""The catalogue of ops: each is sampled, and has a formula and a sentence for the page."""

from __future__ import annotations

import re
from types import ModuleType
from typing import Any

import pytest

import backscope.torch  # noqa: F401 - declares the ops
from backscope.ops.core.declaration import Op, primitives

PLACEHOLDER = re.compile(r"{(\w+)}")


def differentiable_inputs(op: Op) -> list[str]:
    """The inputs that an op has gradients for."""
    return list(op.formulas) or (op.inputs if op.whole else [])


@pytest.fixture(params=sorted(primitives))
def op(request: pytest.FixtureRequest) -> Op:
    """Every declared op."""
    return primitives[request.param]


def test_every_op_has_samples(rows: ModuleType) -> None:
    assert set(primitives) == {s.op for s in rows.SAMPLES} | rows.WITHOUT_CALL


def test_every_sample_calls_the_op_that_it_names(sample: Any, ours: Any) -> None:
    inputs = [ours.as_tensor(array.copy()).requires_grad_() for array in sample.inputs]
    out = sample.call(ours, *inputs)
    if sample.differentiable:
        assert out.grad_fn.op is primitives[sample.op]
    else:
        assert sample.op in primitives


def test_every_differentiable_input_has_a_formula_and_a_sentence(op: Op) -> None:
    wanted = set(differentiable_inputs(op))
    assert wanted <= set(op.latex)
    assert wanted <= set(op.summary)


def test_formulas_are_balanced_and_sentences_are_fragments(op: Op) -> None:
    for formula in op.latex.values():
        assert formula.count("{") == formula.count("}")
        assert formula.count(r"\left") == formula.count(r"\right")
    for sentence in op.summary.values():
        assert sentence[0].islower() and not sentence.endswith(".")


def test_a_formula_with_a_conjugate_is_not_conjugated_again(op: Op) -> None:
    written = [formula for formula in op.latex.values() if re.search(r"operatorname\{conj\}|\^\{?[-+]?H", formula)]
    assert not (written and op.conjugates)


def test_sentences_name_only_what_the_page_can_fill_in(op: Op) -> None:
    known = {"g", "result", "self_shape", "self_dtype", "self_numel", *op.parameters, *op.returns}
    for sentence in op.summary.values():
        assert set(PLACEHOLDER.findall(sentence)) <= known

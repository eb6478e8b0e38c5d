"""Protects the nodes that lessons name: they are found in golden streams."""

from __future__ import annotations

import pytest

from backscope.moments import NotFound, moment_search
from backscope_server.lessons import node_name, node_search


@pytest.mark.parametrize("name", ["größe", "ﬁt.wéight", "重み", "की"])
def test_a_leaf_may_have_any_letter_of_a_variable(name):
    assert node_name.parse(f"leaf {name}").name == node_name.composed(name)


def test_nodes_are_found_by_their_names(golden):
    run = golden("40_fan_in")
    before = moment_search.find(run, "before a pass").seq
    names = {
        text: node_search.find(run, before, text) for text in ("next node", "grad_fn of y", "AddBackward0", "leaf x")
    }
    assert names["next node"] == names["grad_fn of y"] == names["AddBackward0"]
    order = node_search.in_order(
        run, [names["leaf x"], names["AddBackward0"], node_search.find(run, before, "MulBackward0")]
    )
    assert [node.name for node in order] == ["AddBackward0", "MulBackward0", "AccumulateGrad"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("MulBackward0 #2", "There is no node 'MulBackward0 #2': the pass runs 1 of that class."),
        ("SubBackward0", "There is no node 'SubBackward0' in the pass. Did you mean MulBackward0? There are: "
         "AddBackward0, MulBackward0, PowBackward0, AccumulateGrad."),
        ("grad_fn of x", "x has no grad_fn at this moment: it is a leaf. Write 'leaf x' for its node."),
        ("leaf y", "y is no leaf that a node adds a gradient to."),
        ("grad_fn of z", "There is no variable 'z' at this moment. There are: x, a, b, y."),
    ],
)  # fmt: skip
def test_a_node_that_is_not_there_is_answered_by_those_that_are(golden, text, message):
    run = golden("40_fan_in")
    with pytest.raises(NotFound) as found:
        node_search.find(run, moment_search.find(run, "before a pass").seq, text)
    assert str(found.value) == message

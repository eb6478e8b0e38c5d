"""Protects which part of a program a change may change."""

from __future__ import annotations

import pytest

from backscope_server.lessons.lesson import Edit
from backscope_server.lessons.program_edit import why_not

SOURCE = "import torch\nx = torch.tensor(2.0)\ny = x * 3 - 1\nprint(y)\n"
NUMBERS = Edit(of="numbers")
LINE = Edit(of="lines", first=3, last=3)
SAME = "The program is still the same."
ONLY_NUMBERS = "Only numbers may change here: put the rest of the program back as it was."
ONLY_LINE = "Only line 3 may change here: put the other lines back as they were."


@pytest.mark.parametrize(
    ("edit", "before", "after", "reason"),
    [
        (NUMBERS, "2.0", "4.0", None),
        (NUMBERS, "2.0", "-4.0", None),
        (NUMBERS, "2.0", "1e3", None),
        (NUMBERS, "* 3 - 1", "*  7 -1 # seven", None),
        (NUMBERS, "2.0", "2.0 ", SAME),
        (NUMBERS, "- 1", "+ 1", ONLY_NUMBERS),
        (NUMBERS, "x * 3", "x * x", ONLY_NUMBERS),
        (NUMBERS, "print(y)", "print(y, 1)", ONLY_NUMBERS),
        (NUMBERS, "print(y)", "print(y", ONLY_NUMBERS),
        (NUMBERS, "print(y)", '\\"' * 30_000, ONLY_NUMBERS),
        (NUMBERS, "x * 3", "-x * 3", ONLY_NUMBERS),
        (NUMBERS, "x * 3 - 1", "x * -3 - 1", None),
        (NUMBERS, "- 1", "- +-1", None),
        (LINE, "x * 3", "x * x", None),
        (LINE, "- 1\n", "- 1\ny = y + 1\n", None),
        (LINE, "y = x * 3 - 1\n", "", None),
        (LINE, "2.0", "4.0", ONLY_LINE),
        (LINE, "print(y)", "print(x)", ONLY_LINE),
        (LINE, "import torch\n", "", ONLY_LINE),
        (Edit(of="lines", first=2, last=3), "print(y)", "print(x)",
         "Only the lines 2 to 3 may change here: put the other lines back as they were."),
        (Edit(of="program"), "import torch", "import math", None),
        (Edit(of="program"), "import torch", "import torch", SAME),
    ],
)  # fmt: skip
def test_only_the_allowed_part_may_change(edit, before, after, reason):
    assert before in SOURCE
    assert why_not(SOURCE, SOURCE.replace(before, after), edit) == reason


@pytest.mark.parametrize(
    ("original", "changed", "reason"),
    [
        ("f = lambda: 0\nassert 1\n", "f = lambda: 0\nassert -1\n", None),
        ("y = (x\n     - 1)\n", "y = (x\n     + 1)\n", ONLY_NUMBERS),
        ("y = None - 1\n", "y = None + 1\n", ONLY_NUMBERS),
    ],
)
def test_a_sign_belongs_to_a_number_where_no_operand_is_before_it(original, changed, reason):
    assert why_not(original, changed, NUMBERS) == reason

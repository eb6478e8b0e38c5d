"""Protects `lesson check`: each kind of fault in a lesson is found, at its line, with what to do about it."""

# ruff: noqa: E501
from __future__ import annotations

import re

import pytest

from backscope_server.lessons.block_parts import ATTRIBUTES
from backscope_server.lessons.confusion import CONFUSIONS
from backscope_server.lessons.front_matter import KEYS
from backscope_server.lessons.lesson_error import MOST_FAULTS

GOOD = """\
---
title: A
goal: B
learned: C.
minutes: 4
---
:::{program}
```python
import torch

x = torch.tensor(2.0, requires_grad=True)
y = x * x + 3 * x
y.backward()
```
:::

:::{step} at="after y is set"
Look.
:::

:::{predict} at="after a pass" ask="x.grad"
What?
- if "4": No.
- right: Yes.
:::

:::{predict} at="before a pass" choose="type(y.grad_fn).__name__"
Which?
- option "'AddBackward0'"
- option "'MulBackward0'": No.
- right: Yes.
:::

:::{predict} at="before a pass" point="next node"
Where?
- if "leaf x": No.
- right: Yes.
:::

:::{predict} at="before a pass" arrange="MulBackward0 #1, MulBackward0 #2, AddBackward0"
When?
- if "MulBackward0 #1, AddBackward0, MulBackward0 #2": No.
- right: Yes.
:::

:::{change} check="x.grad == 11"
Try.
- if "x.grad == 9": Close.
- right: Yes.
:::

:::{solution}
```python
import torch

x = torch.tensor(4.0, requires_grad=True)
y = x * x + 3 * x
y.backward()
```
:::
"""

ERRORS = f"{', '.join(CONFUSIONS)}."

FAULTS = {
    # The front matter.
    "no front matter": ("---\ntitle: A", "# A\ntitle: A", 1,
        "A lesson begins with front matter: a line `---`, then `title: ...`, `goal: ...`."),
    "no end of it": ("minutes: 4\n---\n", "minutes: 4\n", 1,
        "The front matter has no end: put a line `---` after its last key."),
    "an unknown key": ("title: A", "titel: A", 2,
        f"There is no key 'titel'. Did you mean title? There are: {', '.join(KEYS)}."),
    "a key twice": ("goal: B", "goal: B\ntitle: B", 4, "`title` is given twice: the first one is at line 2."),
    "a key that is missing": ("learned: C.\n", "", 5,
        "The front matter has no `learned`: the sentence that a reader takes home, shown at the end."),
    "no key": ("goal: B", "goal B", 3, "A line of the front matter is `key: value`, as `minutes: 4`."),
    "a text that needs quotes": ("title: A", "title: A: B", 2,
        "Put the text of `title` in double quotes: YAML takes it for something else without."),
    "a text whose quotes do not end": ("title: A", 'title: "A', 2,
        '`title` begins with `"` and does not end as a quoted text: check its quotes.'),
    "an empty text": ("title: A", "title:", 2, "`title` is empty: what the lesson is called."),
    "no minutes": ("minutes: 4", "minutes: four", 5, "`minutes` is a whole number from 1 to 60, not 'four'."),
    "needs without brackets": ("minutes: 4", "minutes: 4\nneeds: 01_graph", 6,
        "`needs` is a list of names of lessons, as `[01_graph, 02_chain_rule]`."),
    "a needed lesson that is not there": ("minutes: 4", "minutes: 4\nneeds: [01_grahp]", 6,
        "There is no lesson '01_grahp' beside this one. Did you mean 01_graph? There is: 01_graph."),
    # Fences and attributes.
    "an unknown block": (":::{step}", ":::{stop}", 17,
        f"There is no block 'stop'. Did you mean step? There are: {', '.join(ATTRIBUTES)}."),
    "a block that is open": ("Look.\n:::\n", "Look.\n", 20, "The block of line 17 is still open: close it with `:::` before."),
    "a block without an end": ("y.backward()\n```\n:::\n<END>", "y.backward()\n```\n", 52,
        "The block `solution` has no end: close it with `:::`."),
    "an end without a block": ("Look.\n:::\n", "Look.\n:::\n:::\n", 20,
        "There is no open block here: remove this line, or open one above."),
    "an end that is too short": (":::{step}", "::::{step}", 19,
        "The block of line 17 opened with 4 colons: close it with as many."),
    "a block with two colons": (":::{step}", "::{step}", 17, "A block opens with three colons at the left, as `:::{step}`."),
    "a block that is a code block": (":::{step} at=\"after y is set\"\nLook.\n:::", "```{step}\nLook.\n```", 17,
        "A block opens with three colons at the left, as `:::{step}`."),
    "a block without braces": (":::{step}", ":::step", 17,
        'A block opens with its kind in braces, as `:::{step} at="before a pass"`.'),
    "an indented fence": (":::{step}", "  :::{step}", 17, "A fence begins at the left: remove the spaces before `:::`."),
    "an unknown attribute": ('{step} at=', '{step} art=', 17,
        "A step has no attribute 'art'. Did you mean at? There are: at, hide, program."),
    "an attribute twice": ('{step} at="after y is set"', '{step} at="at the end" at="at the end"', 17, "`at` is given twice."),
    "an attribute without quotes": ('at="after y is set"', "at=end", 17,
        '`at=end` is no attribute: write `key="value"`, a quote in it as `\\"`.'),
    "an attribute in the quotes of a word processor": ('at="after y is set"', "at=\u201cafter y is set\u201d", 17,
        '`at=\u201cafter y is set\u201d` is no attribute: write `key="value"`, a quote in it as `\\"`. '
        "Its quotes are not straight: write them as in this example."),
    "no moment": ('{step} at="after y is set"', "{step}", 17, 'The step has no at="...", the moment that it is about.'),
    "a moment that is not well formed": ("after y is set", "after MulBackward0 in loop 3", 17,
        "'MulBackward0 in loop 3' is no event that a moment can name."),
    "a pass by its number": ("after y is set", "after pass 2", 17,
        "'pass 2' is no event that a moment can name: write `a pass #2`."),
    # Programs.
    "a program without code": ("```python\nimport torch\n\nx = torch.tensor(2.0", "import torch\n\nx = torch.tensor(2.0", 7,
        "A program is one code block: begin it with ```python, end it with ```."),
    "code of another language": ("```python\nimport torch\n\nx = torch.tensor(2.0", "```py\nimport torch\n\nx = torch.tensor(2.0", 8,
        "A program is one code block: begin it with ```python, end it with ```."),
    "a code block without an end": ("y.backward()\n```\n:::\n\n:::{step}", "y.backward()\n:::\n\n:::{step}", 8,
        "The code block has no end before line 14: close it with ```."),
    "something beside the code": ("y.backward()\n```\n:::\n\n:::{step}", "y.backward()\n```\nMore.\n:::\n\n:::{step}", 15,
        "A program has nothing beside its code block: move this out of it."),
    "two programs of a name": (":::{step}", ":::{program}\n```python\nx = 1\n```\n:::\n\n:::{step}", 17,
        "There is a program 'program' at line 7: give this one name=\"...\"."),
    "a program that fails": ("y = x * x", "y = x @ x", 12,
        "The program fails: RuntimeError: both arguments to matmul need to be at least 1D, but they are 0D and 0D. "
        'Mend it, or write raises="RuntimeError" where that is meant.'),
    "a program that reads a file": ("y = x * x", "open('x.txt')", 12,
        "The program fails: PermissionError: [Errno 1] Operation not permitted: 'x.txt'. "
        "A program of a lesson reads no files, has no network and no input: write into it what it needs."),
    "a program of which no error comes": (":::{program}", ':::{program} raises="RuntimeError"', 7,
        'The program ends without an error, and raises="RuntimeError" says that there is one: remove it.'),
    "a program that fails otherwise": (":::{program}\n```python\nimport torch", ':::{program} raises="ValueError"\n```python\nimport trch', 9,
        "The program fails otherwise than by ValueError: ModuleNotFoundError: No module named 'trch'"),
    "no program of that name": ('at="after y is set"', 'at="after y is set" program="progam"', 17,
        "There is no program 'progam' above. Did you mean program? There is: program."),
    "a seed that is none": (":::{program}", ':::{program} seed="x"', 7, "`seed` is a whole number from 0 on, not 'x'."),
    # Moments and predictions.
    "a moment that the run does not have": ("after y is set", "after z is set", 17,
        "There is no moment 'after z is set'. The run has: x is set, y is set."),
    "no question": (' ask="x.grad"', "", 21, "A predict has one of ask, choose, point, arrange; this one has none."),
    "two questions": (' ask="x.grad"', ' ask="x.grad" point="next node"', 21,
        "A predict has one of ask, choose, point, arrange; this one has ask and point."),
    "no expression": ('ask="x.grad"', 'ask="x.grad +"', 21, "'x.grad +' is no expression of Python: invalid syntax."),
    "a single equals sign": ('check="x.grad == 11"', 'check="x.grad = 11"', 46,
        "'x.grad = 11' sets a value. To compare two, write 'x.grad == 11'."),
    "an answer that cannot be computed": ('ask="x.grad"', 'ask="z.grad"', 21,
        "`z.grad` has no value after a pass: NameError: name 'z' is not defined"),
    "an answer that cannot be typed": ('ask="x.grad"', 'ask="torch"', 21,
        "`torch` is a value of type module, which no reader can type: ask for a number, a tensor or a text."),
    "no explanation": ("- if \"4\": No.\n- right: Yes.\n", "- if \"4\": No.\n", 21,
        "The predict has no `- right: ...`, the sentence that says why the answer is right."),
    "no text": ("What?\n", "", 21, "The predict has no text: say in a sentence what it is about."),
    "feedback for the right answer": ('- if "4"', '- if "2 * x + 3"', 23,
        "`2 * x + 3` is 7, the right answer, and has feedback for a wrong one."),
    "a wrong answer without a value": ('- if "4"', '- if "z"', 23,
        "`z` has no value after a pass: NameError: name 'z' is not defined"),
    "no feedback": ('- if "4": No.', '- if "4"', 23,
        'The item has no feedback: write it behind a colon, or give confusion="...".'),
    "an unknown confusion": ('- if "4": No.', '- if "4" confusion="acumulation": No.', 23,
        f"There is no confusion 'acumulation'. Did you mean accumulation? There are: {ERRORS}"),
    "an item that is none": ('- if "4": No.', "- if 4: No.", 23,
        'An item is `- if "4": ...`, `- option "None": ...`, `- else: ...` or `- right: ...`.'),
    "an item without its colon": ('- if "4": No.', '- if "4" No.', 23, 'An item is `- if "4": ...`, with a colon.'),
    "an item in bold": ("- right: Yes.", "- **right**: Yes.", 24, "Write this item at the left, as `- right: ...`."),
    "an item with another sign": ('- if "4": No.', '* if "4": No.', 23, 'Write this item at the left, as `- if "4": ...`.'),
    "an item without a space": ("- right: Yes.", "-right: Yes.", 24, "Write this item at the left, as `- right: ...`."),
    "an item that is indented": ("- right: Yes.", "   - right: Yes.", 24, "Write this item at the left, as `- right: ...`."),
    "an item with a capital": ('- if "4": No.', '- If "4": No.', 23, 'Write this item at the left, as `- if "4": ...`.'),
    "an unknown item above": ('- if "4": No.', "- otherwise: No.", 23,
        "An item begins with `- if`, `- option`, `- else` or `- right`. A list in the text needs an empty line below it."),
    "an unknown item below": ("- right: Yes.", "- rihgt: Yes.", 24,
        "There is no item 'rihgt'. Did you mean right? There are: if, option, else, right."),
    "two options with the answer": ("- option \"'MulBackward0'\": No.", "- option \"'Add' 'Backward0'\"", 27,
        "`type(y.grad_fn).__name__` is 'AddBackward0', and the options at lines 29 and 30 have that value: exactly one has to be right."),
    "an item of another block": ("- right: Yes.\n:::\n\n:::{solution}", '- option "4": No.\n- right: Yes.\n:::\n\n:::{solution}', 49,
        "A change has no item 'option'. There are: if, else, right."),
    "text below the items": ("- if \"4\": No.\n", "- if \"4\": No.\nMore.\n", 24,
        "Below its items a block has items alone: indent this line by two spaces, or move it up."),
    "an option without a choice": ('- if "4"', '- option "4"', 23, 'Options go with choose="...": write `- if` for a wrong answer.'),
    "a choice with one option": ("- option \"'MulBackward0'\": No.\n", "", 27,
        'A choice has 2 to 12 options, `- option "None"`; this one has 1.'),
    "a choice without its answer": ("- option \"'AddBackward0'\"", "- option \"'SubBackward0'\": No.", 27,
        "`type(y.grad_fn).__name__` is 'AddBackward0', and no option has that value: exactly one has to be right."),
    "feedback for the right option": ("- option \"'AddBackward0'\"", "- option \"'AddBackward0'\": No.", 29,
        "The option \"'AddBackward0'\" is the right answer: its text belongs to `right`."),
    "a wrong option without feedback": ("- option \"'MulBackward0'\": No.", "- option \"'MulBackward0'\"", 30,
        "The option \"'MulBackward0'\" is wrong and has no feedback: say why it is wrong."),
    "a node that is not there": ('point="next node"', 'point="SubBackward0"', 34, "There is no node 'SubBackward0' in the pass."),
    "a node that is not well formed": ('point="next node"', 'point="the next node"', 34, "'the next node' names no node."),
    "the right node as a wrong one": ('- if "leaf x"', '- if "AddBackward0"', 36,
        "'AddBackward0' is the right answer, and has feedback for a wrong one."),
    "too few nodes": ('arrange="MulBackward0 #1, MulBackward0 #2, AddBackward0"', 'arrange="AddBackward0"', 40,
        "'AddBackward0' names too few nodes: the order has 2 or more, separated by commas."),
    "a node twice": ("MulBackward0 #1, MulBackward0 #2, AddBackward0", "AddBackward0, AddBackward0", 40,
        "'AddBackward0, AddBackward0' names a node twice."),
    "the right order as a wrong one": ('- if "MulBackward0 #1, AddBackward0, MulBackward0 #2"',
        '- if "AddBackward0, MulBackward0 #1, MulBackward0 #2"', 42,
        "'AddBackward0, MulBackward0 #1, MulBackward0 #2' is the right answer, and has feedback for a wrong one."),
    "an order of other nodes": ('- if "MulBackward0 #1, AddBackward0, MulBackward0 #2"',
        '- if "leaf x, AddBackward0, MulBackward0 #2"', 42,
        "'leaf x, AddBackward0, MulBackward0 #2' is no order of the nodes that are to be arranged."),
    "a tolerance that is none": ('ask="x.grad"', 'ask="x.grad" within="-1"', 21, "`within` is a number from 0 on, as `0.01`, not '-1'."),
    # Changes.
    "a change without a solution": (re.compile(r":::\{solution\}.*", re.DOTALL), "", 46,
        "The change has no solution: put a block `solution` with the changed program right after it."),
    "a solution without a change": (":::{step}", ":::{solution}\n```python\nx\n```\n:::\n\n:::{step}", 17,
        "A solution comes right after its change; there is none before this one."),
    "a change without an aim": (' check="x.grad == 11"', "", 46,
        'The change has no check="...", an expression that is true when it is reached.'),
    "a change that is reached already": ("x.grad == 11", "x.grad == 7", 46,
        "`x.grad == 7` is true already in the program as it is: nothing is to be changed."),
    "a check that is neither true nor false": ("x.grad == 11", "x.grad + 11", 46, "`x.grad + 11` is neither True nor False: it is 18."),
    "a solution that does not reach it": ("tensor(4.0", "tensor(5.0", 54,
        "The solution does not reach the change: `x.grad == 11` is not true at the end."),
    "a solution that fails": ("tensor(4.0, requires_grad=True)", "tensor(4.0, requires_grad=True)[0]", 54,
        "The solution does not reach the change: Only numbers may change here: put the rest of the program back as it was. "
        "Or say with `edit` what may change."),
    "a part that may be changed that is none": ('check="x.grad == 11"', 'check="x.grad == 11" edit="lines 6-4"', 46,
        "`edit` is `numbers`, `line 4`, `lines 4-6` or `program`, not 'lines 6-4'."),
}  # fmt: skip
"""For each fault: what is replaced in the good lesson, by what, the line, and the message or its beginning."""


def test_a_good_lesson_holds(checked, tmp_path):
    path = tmp_path / "good.md"
    path.write_text(GOOD, encoding="utf-8")
    assert [(fault.line, str(fault)) for fault in checked(path).faults] == []


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_found(checked, tmp_path, fault):
    before, after, line, message = FAULTS[fault]
    text = GOOD + "<END>" if isinstance(before, str) and before.endswith("<END>") else GOOD
    bad = before.sub(after, text) if isinstance(before, re.Pattern) else text.replace(before, after, 1)
    assert bad != text
    (tmp_path / "01_graph.md").write_text("")
    path = tmp_path / "bad.md"
    path.write_text(bad.replace("<END>", ""), encoding="utf-8")
    found = [(one.line, str(one)) for one in checked(path).faults]
    assert len(found) == 1, "one mistake is reported once, and nothing that follows from it"
    assert found[0][0] == line, found
    assert found[0][1] == message or (found[0][1].startswith(message) and not message.endswith("`.")), found


MISTAKES = [
    ("title: A", "titel: A", [2]),
    ("minutes: 4", "minutes: 400", [5]),
    (":::{program}", ":::{progam}", [7]),
    ('{step} at="after y is set"', '{step} at="afterwards" colour="red"', [17, 17]),
    ('- if "4": No.', "- if 4: No.", [23]),
    ('choose="type(y.grad_fn).__name__"', 'choose="type("', [27]),
    ("- option \"'MulBackward0'\": No.", '- option "x +": No.', [30]),
    ('{predict} at="before a pass" point="next node"', '{predict} point="the node"', [34, 34]),
    ('arrange="MulBackward0 #1', 'arrange="mul', [40]),
    ('check="x.grad == 11"', 'check="x.grad =="', [46]),
    ('- if "x.grad == 9": Close.', '- if "x.grad == 9" confusion="sum"', [48]),
    (":::{solution}", ':::{solution} seed="1"', [52]),
]  # fmt: skip
"""Mistakes that are made in the good lesson all at once, and the lines at which they are found."""


def test_all_mistakes_of_writing_are_found_at_once(checked, tmp_path):
    text = GOOD
    for before, after, _ in MISTAKES:
        assert before in text
        text = text.replace(before, after, 1)
    path = tmp_path / "bad.md"
    path.write_text(text, encoding="utf-8")
    found = [(one.line, str(one)) for one in checked(path).faults]
    assert [line for line, _ in found] == [line for _, _, lines in MISTAKES for line in lines], found


def test_a_file_with_very_many_mistakes_is_not_read_to_its_end(checked, tmp_path):
    path = tmp_path / "bad.md"
    path.write_text(GOOD + ":::\n" * 10_000, encoding="utf-8")
    found = checked(path).faults
    assert len(found) == MOST_FAULTS + 1
    assert str(found[-1]) == "There are more mistakes: mend those above first."
    assert found[-1].line == (GOOD + ":::\n" * 10_000).count("\n") + 1


def test_a_change_that_is_reached_by_ending_an_error_holds(checked, tmp_path):
    path = tmp_path / "error.md"
    path.write_text(
        GOOD.split(":::{program}")[0]
        + ':::{program} raises="RuntimeError"\n```python\nimport torch\nx = torch.ones(2, requires_grad=True)\nx.backward()\n```\n:::\n'
        + ':::{step} at="at the error"\nLook.\n:::\n'
        + ':::{change} check="x.grad.sum() == 2" edit="line 3"\nTry.\n- right: Yes.\n:::\n'
        + ":::{solution}\n```python\nimport torch\nx = torch.ones(2, requires_grad=True)\nx.sum().backward()\n```\n:::\n"
    )
    assert [(fault.line, str(fault)) for fault in checked(path).faults] == []

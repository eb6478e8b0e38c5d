"""Protects: the stage and the caption show each mechanism of autograd in an example that is stepped through."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect
from stepping import step_until


class Reader:
    """Somebody who opens an example and steps through it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.slider = page.get_by_role("slider", name="Timeline")
        self.caption = page.get_by_test_id("caption")

    def step_to(self, sentence: str) -> str:
        """Steps forward until the caption holds `sentence`; returns the whole caption."""
        self.page.keyboard.press("ArrowRight")
        return step_until(self.page, sentence)

    def thing(self, label: str) -> Locator:
        """The first thing on the stage that is called so."""
        graph = self.page.get_by_role("list", name="Graph")
        return graph.get_by_role("button", name=re.compile(f"^{label}")).first

    def sees(self, label: str, *signs: str) -> None:
        """The thing is on the stage and shows the signs."""
        for sign in signs:
            expect(self.thing(label)).to_have_attribute("title", re.compile(re.escape(sign)))

    def inspects(self, label: str, *texts: str) -> None:
        """Selected, the thing is explained by the texts in the inspector."""
        self.thing(label).focus()
        self.page.keyboard.press("Enter")
        for text in texts:
            expect(self.page.get_by_role("region", name="Inspector")).to_contain_text(text)
        self.page.keyboard.press("Escape")
        self.page.get_by_role("heading", name="Backscope").click()

    def line(self) -> Locator:
        """The line of code of this step."""
        return self.page.locator(".cm-line-forward, .cm-line-backward, .cm-line-error").first


@pytest.fixture
def read(open_page: Callable[[str], Page]) -> Callable[[str], Reader]:
    def opened(example: str) -> Reader:
        page = open_page(f"#example={example}&at=-1")
        page.get_by_role("heading", name="Backscope").click()
        return Reader(page)

    return opened


Read = Callable[[str], Reader]


def test_a_hook_is_a_chip_where_it_sits(read: Read) -> None:
    reader = read("18_hooks_on_nodes")
    reader.step_to("The hook double is hung on h: it will see the gradient of h before MulBackward0 does.")
    reader.sees("hook double", "tensor hook; waits", "current step")
    reader.step_to("A hook (a lambda) is taken off x.")
    reader.sees("hook hook$", "tensor hook; taken off")
    reader.step_to("saw the incoming gradient 1 and left it as it is")
    told = reader.step_to("PowBackward0 multiplies")
    assert "A hook (a lambda) of PowBackward0 saw what the node sends on, 12, and left it as it is." in told
    reader.step_to("The hook double on h saw the gradient 12 and replaced it with 24.")
    reader.sees("hook double", "has run; 12 → 24; current step")
    reader.inspects("hook double", "Hook double", "before", "after")
    reader.step_to("A hook (a lambda) ran, because x.grad has changed: it is 48.")
    reader.sees("hook hook after .grad", "post accumulate hook; has run")


def test_a_change_in_place_shows_the_version_and_what_is_stale(read: Read) -> None:
    reader = read("15_in_place_error")
    told = reader.step_to("mul_ changes y in place to [1, 1.462, 1.762]: it is now at version 1.")
    assert "SigmoidBackward0 saved it at version 0: running backward there would be an error." in told
    expect(reader.line()).to_contain_text("y.mul_(2)")
    reader.sees("×= 2 MulBackward0", "gives y v1")
    reader.sees("SigmoidBackward0 _saved_result", "stale: version 1, saved at version 0")


def test_a_change_of_a_view_gives_new_nodes(read: Read) -> None:
    reader = read("19_in_place_on_a_view")
    told = reader.step_to("mul_ changes v in place")
    assert "it is now at version 1, and so is y, which it is a view of." in told
    assert "the grad_fn of y is CopySlices instead of MulBackward0" in told
    assert "the grad_fn of v is AsStridedBackward0 instead of SliceBackward0" in told
    reader.sees("slice SliceBackward0", "no longer the grad_fn: AsStridedBackward0 is")
    reader.sees("×= 10 CopySlices", "gives v v1")
    reader.sees("view AsStridedBackward0", "gives v v1")
    reader.step_to("CopySlices multiplies the incoming [1, 1, 1] by the saved 10 and sends [1, 10, 10] to y.")


def test_a_recorded_backward_pass_makes_a_second_mirror(read: Read) -> None:
    reader = read("12_second_derivative")
    told = reader.step_to("Its formula is recorded")
    assert "PowBackward0, MulBackward1 and MulBackward0 join the graph" in told
    reader.sees("x³ PowBackward0", "op recorded by a backward pass")
    reader.inspects("x³ PowBackward0", "Recorded while", "ran backward (create_graph)")
    reader.step_to("autograd.grad() of second by x starts at MulBackward0")
    reader.sees("x² PowBackward0", "op recorded by a backward pass")
    reader.step_to("sends 48 to x")


def test_saved_tensors_go_through_hooks(read: Read) -> None:
    reader = read("21_saved_tensor_hooks")
    reader.step_to("The pack hook pack is given x and keeps a list instead.")
    reader.sees("PowBackward0 _saved_self", "packed by a hook into list", "current step")
    told = reader.step_to("The unpack hook unpack gives PowBackward0 its _saved_self back: [1, 2, 3].")
    assert "PowBackward0 multiplies the incoming [1, 1, 1] by 3 × x²" in told
    reader.sees("PowBackward0 _saved_self", "unpacked: [1, 2, 3]", "current step")
    reader.inspects("PowBackward0 _saved_self", "pack keeps list instead", "unpack gave [1, 2, 3] back")


def test_ops_that_are_not_recorded_say_why(read: Read) -> None:
    reader = read("20_no_grad")
    reader.step_to("Under no_grad() it is not recorded: no gradient will flow back through it.")
    reader.sees("× 3", "not recorded: no_grad", "outside the graph")
    reader.step_to("Under inference mode it is not recorded")
    reader.sees("× 4", "not recorded: inference_mode")
    reader.step_to("detach() cuts it from the graph")


def test_a_custom_function_tells_what_its_backward_computes(read: Read) -> None:
    reader = read("23_custom_function")
    reader.step_to("It is inside a custom Function, which is recorded as a whole.")
    reader.step_to("Cube(x) gives y = 8. CubeBackward joins the graph and saves x for the backward pass: 4 B.")
    reader.sees("Cube CubeBackward", "op; gives y = 8")
    told = reader.step_to("CubeBackward runs its backward() on 1")
    assert "grad × 3 = 3, x² = 4 and (grad × 3) × x² = 12. It sends 12 to x." in told


def test_a_tangent_travels_beside_its_value(read: Read) -> None:
    reader = read("26_forward_mode")
    reader.step_to("dual = 2 is given the tangent 1: it travels forward with the value.")
    told = reader.step_to("tanh(h × 0.25) gives y = 0.9051.")
    assert "Its tangent is 0.1355: tanh multiplies the tangent 0.75 by 1 − the result y = 0.9051 squared." in told
    reader.sees("dual 2", "tangent 1")
    reader.sees("× 3", "tangent 3")
    reader.sees("tanh", "gives y = 0.9051; tangent 0.1355")
    expect(reader.page.get_by_text("so there is no graph")).to_have_count(0)
    reader.inspects("tanh", "Result")


def test_an_anomaly_is_led_back_to_its_line(read: Read) -> None:
    reader = read("24_anomaly")
    told = reader.step_to("The program catches an error at line 9")
    assert "SqrtBackward0, made at line 6, computed NaN" in told
    reader.sees("√ SqrtBackward0", "error")
    expect(reader.page.locator(".cm-line-error")).to_contain_text("y.backward()")
    expect(reader.page.locator(".cm-line-blamed")).to_contain_text("root = torch.sqrt(x)")
    inspector = reader.page.get_by_role("region", name="Inspector")
    expect(inspector).to_contain_text("Keep the forward value away from where the derivative has no value")


def test_a_checkpoint_computes_again_what_it_does_not_keep(read: Read) -> None:
    reader = read("25_checkpoint")
    reader.step_to("checkpoint runs block without keeping the tensors that its backward needs.")
    reader.step_to("Under checkpoint it keeps nothing: h will be computed again.")
    reader.sees("σ SigmoidBackward0", "in the checkpoint of block")
    reader.sees("SigmoidBackward0 _saved_result", "not kept: checkpoint runs the function again for it")
    reader.step_to("SigmoidBackward0 needs _saved_result, which was not kept: checkpoint runs block again.")
    reader.step_to("block runs again for the checkpoint: x × x gives [1, 4, 9].")
    reader.sees("× MulBackward0", "computed again")
    told = reader.step_to("block has run again. SigmoidBackward0 multiplies the incoming gradient")
    assert "sends [0.2875, 0.03469, 2.467e−4] to MulBackward0" in told
    reader.step_to("MulBackward0 multiplies the incoming gradient by the saved x")


def test_hooks_of_a_module_sit_on_values_and_gradients(read: Read) -> None:
    reader = read("22_module_hooks")
    reader.step_to("The forward pre-hook look of layer saw the input [[1, 2]] and left it as it is.")
    reader.step_to("The forward hook double of layer saw the output [[0.1714]] and replaced it with [[0.3427]].")
    reader.sees("hook look", "module forward pre hook; has run")
    reader.sees("hook double", "module forward hook; has run; [[0.1714]] → [[0.3427]]; current step")
    told = reader.step_to("BackwardHookFunctionBackward receives [[−0.01059, 0.7586]]")
    assert "The backward hook grads of layer saw the gradient of its input, [[−0.01059, 0.7586]]" in told
    reader.sees("hook grads", "module backward hook; has run; current step")
    reader.step_to("layer.weight.grad = [[2, 4]], layer.bias.grad = [2]")


def test_gradients_that_arrive_at_one_leaf_add_up(read: Read) -> None:
    reader = read("40_fan_in")
    reader.step_to("sends 4 to x. The gradients of x add up: 3 + 4 = 7.")
    reader.step_to("x.grad was None; it is now 7.")


def test_retain_graph_says_what_it_keeps(read: Read) -> None:
    reader = read("10_retain_graph")
    reader.step_to("retain_graph keeps its saved tensors: 4 B.")
    reader.sees("MulBackward0 _saved_self", "saved; 4 B")


def test_a_truncated_gradient_says_where_it_stops(read: Read) -> None:
    reader = read("44_truncated_rnn")
    told = reader.step_to("the gradient stops there")
    assert "Nothing goes back to h: detach() at line 9 cut it from its history" in told

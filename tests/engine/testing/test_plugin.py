"""The pytest plugin: what it records, where, what a failure says, and that it costs nothing unless it is asked."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from backscope.protocol import trace
from backscope.testing import plugin, recorded_test

pytest_plugins = ["pytester"]

LOADED = ("-p", "no:backscope", "-p", "backscope.testing.plugin", "-p", "no:cacheprovider")
"""The plugin by its module, also where it is not installed with its entry point."""

PYTORCH = pytest.param("import torch", marks=pytest.mark.torch, id="pytorch")
ENGINE = pytest.param("from backscope import torch", id="engine")

TESTS = """
import pytest
IMPORT

def loss(x, w):
    return (x * w.detach()).sum()

def test_cut():
    x, w = torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True)
    loss(x, w).backward()
    assert w.grad is not None

def test_in_place():
    y = torch.ones(3, requires_grad=True).exp()
    y += 1
    y.sum().backward()

@pytest.mark.parametrize("name", ["a/b", "a_b"])
def test_passes(name):
    torch.ones(3, requires_grad=True).sum().backward()
"""


def run(pytester: pytest.Pytester, text: str, *arguments: str) -> pytest.RunResult:
    pytester.makepyfile(test_it=text)
    return pytester.runpytest_subprocess(*LOADED, *arguments)


def kept(pytester: pytest.Pytester, folder: str = "backscope-traces") -> list[str]:
    return sorted(path.name for path in (pytester.path / folder).glob("*.backscope"))


@pytest.mark.parametrize("torch", [PYTORCH, ENGINE])
def test_a_failure_says_why_and_where_it_is_recorded(pytester: pytest.Pytester, torch: str) -> None:
    ran = run(pytester, TESTS.replace("IMPORT", torch), "--backscope")
    ran.assert_outcomes(failed=2, passed=2)
    said = ran.stdout.str()
    assert "Why is w.grad None?\nThe way from the loss back to w is cut: detach() at line 5" in said
    assert "ExpBackward0 saved its result y as _saved_result at line 13" in said
    assert "Print both sides" not in said, "what pytest says itself"
    assert "recorded in backscope-traces/test_it.py.test_cut.backscope; `backscope open` shows it" in said
    assert "2 recordings are in backscope-traces" in said
    assert "backscope/pytorch/" not in said
    assert kept(pytester) == ["test_it.py.test_cut.backscope", "test_it.py.test_in_place.backscope"]
    lines = trace.read(pytester.path / "backscope-traces" / "test_it.py.test_cut.backscope")
    assert any('"name":"w"' in str(line) for line in lines)
    summary = (pytester.path / "backscope-traces" / "summary.md").read_text()
    assert "recordings of 2 tests, 2 failed" in summary and "Why is w.grad None?" in summary


IN_PLACE = """
from backscope import torch

def test_in_place():
    y = torch.ones(3, requires_grad=True).exp()
    y += 1
    y.sum().backward()
"""


@pytest.mark.parametrize("option", ["--backscope", "--tb=auto"])
def test_a_failure_shows_the_lines_of_the_test(pytester: pytest.Pytester, option: str) -> None:
    """The frames of the engine are left out, with a recording or without, where the error is the user's."""
    said = run(pytester, IN_PLACE, option).stdout.str()
    assert ">       y.sum().backward()" in said and "test_it.py:6: RuntimeError" in said
    assert "backscope/autograd" not in said and "run_and_send" not in said


@pytest.mark.parametrize("option", ["--full-trace", "-vv"])
def test_all_frames_are_shown_on_request(pytester: pytest.Pytester, option: str) -> None:
    """They are what a fault of the engine is found by."""
    assert "<backscope run_and_send>" in run(pytester, IN_PLACE, option).stdout.str()


def test_a_run_begins_with_its_own_recordings(pytester: pytest.Pytester) -> None:
    """Also with workers; what somebody else put into the folder stays, and a run without the option removes nothing."""
    text = TESTS.replace("IMPORT", "from backscope import torch")
    run(pytester, text, "--backscope=all")
    folder = pytester.path / "backscope-traces"
    (folder / "mine.backscope").write_text("mine")
    noted = folder / ".recorded"
    noted.write_text(f"{noted.read_text()}../test_it.py\n")
    for idle in ([], ["--backscope", "--collect-only"]):
        run(pytester, "def test_it(): pass", *idle)
        assert len(kept(pytester)) == 5
    run(pytester, text, "--backscope", "-k", "cut", "-n", "1")
    assert kept(pytester) == ["mine.backscope", "test_it.py.test_cut.backscope"]
    assert "recordings of 1 test," in (folder / "summary.md").read_text() and (pytester.path / "test_it.py").exists()


def test_all_are_kept_in_a_folder_by_names_of_their_own(pytester: pytest.Pytester) -> None:
    """Also those of parameters that are written alike; workers of xdist run each test once."""
    ran = run(
        pytester, TESTS.replace("IMPORT", "from backscope import torch"), "--backscope=all", "--backscope-dir=out"
    )
    ran.assert_outcomes(failed=2, passed=2)
    names = kept(pytester, "out")
    assert len(names) == 4
    assert sum(bool(re.fullmatch(r"test_it\.py\.test_passes-a.b-[0-9a-f]{8}\.backscope", name)) for name in names) == 2


def test_names_of_files_are_safe() -> None:
    named = recorded_test.file_name("tests/a/test_b.py::TestC::test_d")
    assert named == "tests.a.test_b.py.TestC.test_d.backscope"
    awkward = [f"test_a.py::test_b[{name}]" for name in ("x:y", "x?y", "é" * 300, "../../up")]
    found = [recorded_test.file_name(name) for name in awkward]
    assert len({*found}) == 4 and all(len(name.encode()) < 255 and "/" not in name for name in found)


def test_without_the_option_nothing_is_loaded(pytester: pytest.Pytester) -> None:
    ran = run(
        pytester,
        """
        import sys
        def test_it():
            assert not [name for name in sys.modules if name.startswith("backscope.") and "runtime" not in name
                        and "testing" not in name]
            assert "numpy" not in sys.modules and "backscope.testing.recorded_test" not in sys.modules
        """,
    )
    ran.assert_outcomes(passed=1)


def test_tests_without_tensors_and_those_that_record_themselves_are_left_alone(pytester: pytest.Pytester) -> None:
    text = """
    import sys
    def test_plain():
        assert "numpy" not in sys.modules
    def test_own():
        import backscope
        from backscope import torch
        with backscope.record() as trace:
            torch.ones(2)
        assert trace.lines
    """
    ran = run(pytester, text, "--backscope=all")
    ran.assert_outcomes(passed=2)
    assert kept(pytester) == []


@pytest.mark.parametrize("torch", [PYTORCH, ENGINE])
def test_a_test_can_ask_its_recording(pytester: pytest.Pytester, torch: str) -> None:
    text = f"""
    {torch}
    def test_it(recording, tmp_path):
        w = torch.ones(3, requires_grad=True)
        (w * 2).sum().backward()
        assert "w.grad" in recording.why("w") and "w.grad" in recording.why(w)
        assert any(type(event).__name__ == "GradAccumulated" for event in recording.events)
    """
    ran = run(pytester, text)
    ran.assert_outcomes(passed=1)
    assert kept(pytester) == []


def test_a_recording_that_is_not_whole_says_where_it_can_be_saved(pytester: pytest.Pytester) -> None:
    text = """
    import pytest
    from backscope import torch
    @pytest.fixture
    def saved(recording, tmp_path):
        yield recording
        assert recording.save(tmp_path / "run.backscope").exists()
    def test_it(saved):
        with pytest.raises(RuntimeError, match="call it in a fixture that takes `recording`, after its yield"):
            saved.save("run.backscope")
    """
    run(pytester, text).assert_outcomes(passed=1)


GRADIENTS = """
import pytest
IMPORT

class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2
    @staticmethod
    def backward(ctx, g):
        return g * 3

def test_right(assert_gradients):
    net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Dropout(), torch.nn.Linear(4, 1))
    before = net[0].weight.clone()
    assert_gradients(lambda net, x: net(x).pow(2), net, torch.randn(5, 3, requires_grad=True))
    assert net[0].weight.dtype == torch.float32 and net[0].weight.grad is None and torch.equal(before, net[0].weight)

def test_without(assert_gradients):
    assert_gradients(lambda a, b: a * b.detach(), torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True),
                     without=["b"])

def test_missing(assert_gradients):
    assert_gradients(lambda a, b: a * b.detach(), torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True))

def test_detached(assert_gradients):
    assert_gradients(lambda a: (a * 2).detach(), torch.ones(2, requires_grad=True))

def test_infinite(assert_gradients):
    assert_gradients(lambda a: a.sqrt(), torch.tensor([0.0, 4.0], requires_grad=True))

def test_wrong(assert_gradients):
    assert_gradients(Double.apply, torch.ones(2, requires_grad=True))

def test_nothing(assert_gradients):
    with pytest.raises(ValueError, match="nothing requires grad"):
        assert_gradients(lambda a: a, torch.ones(2))
    with pytest.raises(ValueError, match="Of c nothing requires grad; these do: a"):
        assert_gradients(lambda a: a, torch.ones(2, requires_grad=True), without=["c"])
"""


@pytest.mark.parametrize("option", ["-q", "--backscope=failed"])
@pytest.mark.parametrize("torch", [PYTORCH, ENGINE])
def test_gradients_are_checked(pytester: pytest.Pytester, torch: str, option: str) -> None:
    """The failure says why, also where the test is recorded itself."""
    ran = run(pytester, GRADIENTS.replace("IMPORT", torch), option)
    ran.assert_outcomes(passed=3, failed=4)
    said = ran.stdout.str()
    assert "b.grad is None" in said and "b: Why is b.grad None?" in said and "detach() at line 23" in said
    assert "a: Why is a.grad None?" in said and "which has no history: detach() at line 26 takes the value of" in said
    assert "a.grad has 1 of 2 elements that are NaN or infinite" in said and "where a is 0 and sqrt gave 0" in said
    assert "differs from finite differences: [0] is 3, not 2; [1] is 3, not 2" in said
    assert re.search(r"Double\w* at line 32 sent \[3, 3\]", said) and "Nothing to mend" not in said


README = Path(__file__).parents[3] / "engine" / "README.md"


def test_every_option_and_fixture_is_documented() -> None:
    section = README.read_text(encoding="utf-8").split("\n## In tests\n")[1].split("\n## ")[0]
    options = re.findall(r'"(--backscope[\w-]*)"', Path(plugin.__file__).read_text(encoding="utf-8"))
    fixtures = [name for name in ("recording", "assert_gradients") if hasattr(plugin, name)]
    assert len(options) == 2 and len(fixtures) == 2
    assert [name for name in (*options, *fixtures) if f"`{name}" not in section] == []


def test_workers_side_by_side_keep_all_recordings(pytester: pytest.Pytester) -> None:
    tests = TESTS.replace("IMPORT", "from backscope import torch")
    pytester.makepyfile(test_other=tests)
    ran = run(pytester, tests, "-n", "2", "--backscope=all")
    ran.assert_outcomes(failed=4, passed=4)
    names = kept(pytester)
    assert len(names) == 8
    for name in names:
        assert trace.read(pytester.path / "backscope-traces" / name)
    said = ran.stdout.str()
    assert said.count("Why is w.grad None?") == 2
    assert "8 recordings are in backscope-traces" in said
    assert "recordings of 8 tests, 4 failed" in (pytester.path / "backscope-traces" / "summary.md").read_text()

"""Protects the debugger in editors: a program is launched, stopped, looked into, changed and followed back in time."""

from __future__ import annotations

import base64
import re
from pathlib import Path

import pytest
from dap_client import Client, Refusal
from websockets.sync.client import connect

PROGRAM = """import torch

w = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
x = torch.tensor([1.0, 1.0])


def model(x):
    h = w @ x
    return torch.log(h * h)


for i in range(2):
    loss = model(x).sum()
    loss.backward()
    print("round", i)
"""
LOSS = 12
BACKWARD = 14


def lines(client: Client) -> list[tuple[str, int]]:
    return [(frame["name"], frame["line"]) for frame in client.frames()]


def test_from_entry_to_end(client: Client) -> None:
    """It stops before the first line, steps by lines, prints as the program does, and ends with its status."""
    client.launch(PROGRAM + "import sys\nsys.exit(3)\n", stopOnEntry=True)
    client.ask("configurationDone")
    assert client.stop()["reason"] == "entry"
    assert lines(client) == [("<module>", 1)]
    assert client.go("next")["reason"] == "step"
    assert lines(client) == [("<module>", 3)]
    client.ask("continue", threadId=1)
    assert client.event("exited")["body"] == {"exitCode": 3}
    client.event("terminated")
    assert client.output() == "round 0\nround 1\n"
    places = [event["body"]["line"] for event in client.printed if event["body"]["category"] == "stdout"]
    assert places == [15, 15]
    assert client.close() == 0


def test_lines_with_conditions_hits_and_messages(client: Client) -> None:
    path = client.launch(PROGRAM)
    source = {"path": str(path)}
    found = client.ask(
        "setBreakpoints",
        source=source,
        breakpoints=[
            {"line": 15, "condition": "i == 1"},
            {"line": 14, "logMessage": "loss of {i} is {loss.item():.1f}"},
            {"line": 6},
            {"line": 13, "condition": "i ="},
        ],
    )["breakpoints"]
    assert [(one["verified"], one.get("line")) for one in found] == [(True, 15), (True, 14), (True, 7), (False, None)]
    assert "not an expression" in found[3]["message"]
    client.ask(
        "setBreakpoints",
        source=source,
        breakpoints=[
            {"line": 15, "condition": "i == 1"},
            {"line": 14, "logMessage": "loss of {i} is {loss.item():.1f}"},
        ],
    )
    client.ask("configurationDone")
    stop = client.stop()
    assert stop["reason"] == "breakpoint"
    assert stop["hitBreakpointIds"] == [found[0]["id"]]  # A breakpoint that stays keeps its number.
    assert "loss of 0 is " in client.output("console")
    assert "loss of 1 is " in client.output("console")
    client.ask("setBreakpoints", source=source, breakpoints=[{"line": 15, "hitCondition": "2"}])
    client.ask("restart")
    client.stop()
    assert client.ask("evaluate", expression="i", frameId=1)["result"] == "1"


def test_ops_nodes_tensors_and_filters(client: Client) -> None:
    client.launch(PROGRAM)
    [node] = client.ask("setFunctionBreakpoints", breakpoints=[{"name": "MulBackward0"}])["breakpoints"]
    assert node["verified"]
    client.ask("configurationDone")
    stop = client.stop()
    assert stop["reason"] == "function breakpoint"
    [top, *_] = client.frames()
    assert top["name"].startswith("MulBackward0 #")
    assert "made at line 9" in top["name"]
    rows = client.ask(
        "disassemble", memoryReference=top["instructionPointerReference"], instructionOffset=-2, instructionCount=5
    )["instructions"]
    assert len(rows) == 5
    assert rows[2]["instruction"].startswith("MulBackward0")
    saved = client.variables(client.scope(top["id"], "Saved tensors"))
    assert saved["self"]["value"] == "[3, 7]  (float32)"
    assert client.variables(client.scope(top["id"], "Incoming gradient"))
    # The next node, then one by its number.
    client.ask("setFunctionBreakpoints", breakpoints=[])
    stop = client.go("next", granularity="instruction")
    assert client.frames()[0]["name"].startswith("MvBackward0 #")
    # A tensor: where its .grad is updated.
    info = client.ask("dataBreakpointInfo", name="w.grad")
    [data] = client.ask("setDataBreakpoints", breakpoints=[{"dataId": info["dataId"]}])["breakpoints"]
    assert data["verified"]
    assert client.go()["reason"] == "data breakpoint"
    assert client.variables(client.scope(1, "Gradients (.grad)"))["w.grad"]["value"].startswith("[[")
    client.ask("setDataBreakpoints", breakpoints=[])
    client.ask("setExceptionBreakpoints", filters=["nan"], filterOptions=[{"filterId": "norm", "condition": "0.01"}])
    assert client.go()["reason"] == "exception"
    with pytest.raises(Refusal, match="moved on"):
        client.ask("variables", variablesReference=999)


def test_variables_by_rows_and_items(client: Client) -> None:
    source = """import torch
from torch import nn
big = torch.arange(6000.0).reshape(3, 2000)
net = nn.Sequential(nn.Linear(2, 3), nn.ReLU())
things = {"a": [1, 2], "w": big}
scalar = torch.tensor(2.5)
print("here")
"""
    path = client.launch(source)
    client.ask("setBreakpoints", source={"path": str(path)}, breakpoints=[{"line": 7}])
    client.ask("configurationDone")
    client.stop()
    local = client.variables(client.scope(1))
    assert local["scalar"]["value"] == "tensor(2.5000)"
    big = local["big"]
    assert big["indexedVariables"] == 3
    assert "norm" in big["value"]
    assert set(client.variables(big["variablesReference"], filter="named")) == {"grad", "grad_fn", "_version"}
    rows = client.variables(big["variablesReference"], filter="indexed")
    assert list(rows) == ["[0]", "[1]", "[2]"]
    part = client.variables(rows["[1]"]["variablesReference"], start=1998, count=2)
    assert {name: v["value"] for name, v in part.items()} == {"[1998]": "3998.0", "[1999]": "3999.0"}
    things = client.variables(local["things"]["variablesReference"])
    assert list(things) == ["['a']", "['w']"]
    assert list(client.variables(things["['a']"]["variablesReference"])) == ["[0]", "[1]"]
    inside = client.variables(local["net"]["variablesReference"])
    assert list(inside) == ["[0]", "[1]"]
    reference = next(iter(inside.values()))
    assert "Linear" in reference["value"]
    # Changing an element, and a variable.
    assert client.ask("setExpression", expression="big[0, 0]", value="-5.0", frameId=1)["value"]
    assert client.ask("evaluate", expression="big[0, 0].item()", frameId=1)["result"] == "-5.0"
    client.ask("setVariable", variablesReference=client.scope(1), name="scalar", value="torch.tensor(7.0)")
    assert client.ask("evaluate", expression="scalar.item()", frameId=1)["result"] == "7.0"
    with pytest.raises(Refusal, match="NameError"):
        client.ask("evaluate", expression="unknown + 1", frameId=1)


def test_back_in_time(client: Client) -> None:
    """Back and forward by moments, by nodes, to breakpoints and lines; values of the past are those of then."""
    path = client.launch(PROGRAM)
    client.ask("setBreakpoints", source={"path": str(path)}, breakpoints=[{"line": 15, "condition": "i == 1"}])
    client.ask("configurationDone")
    client.stop()
    assert client.ask("evaluate", expression="w.grad[0, 0].item() > 1", frameId=1)["result"] == "True"
    client.go("stepBack", granularity="instruction")
    assert client.frames()[0]["name"].split(" ")[0] in ("AccumulateGrad", "MvBackward0")
    client.ask("setFunctionBreakpoints", breakpoints=[{"name": "mul"}])
    assert client.go("reverseContinue")["reason"] == "function breakpoint"
    assert client.frames()[0]["line"] == 9
    assert client.go("reverseContinue")["reason"] == "function breakpoint"
    assert client.ask("evaluate", expression="h.tolist()", frameId=1)["result"] == "[3.0, 7.0]"
    with pytest.raises(Refusal, match="past cannot be changed"):
        client.ask("setExpression", expression="w[0, 0]", value="0.0", frameId=1)
    assert client.go("continue")["reason"] == "function breakpoint"
    assert client.go("reverseContinue")["reason"] == "function breakpoint"
    assert client.go("reverseContinue")["reason"] == "step"  # The beginning.
    with pytest.raises(Refusal, match="first step"):
        client.ask("stepBack", threadId=1)
    targets = client.ask("gotoTargets", source={"path": str(path)}, line=9)["targets"]
    assert len(targets) >= 2
    assert client.go("goto", targetId=targets[0]["id"])["reason"] == "goto"
    assert client.frames()[0]["line"] == 9


def test_errors_are_explained(client: Client) -> None:
    client.launch("import torch\nx = torch.ones(2, requires_grad=True)\ny = x.exp()\ny.add_(1)\ny.sum().backward()\n")
    client.ask("setExceptionBreakpoints", filters=["exception"])
    client.ask("configurationDone")
    stop = client.stop()
    assert stop["reason"] == "exception"
    info = client.ask("exceptionInfo", threadId=1)
    assert info["exceptionId"] == "RuntimeError"
    client.ask("continue", threadId=1)
    assert client.event("exited")["body"]["exitCode"] == 1
    assert "modified by an inplace operation" in client.output("stderr")
    assert "line 4" in client.ask("evaluate", expression="why", context="repl")["result"]


def test_a_running_program_is_paused_and_gets_breakpoints(client: Client) -> None:
    source = "import torch\nn = 0\nwhile True:\n    n = n + 1\n    m = n\n"
    path = client.launch(source)
    client.ask("configurationDone")
    with pytest.raises(Refusal, match="running"):
        client.ask("stackTrace", threadId=1)
    assert client.ask("threads")["threads"]
    client.ask("pause", threadId=1)
    assert client.stop()["reason"] == "pause"
    client.ask("continue", threadId=1)
    [one] = client.ask("setBreakpoints", source={"path": str(path)}, breakpoints=[{"line": 5}])["breakpoints"]
    assert one["verified"]
    assert client.stop()["hitBreakpointIds"] == [one["id"]]
    client.ask("setBreakpoints", source={"path": str(path)}, breakpoints=[])
    client.ask("continue", threadId=1)
    assert client.close() == 0


def test_other_files_are_stopped_in_and_listed(client: Client) -> None:
    (client.folder / "layers.py").write_text("import torch\n\n\ndef double(x):\n    y = x * 2\n    return y\n")
    path = client.launch(
        "import torch\nx = torch.ones(2, requires_grad=True)\nimport layers\nlayers.double(x).sum().backward()\n"
    )
    other = {"path": str(client.folder / "layers.py")}
    [one] = client.ask("setBreakpoints", source=other, breakpoints=[{"line": 6}])["breakpoints"]
    client.ask("configurationDone")
    assert client.stop()["hitBreakpointIds"] == [one["id"]]
    [top, outer] = client.frames()
    assert (top["name"], top["line"], top["source"]["path"]) == ("double", 6, other["path"])
    assert (outer["line"], outer["source"]["path"]) == (4, str(path))
    assert [s["name"] for s in client.ask("loadedSources")["sources"]] == ["program.py", "layers.py"]


def test_what_is_wrong_is_refused_with_the_reason(client: Client) -> None:
    with pytest.raises(Refusal, match="No program has been launched"):
        client.ask("next", threadId=1)
    client.ask("initialize", adapterID="backscope")
    with pytest.raises(Refusal, match="cannot be read: No such file"):
        client.ask("launch", program="missing.py")
    with pytest.raises(Refusal, match="program"):
        client.ask("launch")
    with pytest.raises(Refusal, match="no request 'nonsense'"):
        client.ask("nonsense")
    assert client.close() == 0


def test_what_is_no_message_ends_it(client: Client) -> None:
    assert client.process.stdin is not None
    client.process.stdin.write(b"Content-Length: none\r\n\r\n")
    client.process.stdin.flush()
    assert client.process.wait(60) == 0


@pytest.mark.torch
def test_a_program_on_pytorch_itself(client: Client) -> None:
    """The same program on PyTorch: it stops inside backward(), where a gradient can be changed."""
    path = client.launch(PROGRAM, engine="torch")
    client.ask("setFunctionBreakpoints", breakpoints=[{"name": "LogBackward0"}])
    client.ask("configurationDone")
    assert client.stop()["reason"] == "function breakpoint"
    top = client.frames()[0]
    assert top["name"].startswith("LogBackward0 #")
    assert client.ask("evaluate", expression="grad.tolist()", frameId=top["id"])["result"] == "[1.0, 1.0]"
    client.ask("setExpression", expression="grad[0]", value="2.0", frameId=top["id"])
    client.ask("setFunctionBreakpoints", breakpoints=[])
    client.ask("setBreakpoints", source={"path": str(path)}, breakpoints=[{"line": 15}])
    client.go()
    # d log(h * h) / dw = 2 x / h: twice that for the first row.
    grad = client.ask("evaluate", expression="w.grad[:, 0].tolist()", frameId=1)["result"]
    assert grad.startswith("[1.333")
    assert client.go("stepBack")["reason"] == "step"
    assert client.close() == 0


def test_the_page_is_attached(client: Client) -> None:
    """The stage beside the editor: it follows the program, and what it has the program do, the editor follows."""
    path = client.launch(PROGRAM, page=True)
    address = client.event("backscopePage")["body"]["address"]
    client.ask("setBreakpoints", source={"path": str(path)}, breakpoints=[{"line": 15}])
    client.ask("configurationDone")
    client.stop()
    found = re.search(r"http://([\d.]+:\d+)/\S*session=([\w-]+)\S*token=([\w-]+)", address)
    assert found is not None, address
    host, session, token = found.groups()
    with connect(
        f"ws://{host}/api/sessions/{session}/events?after=-1",
        additional_headers={"Authorization": f"Bearer {token}"},
        max_size=None,
    ) as page:
        page.send('{"command": "resume", "id": 1}')
        client.event("continued")
        assert client.stop()["reason"] == "breakpoint"
        assert client.ask("evaluate", expression="i", frameId=1)["result"] == "1"
        page.send('{"command": "step", "id": 2, "to": "end"}')
        client.event("terminated")
    assert client.close() == 0


def test_a_page_with_an_invalid_setting_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program can be debugged without it afterwards."""
    monkeypatch.setenv("BACKSCOPE_REPLAYS", "many")
    client = Client(tmp_path)
    try:
        with pytest.raises(Refusal, match="settings that are invalid"):
            client.launch("print(1)\n", page=True)
        client.ask("launch", program=str(tmp_path / "program.py"))
        client.event("initialized")
        client.ask("configurationDone")
        client.event("terminated")
        assert client.output() == "1\n"
    finally:
        client.end()


def test_memory_of_a_tensor_is_read_now_and_in_the_past(client: Client) -> None:
    path = client.launch(
        "import torch\nw = torch.arange(6.0).reshape(2, 3).t()\nbig = torch.ones(200, 300)\nw.neg_()\nprint(1)\n"
    )
    client.ask("setBreakpoints", source={"path": str(path)}, breakpoints=[{"line": 5}])
    client.ask("configurationDone")
    client.stop()
    locals_ = client.variables(client.scope(client.frames()[0]["id"]))

    def memory(name: str, **part: int) -> list[float]:
        body = client.ask("readMemory", memoryReference=locals_[name]["memoryReference"], **part)
        return list(memoryview(base64.b64decode(body["data"])).cast("f"))

    assert memory("w", count=24) == [0, -3, -1, -4, -2, -5]
    assert memory("w", offset=8, count=8) == [-1, -4]
    assert memory("big", offset=4 * 59_000, count=400_000) == [1.0] * 1000
    rest = client.ask("readMemory", memoryReference=locals_["w"]["memoryReference"], offset=20, count=10)
    assert (len(base64.b64decode(rest["data"])), rest["unreadableBytes"]) == (4, 6)
    client.go("stepBack")
    client.go("stepBack")
    assert memory("w", count=24) == [0, 3, 1, 4, 2, 5]
    with pytest.raises(Refusal, match="is no tensor"):
        client.ask("readMemory", memoryReference="0x12", count=4)


def test_the_console_completes_commands_variables_and_attributes(client: Client) -> None:
    path = client.launch(PROGRAM)
    client.ask("setBreakpoints", source={"path": str(path)}, breakpoints=[{"line": BACKWARD}])
    client.ask("configurationDone")
    client.stop()
    frame = client.frames()[0]["id"]

    def labels(text: str) -> list[str]:
        found = client.ask("completions", text=text, column=len(text) + 1, frameId=frame)["targets"]
        assert all(text[one["start"] - 1 :] == text[len(text) - one["length"] :] for one in found)
        return [one["label"] for one in found]

    assert {"loss", "log"} <= set(labels("lo"))
    assert labels("2 * lo") == ["loss"]
    assert "grad_fn" in labels("loss.gra")
    assert labels("nothing.x") == []
    assert labels("loss.") and not any(name.startswith("_") for name in labels("loss."))


def test_back_to_a_breakpoint_that_counts_hits_and_past_one_that_logs(client: Client) -> None:
    path = client.launch(PROGRAM + "print('over')\n")
    client.ask(
        "setBreakpoints",
        source={"path": str(path)},
        breakpoints=[{"line": BACKWARD, "hitCondition": "2"}, {"line": 15, "logMessage": "at {i}"}, {"line": 16}],
    )
    client.ask("configurationDone")
    assert client.stop()["reason"] == "breakpoint"
    assert client.go()["reason"] == "breakpoint"
    assert client.frames()[0]["line"] == 16
    assert client.go("reverseContinue")["reason"] == "breakpoint"
    assert client.ask("evaluate", expression="i", frameId=client.frames()[-1]["id"])["result"] == "1"
    stop = client.go("reverseContinue")
    assert (stop["reason"], stop["hitBreakpointIds"]) == ("step", []), "the first pass is no second hit"

"""Protects the run as one HTML file: made by a click or a command, it plays from a disk and asks nothing of anybody."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, Route, expect

from backscope.player import page_template
from backscope.program import runner
from backscope.protocol.trace import write
from backscope_server.command import cli, single

HOSTILE = """import torch
x = torch.tensor(2.0, requires_grad=True)
text = "</script><script>window.broken = 1</script><!-- <img src=x onerror=alert(1)> \u2028 \u2029"
y = x * 3
print(text, "\\ud800", "BACKSCOPE_RECORDING")
y.backward()
"""

TRAINING = """import torch
from torch import nn
model = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 3))
opt = torch.optim.SGD(model.parameters(), lr=0.1)
x, t = torch.randn(16, 8), torch.randint(0, 3, (16,))
for step in range(10):
    opt.zero_grad()
    loss = nn.functional.cross_entropy(model(x), t)
    loss.backward()
    opt.step()
for p in model.parameters():
    print(p.norm(), p.grad.norm(), p.mean(), p.std())
"""


def opened_from_disk(context: BrowserContext, path: Path) -> tuple[Page, list[str], list[str]]:
    """Open a file as a reader does; return its page, the addresses that it requested, its errors and warnings."""
    page = context.new_page()
    asked: list[str] = []
    said: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: said.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(path.as_uri())
    return page, asked, said


def test_a_run_is_saved_as_a_page_and_plays_from_the_disk(run_program: Callable[[str], Page], tmp_path: Path) -> None:
    page = run_program(HOSTILE)
    page.get_by_role("slider", name="Timeline").focus()
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    step = page.get_by_role("slider", name="Timeline").get_attribute("aria-valuenow")
    sentence = page.get_by_test_id("caption").inner_text()
    page.get_by_role("button", name="Export", exact=True).click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Web page (.html)").click()
    path = tmp_path / download.value.suggested_filename
    download.value.save_as(path)
    assert path.suffix == ".html"
    assert path.stat().st_size < 1_000_000
    # Nothing that the program wrote stands in the file as it is.
    assert b"window.broken" not in path.read_bytes()

    kept, asked, said = opened_from_disk(page.context, path)
    slider = kept.get_by_role("slider", name="Timeline")
    # It opens at the moment that it was saved at.
    expect(slider).to_have_attribute("aria-valuenow", step or "")
    expect(kept.get_by_test_id("caption")).to_have_text(sentence)
    expect(kept.get_by_role("textbox", name="Program")).to_contain_text("</script><script>window.broken")
    expect(kept.get_by_role("textbox", name="Program")).to_have_attribute("aria-readonly", "true")
    expect(kept.get_by_role("region", name="Console")).to_contain_text("BACKSCOPE_RECORDING")
    expect(kept.get_by_role("button", name="Run", exact=True)).to_have_count(0)
    slider.focus()
    kept.keyboard.press("Home")
    expect(kept.get_by_test_id("caption")).to_contain_text("Before the first step")
    kept.get_by_role("button", name="Keys and signs").click()
    kept.get_by_text("Licenses of what this page carries").click()
    kept.get_by_text("katex").click()
    expect(kept.get_by_text("Khan Academy")).to_be_visible()
    kept.keyboard.press("Escape")
    expect(kept.get_by_role("list", name="Graph").get_by_role("button")).to_have_count(0)
    kept.keyboard.press("End")
    kept.get_by_role("list", name="Graph").get_by_role("button", name=re.compile("MulBackward0")).first.press("Enter")
    expect(kept.get_by_role("region", name="Inspector").locator(".katex").first).to_be_visible()
    kept.get_by_role("button", name="About this file").click()
    expect(kept.get_by_text("It cannot run the program again")).to_be_visible()
    with kept.expect_download() as again:
        kept.get_by_role("button", name="Save the trace").click()
    assert Path(again.value.path()).read_bytes()[:2] == b"\x1f\x8b"
    assert kept.evaluate("window.broken") is None
    assert [url for url in asked if not url.startswith(("data:", "blob:"))] == [path.as_uri()]
    assert said == []
    policy = kept.locator('meta[http-equiv="Content-Security-Policy"]').get_attribute("content") or ""
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy and "http" not in policy
    kept.close()


def test_a_file_that_takes_long_says_so_and_is_called_off(
    run_program: Callable[[str], Page], expected_console: list[str]
) -> None:
    expected_console.append("Failed to load resource")
    page = run_program(TRAINING)
    waiting: list[Route] = []
    # A server that takes its time: what it was asked for stays open until it is called off.
    page.route("**/api/sessions/*/trace", lambda route: waiting.append(route))
    page.get_by_role("button", name="Export", exact=True).click()
    panel = page.get_by_role("dialog", name="Export")
    panel.get_by_role("button", name="Web page (.html)").click()
    progress = panel.get_by_role("progressbar", name="Saving program.html")
    expect(progress).to_be_visible()
    panel.get_by_role("button", name="Cancel").click()
    expect(panel.get_by_role("status").filter(has_text="Cancelled.")).to_be_visible()
    expect(progress).to_have_count(0)
    # By the palette, with the panel put away, it stands above the stage.
    page.keyboard.press("Escape")
    page.keyboard.press("Control+k")
    page.keyboard.type("export the trace")
    page.keyboard.press("Enter")
    expect(page.get_by_role("progressbar")).to_be_visible()
    expect(page.get_by_text("Saving program.backscope")).to_be_visible()
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_role("progressbar")).to_have_count(0)
    assert len(waiting) == 2
    # Where the server has forgotten the run, the page writes it by itself.
    page.unroute("**/api/sessions/*/trace")
    page.route("**/api/sessions/*/trace", lambda route: route.fulfill(status=404, json={}))
    page.get_by_role("button", name="Export", exact=True).click()
    with page.expect_download() as download:
        panel.get_by_role("button", name="Trace (.backscope)").click()
    expect(panel.get_by_role("status").filter(has_text="Saved")).to_be_visible()
    lines = gzip.decompress(Path(download.value.path()).read_bytes()).splitlines()
    assert json.loads(lines[0])["backscope_trace"] == 1
    assert json.loads(lines[-1])["kind"] == "program_finished"


def template() -> str:
    """Return the page that the build made, without a run."""
    found = page_template.single()
    assert found is not None
    return found


def test_the_command_makes_one_too_of_a_thousand_events_below_a_megabyte(page: Page, tmp_path: Path) -> None:
    trace = tmp_path / "twelve <b>rounds.backscope"
    # The page itself is most of a file; a longer run is to have room beside it.
    assert len(template().encode()) <= 650_000
    lines: list[bytes] = []
    runner.run(TRAINING, lambda batch: lines.extend(batch.splitlines()))
    write(trace, lines)
    assert len(lines) > 1000
    assert cli.main(["export", str(trace), "--step", "7"]) == 0
    target = trace.with_suffix(".html")
    assert target.stat().st_size < 1_000_000

    kept, asked, said = opened_from_disk(page.context, target)
    expect(kept.get_by_role("slider", name="Timeline")).to_have_attribute("aria-valuenow", "7")
    expect(kept).to_have_title("twelve <b>rounds – Backscope")
    assert asked == [target.as_uri()]
    assert said == []
    kept.close()


def test_a_step_that_the_run_does_not_have_is_refused_by_the_command_and_said_by_the_page(
    page: Page, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trace = tmp_path / "run.backscope"
    lines: list[bytes] = []
    runner.run(HOSTILE, lambda batch: lines.extend(batch.splitlines()))
    write(trace, lines)
    target = trace.with_suffix(".html")
    assert cli.main(["export", str(trace)]) == 0
    kept, _, _ = opened_from_disk(page.context, target)
    steps = int(kept.get_by_role("slider", name="Timeline").get_attribute("aria-valuemax") or "")
    kept.close()
    assert cli.main(["export", str(trace), "--step", str(steps)]) == 0
    capsys.readouterr()
    assert cli.main(["export", str(trace), "--step", str(steps + 1)]) == 1
    assert f"{trace}: no step {steps + 1}: there are {steps} steps, from 1 on" in capsys.readouterr().err

    beyond = f"This run has {steps} steps; step {steps + 1} is not among them."
    for step, told in ((steps, 0), (steps + 1, 1)):
        target.write_text(single.fill(template(), trace.read_bytes(), name="run", step=step), encoding="utf-8")
        kept, _, said = opened_from_disk(page.context, target)
        expect(kept.get_by_role("slider", name="Timeline")).to_have_attribute("aria-valuenow", str(steps))
        expect(kept.get_by_text(beyond)).to_have_count(told)
        expect(kept.get_by_text("is not among them")).to_have_count(told)
        assert said == []
        kept.close()

"""Measures the stage: layout of real models, frame times during panning, zooming and playing, compared with targets.

    python tests/benchmarks/stage_speed.py [layout] [frames] [aims] [--rows ROW...] [--recordings FOLDER]

Prints a table for each, all without a word; asserts nothing.  `--rows` chooses among the rows of aims, which
`--help` names; recordings that are kept in a folder need not be made again.  Those of frames and aims need Chromium,
that of frames also the built page.

- `layout` records the models among the examples, a GPT also with 12 and 33 batches a step (37,000 and 103,000 nodes).
- `frames`: the time between two frames of the page while nothing happens, while the wheel zooms all the way out and in,
  while the view is dragged, and while the run plays.
- `aims` draws frames in a page with nothing but the stage, and draws each again as the bare calls of the whole: a ratio
  of 1.5 says that all else takes half as long as drawing, one below 1 that the page drew only what had changed.  A
  frame ends when its last pixel is there.  Where other work disturbs the clock, the processor time of the page's main
  thread (CPU) says more.  A run of a million events is opened in the page itself: its memory is what
  the collected heap holds more than before, by event.
  From Run to the first node is measured by page_latency.py.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import main_thread
from playwright.sync_api import Browser, CDPSession, sync_playwright

from backscope.program.runner import run
from backscope.protocol import trace

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "server" / "backscope_server" / "examples"
MODELS = ("52_resnet18", "51_lstm", "50_scalar_mlp", "53_gpt")
BATCHES = (12, 33)
TABLES = ["layout", "frames", "aims"]
ROWS = ["first", "fan", "open", "zoom", "seek", "page"]
FRAMES = """() => {
    window.frames_ms = [];
    let last = null;
    const tick = (now) => {
        if (last !== null) window.frames_ms.push(now - last);
        last = now;
        requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
}"""


def models() -> dict[str, str]:
    """Return the name and source of each measured model."""
    found = {name: (EXAMPLES / f"{name}.py").read_text("utf-8") for name in MODELS}
    for batches in BATCHES:
        found[f"53_gpt_{batches}_batches"] = found["53_gpt"].replace("batches = 1 ", f"batches = {batches} ")
    return found


def time_layout(sources: dict[str, str]) -> None:
    """Print how long the layout takes for each."""
    with tempfile.TemporaryDirectory() as folder:
        files = [str(recorded(Path(folder), name, source)) for name, source in sources.items()]
        subprocess.run(["node", "scripts/time-layout.mjs", *files], cwd=ROOT / "web", check=True)


def recorded(folder: Path, name: str, source: str) -> Path:
    """Return the events of a program, in a file that is recorded once."""
    path = folder / f"{name}.jsonl"
    if not path.exists():
        with path.open("wb") as file:
            run(source, file.write)
    return path


@contextmanager
def chromium() -> Iterator[Browser]:
    """Yield a browser."""
    with sync_playwright() as playwright:
        path = os.environ.get("BACKSCOPE_CHROMIUM")
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


@contextmanager
def serving() -> Iterator[str]:
    """Yield the address of a server."""
    command = [sys.executable, "-m", "backscope_server", "serve", "--no-browser", "--port", "0"]
    environment = {**os.environ, "BACKSCOPE_STORAGE": "off"}
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment)
    assert server.stdout is not None
    try:
        yield next(found.group(0) for line in server.stdout if (found := re.search(r"http://\S+", line)))
    finally:
        server.terminate()


def time_frames(names: tuple[str, ...]) -> None:
    """Print the time between two frames for each example in the page."""
    print(f"{'ms between frames':<28}{'while':>8}{'median':>9}{'p95':>9}")
    with serving() as address, chromium() as browser:
        for name in names:
            page = browser.new_page(viewport={"width": 1440, "height": 900})
            page.goto(f"{address}#example={name}")
            page.get_by_role("button", name="Run", exact=True).wait_for()
            page.locator('ul[aria-label="Graph"] button').first.wait_for(state="attached", timeout=120_000)
            box = page.locator("canvas").first.bounding_box()
            assert box is not None
            x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
            page.mouse.move(x, y)
            page.evaluate(FRAMES)
            page.wait_for_timeout(2000)

            def measured(label: str, name: str = name, page: object = page) -> None:
                times = sorted(page.evaluate("() => window.frames_ms.splice(0)"))  # type: ignore[attr-defined]
                p95 = times[int(len(times) * 0.95)]
                print(f"{name:<28}{label:>8}{statistics.median(times):9.1f}{p95:9.1f}")

            measured("resting")
            for delta in (*[120] * 40, *[-120] * 40):
                page.mouse.wheel(0, delta)
                page.wait_for_timeout(16)
            measured("zooming")
            page.mouse.down()
            for i in range(60):
                page.mouse.move(x + 200 * (i % 20) / 20, y + 4 * i)
            page.mouse.up()
            measured("panning")
            page.keyboard.press(" ")
            page.wait_for_timeout(3000)
            measured("playing")
            page.close()


def gpt(batches: int) -> str:
    """Return the GPT of the examples with so many batches a step: 1,485 ops each, with as many backward nodes."""
    source = (EXAMPLES / "53_gpt.py").read_text("utf-8").replace("batches = 1 ", f"batches = {batches} ")
    return source.replace("for i in range(batches):", "for i in [i % 30 for i in range(batches)]:")


FAN = """import torch
leaves = [torch.tensor(float(i), requires_grad=True) for i in range(50)]
ends = []
for x in leaves:
    ends.append(((x * 2).sin() + 1).exp())
torch.stack(ends).sum().backward()
"""
# Pixels of the stage, and of one on which 30,000 nodes are seen at once where all modules are open.
USUAL, LARGE = {"width": 1440, "height": 900}, {"width": 3840, "height": 2160}


def quantile(times: list[float], share: float = 0.95) -> float:
    """Return the time below which a share of all are."""
    return sorted(times)[int(len(times) * share)]


def print_row(label: str, measured: str, aim: str) -> None:
    """Print a row of the table of aims."""
    print(f"{label:<52}{measured:>34}   {aim}")


def print_processor_row(label: str, used: list[float]) -> None:
    """Print a row with the processor time of frames."""
    print_row(label, f"median {statistics.median(used):.1f}, p95 {quantile(used):.1f} ms", "16.7 ms")


def time_first_layout(browser: Browser, address: str, path: Path) -> None:
    """Print the time of the first layout of a graph in a new page, and in one that has been idle."""
    for rested in (False, True):
        clock, processor = [], []
        for _ in range(5):
            page = browser.new_page(viewport=USUAL)
            page.goto(f"{address}/scripts/stage.html")
            page.wait_for_function("globalThis.stage")
            session = page.context.new_cdp_session(page)
            session.send("Performance.enable", {"timeDomain": "threadTicks"})

            def used(session: CDPSession = session) -> float:
                found = session.send("Performance.getMetrics")["metrics"]
                return float(next(one["value"] for one in found if one["name"] == "ThreadTime")) * 1000

            page.set_input_files("input", path)
            if rested:
                page.evaluate("stage.rehearse()")
            nodes = page.evaluate("stage.read()")
            before = used()
            clock.append(page.evaluate("stage.lay()"))
            processor.append(used() - before)
            page.close()
        print_row(
            f"{nodes:,} nodes laid out first, {'after a rest' if rested else 'at once'}",
            f"least {min(clock):.0f} ms, median of CPU {statistics.median(processor):.0f}",
            "150 ms",
        )


def time_stage(folder: Path, rows: list[str]) -> None:
    """Print the rows that are measured with the stage alone."""
    address = "http://127.0.0.1:5397"
    command = ["npx", "vite", "--host", "127.0.0.1", "--port", "5397", "--strictPort"]
    vite = subprocess.Popen(command, cwd=ROOT / "web", stdout=subprocess.PIPE, text=True, start_new_session=True)
    assert vite.stdout is not None
    next(line for line in vite.stdout if "Local" in line)
    try:
        with chromium() as browser:
            page = browser.new_page(viewport=USUAL)
            page.set_default_timeout(600_000)

            def load(name: str, source: str) -> dict[str, int]:
                page.goto(f"{address}/scripts/stage.html")
                page.wait_for_function("globalThis.stage")
                page.set_input_files("input", recorded(folder, name, source))
                found: dict[str, int] = page.evaluate("stage.load()")
                return found

            if "first" in rows:
                time_first_layout(browser, address, recorded(folder, "gpt1", gpt(1)))
            if "fan" in rows:
                load("fan", FAN)
                page.evaluate("stage.open()")
                with main_thread.tasks_of(page) as tasks:
                    found = page.evaluate("stage.transition(5)")
                frames = tasks.marks("frame")
                used = [tasks.between(*pair) for pair in pairwise(frames)]
                print_row(
                    f"{found['nodes']} nodes, {found['moving']} moving: between frames",
                    f"median {statistics.median(found['between']):.1f}, p95 {quantile(found['between']):.1f} ms",
                    "16.7 ms",
                )
                print_processor_row("... CPU of a frame", used)

            if "open" in rows:
                page.set_viewport_size(LARGE)
                load("gpt28", gpt(28))
                page.evaluate("stage.open()")
                sweeps = {"pan": "stage.pan(30)", "zoom": "stage.zoom(30, 3)", "play": "stage.play(30, 0.9)"}
                for label, call in sweeps.items():
                    page.evaluate("stage.whole()")
                    ratio(f"{label}: p95 by the page and bare", [page.evaluate(call) for _ in range(3)])
                page.set_viewport_size(USUAL)

            def swept(batches: int, call: str) -> tuple[dict[str, int], list[list[float]]]:
                size = load(f"gpt{batches}", gpt(batches))
                page.evaluate("stage.whole()")
                return size, [page.evaluate(call)["page"] for _ in range(3)]

            if "zoom" in rows:
                size, zooms = swept(41, "stage.zoom(120, 60)")
                print_row(
                    f"{size['nodes']:,} nodes swept by zoom: a frame",
                    f"p95 {min(map(quantile, zooms)):.1f} ms",
                    "16.7 ms",
                )

            if "seek" in rows:
                size, seeks = swept(82, "stage.seek(60)")
                print_row(
                    f"any step of {size['events']:,} events, on the stage",
                    f"p95 {min(map(quantile, seeks)):.1f}, most {min(map(max, seeks)):.1f} ms",
                    "16.7 ms",
                )
    finally:
        os.killpg(vite.pid, signal.SIGTERM)


def ratio(label: str, sweeps: list[dict[str, Any]]) -> None:
    """Print the ratio of a sweep to its bare calls, of several the one that other work disturbed least."""
    page, bare = (min(quantile(sweep[kind]) for sweep in sweeps) for kind in ("page", "bare"))
    nodes = max(sweep["nodes"] for sweep in sweeps)
    print_row(f"{nodes:,} visible nodes, {label}", f"{page:.0f} and {bare:.0f} ms, {page / bare:.2f}x", "1.5x")


def time_page(folder: Path) -> None:
    """Print the rows that are measured with the page that has a million events open."""
    path = folder / "gpt82.backscope"
    if not path.exists():
        trace.write(path, (line.rstrip(b"\n") for line in recorded(folder, "gpt82", gpt(82)).open("rb")))
    count = sum(1 for _ in recorded(folder, "gpt82", gpt(82)).open("rb"))
    with serving() as address, chromium() as browser:
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.goto(address)
        page.locator('ul[aria-label="Graph"] li').first.wait_for(state="attached")
        session = page.context.new_cdp_session(page)

        def heap() -> float:
            for _ in range(3):
                session.send("HeapProfiler.collectGarbage")
            return float(session.send("Runtime.getHeapUsage")["usedSize"])

        before = heap()
        page.evaluate(CHOOSER)
        page.set_input_files("#chosen", path)
        page.evaluate(DROP)
        page.wait_for_function(OPENED, timeout=600_000)
        page.wait_for_timeout(2000)
        print_row(f"memory for each of {count:,} events", f"{(heap() - before) / count:,.0f} bytes", "1,000 bytes")
        box = page.get_by_role("slider", name="Timeline").bounding_box()
        assert box is not None
        # The layout of all that is out of sight takes its slices of the frames until then.
        page.wait_for_timeout(20_000)
        page.evaluate(PRESSES)
        with main_thread.tasks_of(page) as tasks:
            for i in range(60):
                page.mouse.click(box["x"] + box["width"] * (i * 0.618034 % 1), box["y"] + box["height"] / 2)
                # What follows a step, as the outline once it rests, belongs to none of the frames that are measured.
                page.wait_for_timeout(1000)
        times = page.evaluate("seen")
        print_row(
            "any step of them, the page until its frame is drawn",
            f"median {statistics.median(times):.0f}, p95 {quantile(times):.0f} ms",
            "16.7 ms",
        )
        used = [tasks.between(*pair) for pair in zip(tasks.marks("pressed"), tasks.marks("drawn"), strict=True)]
        print_processor_row("... CPU of it", used)


CHOOSER = """() => {
    const input = document.createElement('input');
    Object.assign(input, { type: 'file', id: 'chosen' });
    document.body.append(input);
}"""
DROP = """() => {
    const transfer = new DataTransfer();
    const input = document.getElementById('chosen');
    transfer.items.add(input.files[0]);
    for (const type of ['dragover', 'drop']) {
        window.dispatchEvent(new DragEvent(type, { dataTransfer: transfer, bubbles: true, cancelable: true }));
    }
    input.remove();
}"""
# What a press takes until all that it changed at once is done, and from the begin of the next frame to its end.
PRESSES = """() => {
    globalThis.seen = [];
    const soon = (then) => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = then;
        port2.postMessage(null);
    };
    addEventListener('pointerdown', () => {
        const pressed = performance.now();
        performance.mark('pressed');
        let handled = 0;
        soon(() => (handled = performance.now() - pressed));
        requestAnimationFrame(() => {
            const begun = performance.now();
            soon(() => {
                performance.mark('drawn');
                globalThis.seen.push(handled + performance.now() - begun);
            });
        });
    }, true);
}"""
OPENED = """() => {
    const slider = document.querySelector('[role=slider][aria-label=Timeline]');
    return Number(slider.getAttribute('aria-valuemax')) > 10_000 && slider.ariaBusy !== 'true';
}"""


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "tables", nargs="*", choices=[*TABLES, []], help="layout, frames, aims; all of them without one"
    )
    parser.add_argument("--rows", nargs="+", choices=ROWS, default=ROWS, help="rows of aims; all of them without it")
    parser.add_argument("--recordings", type=Path, help="a folder that keeps what is recorded")
    given = parser.parse_args()
    chosen = given.tables or TABLES
    if "layout" in chosen:
        time_layout(models())
    if "frames" in chosen:
        time_frames(MODELS)
    if "aims" in chosen:
        with tempfile.TemporaryDirectory() as folder:
            kept = given.recordings or Path(folder)
            kept.mkdir(parents=True, exist_ok=True)
            if set(given.rows) != {"page"}:
                time_stage(kept, given.rows)
            if "page" in given.rows:
                time_page(kept)


if __name__ == "__main__":
    main()

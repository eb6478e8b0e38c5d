"""How long the stage takes to lay out real models, and its frame times while one pans, zooms and plays.

    python tests/benchmarks/stage_speed.py [--layout-only]

Records the models among the examples, a GPT also with 12 and 33 batches a step (37,000 and 103,000 nodes), and prints
two tables; asserts nothing.  The second needs Chromium and the built page: the time between two frames while nothing
happens, while the wheel zooms all the way out and in, while the view is dragged, and while the run plays.
"""

from __future__ import annotations

import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from backscope.program import run

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "server" / "backscope_server" / "examples"
MODELS = ("52_resnet18", "51_lstm", "50_scalar_mlp", "53_gpt")
BATCHES = (12, 33)
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
    """Name and source of what is measured."""
    found = {name: (EXAMPLES / f"{name}.py").read_text("utf-8") for name in MODELS}
    for batches in BATCHES:
        found[f"53_gpt_{batches}_batches"] = found["53_gpt"].replace("batches = 1 ", f"batches = {batches} ")
    return found


def time_layout(sources: dict[str, str]) -> None:
    """Print how long the layout takes for each."""
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for name, source in sources.items():
            path = Path(folder) / f"{name}.jsonl"
            with path.open("wb") as file:
                run(source, file.write)
            files.append(str(path))
        subprocess.run(["node", "scripts/time-layout.mjs", *files], cwd=ROOT / "web", check=True)


def time_frames(names: tuple[str, ...]) -> None:
    """Print the time between two frames for each example in the page."""
    from playwright.sync_api import sync_playwright

    command = [sys.executable, "-m", "backscope_server", "serve", "--no-browser", "--port", "0"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert server.stdout is not None
    address = next(found.group(0) for line in server.stdout if (found := re.search(r"http://\S+", line)))
    print(f"{'ms between frames':<28}{'while':>8}{'median':>9}{'p95':>9}")
    try:
        with sync_playwright() as playwright:
            path = os.environ.get("BACKSCOPE_CHROMIUM")
            browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
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
            browser.close()
    finally:
        server.terminate()


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--layout-only", action="store_true", help="do not open the page")
    options = parser.parse_args()
    time_layout(models())
    if not options.layout_only:
        time_frames(MODELS)


if __name__ == "__main__":
    main()

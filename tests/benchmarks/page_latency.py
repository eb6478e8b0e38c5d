"""Measures from pressing Run to the first node of the new run on the page, in a real Chromium with the real server.

    python tests/benchmarks/page_latency.py [--rounds 20] [--address http://127.0.0.1:8000]

Starts a server of its own unless given an address.  The clock runs in the page: it starts with the click and stops with
the frame after the outline of the stage first lists a leaf of the run, named anew in each round.  Prints a table;
asserts nothing.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import sync_playwright

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-sync",
]

PROGRAM = """import torch

{name} = torch.tensor([3.0], requires_grad=True)
w = torch.tensor([2.0], requires_grad=True)
loss = (w * {name}).relu()
loss.backward()
"""

MEASURE = """async (name) => {
    const list = document.querySelector('ul[aria-label="Graph"]');
    const run = [...document.querySelectorAll('button')].find((b) => b.textContent.trim() === 'Run');
    const begin = performance.now();
    const done = new Promise((resolve) => {
        const seen = new MutationObserver(() => {
            if (list.textContent.includes(name)) {
                seen.disconnect();
                requestAnimationFrame(() => resolve(performance.now() - begin));
            }
        });
        seen.observe(list, { childList: true, characterData: true, subtree: true });
    });
    run.click();
    return await done;
}"""


@contextmanager
def serving(address: str | None) -> Iterator[str]:
    """Yield the address of a server, started here unless one is given."""
    if address:
        yield address
        return
    command = [sys.executable, "-m", "backscope_server", "serve", "--no-browser", "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        for line in process.stdout:
            if "http://" in line:
                yield line[line.index("http://") :].split()[0]
                break
    finally:
        process.terminate()
        process.wait()


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--address")
    options = parser.parse_args()
    browser_path = os.environ.get("BACKSCOPE_CHROMIUM") or None
    with serving(options.address) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path, args=FLAGS)
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.goto(address)
        page.wait_for_selector('ul[aria-label="Graph"] li', state="attached")
        page.wait_for_timeout(500)
        times = []
        for number in range(options.rounds + 2):
            name = f"leaf_{number}"
            page.locator(".cm-content").fill(PROGRAM.format(name=name))
            page.wait_for_timeout(300)
            times.append(page.evaluate(MEASURE, name))
            page.wait_for_timeout(300)
        times = sorted(times[2:])
        browser.close()
    print(f"Run to first node on the page, {len(times)} rounds, ms")
    print(f"{'best':>8}{'p50':>8}{'p95':>8}")
    print(f"{times[0]:>8.0f}{statistics.median(times):>8.0f}{times[int(len(times) * 0.95) - 1]:>8.0f}")


if __name__ == "__main__":
    main()

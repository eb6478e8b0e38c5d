"""Protects films of some steps: they are drawn from the scene, can be cancelled, and open as what they are."""

from __future__ import annotations

import base64
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect

GIF = """async (text) => {
  const data = Uint8Array.from(atob(text), (one) => one.charCodeAt(0));
  const decoder = new ImageDecoder({ data, type: 'image/gif' });
  await decoder.tracks.ready;
  await decoder.completed;
  const { frameCount, repetitionCount } = decoder.tracks.selectedTrack;
  const ends = [];
  let lasting = 0;
  const frames = [];
  for (let i = 0; i < frameCount; i += 1) {
    const { image } = await decoder.decode({ frameIndex: i });
    lasting += image.duration / 1000;
    frames.push(image);
    if (i % (frameCount - 1) === 0) {
      const canvas = new OffscreenCanvas(image.displayWidth, image.displayHeight);
      const ctx = canvas.getContext('2d');
      ctx.drawImage(image, 0, 0);
      ends.push(new Set(new Uint32Array(ctx.getImageData(0, 0, canvas.width, canvas.height).data.buffer)).size);
    }
  }
  for (const image of frames) image.close();
  return { frameCount, repetitionCount, ends, lasting };
}"""

WEBM = """async (text) => {
  const data = Uint8Array.from(atob(text), (one) => one.charCodeAt(0));
  const video = document.createElement('video');
  video.muted = true;
  video.src = URL.createObjectURL(new Blob([data], { type: 'video/webm' }));
  await new Promise((resolve, reject) => {
    video.onloadeddata = resolve;
    video.onerror = () => reject(new Error(video.error.message));
  });
  await new Promise((resolve) => {
    video.onseeked = resolve;
    video.currentTime = video.duration / 2;
  });
  const canvas = new OffscreenCanvas(video.videoWidth, video.videoHeight);
  const ctx = canvas.getContext('2d');
  let colours = 0;
  let ground = [];
  // A busy machine says that it has come to the place before it has the frame.
  for (const until = Date.now() + 10000; colours < 2 && Date.now() < until; await new Promise(requestAnimationFrame)) {
    ctx.drawImage(video, 0, 0);
    const { data } = ctx.getImageData(0, 0, canvas.width, canvas.height);
    colours = new Set(new Uint32Array(data.buffer)).size;
    ground = [...data.slice(0, 3)];
  }
  return { width: video.videoWidth, height: video.videoHeight, duration: video.duration, colours, ground };
}"""


def test_a_backward_pass_is_saved_as_gif_and_as_webm(open_page: Callable[[str], Page]) -> None:
    page = open_page("")
    page.get_by_role("button", name="Export", exact=True).click()
    panel = page.get_by_role("dialog", name="Export")
    # The backward pass that is ahead is offered.
    begin = int(panel.get_by_label("From").input_value())
    end = int(panel.get_by_label("to", exact=True).input_value())
    assert begin < end
    panel.get_by_label("to", exact=True).fill("99999")
    expect(panel.get_by_text("The steps of this run are 1 to")).to_be_visible()
    expect(panel.get_by_role("button", name="GIF")).to_be_disabled()
    panel.get_by_label("to", exact=True).fill(str(end))
    panel.get_by_label("Width").select_option("480 px")
    panel.get_by_label("Speed of the film").select_option("1×")

    def saved(button: str) -> str:
        with page.expect_download() as download:
            panel.get_by_role("button", name=button).click()
        assert download.value.suggested_filename.endswith(f"-{begin}-{end}.{button.lower()}")
        return base64.b64encode(Path(download.value.path()).read_bytes()).decode()

    first = saved("GIF")
    gif = page.evaluate(GIF, first)
    assert gif["frameCount"] > end - begin
    assert all(count > 10 for count in gif["ends"])
    # The page's own policy lets no film be played in it.
    player = page.context.new_page()
    webm = player.evaluate(WEBM, saved("WebM"))
    player.close()
    assert webm["width"] == 480 and webm["height"] > 200
    assert abs(webm["duration"] * 1000 - gif["lasting"]) < 200
    assert webm["colours"] > 10
    # Its colours are the page's: a player takes them for what the encoder meant.
    paper = page.evaluate("() => getComputedStyle(document.documentElement).getPropertyValue('--paper').trim()")
    assert all(abs(part - meant) <= 3 for part, meant in zip(webm["ground"], bytes.fromhex(paper[1:]), strict=True))
    # The same film at every time.
    assert saved("GIF") == first

    panel.get_by_label("What the film shows").select_option("What I see")
    panel.get_by_label("Theme of the film").select_option("Dark")
    assert saved("GIF") != first
    panel.get_by_label("Width").select_option("960 px")
    panel.get_by_role("button", name="GIF").click()
    panel.get_by_role("button", name="Cancel").click()
    expect(panel.get_by_text("Cancelled.")).to_be_visible()
    expect(panel.get_by_role("button", name="GIF")).to_be_enabled()

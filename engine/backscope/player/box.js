// The box of a notebook that a recording plays in; frame.js comes before it, cell.js and widget.js after it.
const theme = (box) => {
  for (let at = box; at; at = at.parentElement) {
    const [r, g, b, a = 1] = (getComputedStyle(at).backgroundColor.match(/[\d.]+/g) ?? []).map(Number);
    if (a > 0.5) return 0.3 * r + 0.6 * g + 0.1 * b < 128 ? "backscope-cell:dark" : "backscope-cell:light";
  }
  return "backscope-cell:light";
};
/** The pages that are in this document, by their names, and what waits for one. */
const pages = (window.backscopePages ??= { texts: {}, waiting: [] });
const page = (name) => {
  const held = document.querySelector(`script[data-backscope-page="${name}"]`);
  if (held) pages.texts[name] ??= JSON.parse(held.textContent);
  return pages.texts[name];
};
/** Adds a frame of a page to a box, with its places filled; it follows the theme until `signal` aborts. */
const play = (box, text, put, height, signal) => {
  const frame = backscopeFrame(text, put, "Backscope", "allow-downloads");
  frame.name = theme(box);
  const corner = document.createElement("div");
  corner.style.cssText = `height:${height}px;min-height:320px;overflow:hidden;resize:vertical;border:1px solid #8884;border-radius:4px`;
  corner.append(frame);
  box.append(corner);
  const turn = () => {
    const shown = theme(box);
    if (shown === frame.name) return;
    frame.name = shown;
    frame.contentWindow?.postMessage(shown, "*");
  };
  const turned = new MutationObserver(turn);
  turned.observe(document.body, { attributes: true });
  // The box may not be in the document yet.
  requestAnimationFrame(turn);
  signal?.addEventListener("abort", () => turned.disconnect());
  return frame;
};

// The script of a recording in a cell; cell.py puts what is in capitals into it.
(() => {
  const box = document.currentScript.parentElement;
  const name = PAGE, put = PUT;
  const known = (window.backscopePages ??= { texts: {}, waiting: [] });
  const dark = () => {
    for (let at = box; at; at = at.parentElement) {
      const [r, g, b, a = 1] = (getComputedStyle(at).backgroundColor.match(/[\d.]+/g) ?? []).map(Number);
      if (a > 0.5) return 0.3 * r + 0.6 * g + 0.1 * b < 128;
    }
    return false;
  };
  const show = () => {
    const held = document.querySelector(`script[data-backscope-page="${name}"]`);
    if (held) known.texts[name] ??= JSON.parse(held.textContent);
    const text = known.texts[name];
    if (!text) return false;
    const frame = document.createElement("iframe");
    frame.title = "Backscope";
    frame.name = `backscope-cell:${dark() ? "dark" : "light"}`;
    frame.sandbox = "allow-scripts allow-downloads";
    frame.style.cssText = "display:block;width:100%;height:100%;border:0";
    frame.srcdoc = text.replace(/BACKSCOPE_(TITLE|NONCE|ABOUT|RECORDING)/g, (_, part) => put[part]);
    const corner = document.createElement("div");
    corner.style.cssText =
      "height:HEIGHTpx;min-height:320px;overflow:hidden;resize:vertical;border:1px solid #8884;border-radius:4px";
    corner.append(frame);
    box.querySelector("pre").hidden = box.querySelector("p").hidden = true;
    box.append(corner);
    new MutationObserver(() => {
      const shown = `backscope-cell:${dark() ? "dark" : "light"}`;
      if (shown === frame.name) return;
      frame.name = shown;
      frame.contentWindow?.postMessage(shown, "*");
    }).observe(document.body, { attributes: true });
    return true;
  };
  if (!show()) known.waiting.push(show);
  else known.waiting = known.waiting.filter((one) => !one());
})();

// The module of notebook/widget.py, as anywidget loads it; frame.js comes before it.
function keep(model) {
  const text = model.get("_page");
  if (text) pages.texts[model.get("_page_name")] ??= text;
  return page(model.get("_page_name"));
}

/** Shows the page once it is there: another widget has brought it, or Python is asked for it. */
function whenThere(model, signal, show) {
  const text = keep(model);
  if (text) return show(text);
  const came = (message) => {
    if (message?.page === undefined) return;
    model.off("msg:custom", came);
    pages.texts[model.get("_page_name")] = message.page;
    show(message.page);
  };
  model.on("msg:custom", came);
  signal.addEventListener("abort", () => model.off("msg:custom", came));
  model.send({ wanted: "page" });
}

function follow(model, frame, signal) {
  /** How many bytes of the log the frame has, null while it has not asked for more. */
  let at = null;
  const pump = () => {
    if (at === null) return;
    let from = 0;
    for (let k = 0; k < model.get("_parts"); k++) {
      const part = model.get(`_part_${k}`);
      if (!part) break;
      if (from + part.byteLength > at) {
        const bytes = new Uint8Array(part.buffer, part.byteOffset, part.byteLength).slice(at - from);
        frame.contentWindow?.postMessage({ backscope: "events", at, bytes }, "*");
        at = null;
        return;
      }
      from += part.byteLength;
    }
  };
  let shown = null;
  const go = () => {
    const step = model.get("step");
    if (step === shown || step === null) return;
    shown = step;
    frame.contentWindow?.postMessage({ backscope: "step", step }, "*");
  };
  const told = ({ source, data }) => {
    if (source !== frame.contentWindow || data?.backscope !== "frame") return;
    if (data.next !== undefined) {
      at = data.next;
      // A frame that begins anew, as one that was moved in its document does, goes to where the reader was.
      if (at === 0) {
        shown = null;
        go();
      }
      pump();
    } else {
      shown = data.step;
      model.set("step", data.step);
      model.set("seq", data.seq);
      model.save_changes();
    }
  };
  addEventListener("message", told);
  model.on("change:_length", pump);
  model.on("change:step", go);
  signal.addEventListener("abort", () => {
    removeEventListener("message", told);
    model.off("change:_length", pump);
    model.off("change:step", go);
  });
}

export default {
  initialize({ model }) {
    keep(model);
  },
  render({ model, el }) {
    const left = new AbortController();
    whenThere(model, left.signal, (text) =>
      follow(model, play(el, text, model.get("_put"), model.get("_height"), left.signal), left.signal),
    );
    return () => left.abort();
  },
};

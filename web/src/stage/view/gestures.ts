// Pointers and wheels on the stage as what they mean: pan, zoom, tap, hover.  Places are CSS pixels from the top left.

export type GestureSink = {
  pan(dx: number, dy: number): void;
  zoom(factor: number, x: number, y: number): void;
  tap(x: number, y: number): void;
  /** Two taps in one place. */
  open(x: number, y: number): void;
  hover(place: { x: number; y: number } | null): void;
};

const TAP_DISTANCE = 5;
const LINE_PX = 16;

type Place = { x: number; y: number };

/**
 * Listens on an element; returns what ends the listening. In a frame of another page, which scrolls by the wheel and by
 * one finger, only Ctrl and the wheel, or two fingers, mean the stage.
 */
export function listenGestures(element: HTMLElement, sink: GestureSink, framed = false): () => void {
  const held = new Map<number, Place>();
  let moved = 0;

  const place = (event: MouseEvent): Place => {
    const { left, top } = element.getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top };
  };
  const pinch = () => {
    const [a, b] = [...held.values()];
    if (!a || !b) return null;
    return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, spread: Math.hypot(a.x - b.x, a.y - b.y) };
  };

  const down = (event: PointerEvent) => {
    if (event.pointerType === 'mouse' && event.button !== 0 && event.button !== 1) return;
    element.setPointerCapture(event.pointerId);
    if (held.size === 0) moved = 0;
    held.set(event.pointerId, place(event));
  };
  const move = (event: PointerEvent) => {
    const now = place(event);
    const last = held.get(event.pointerId);
    if (!last) {
      if (event.pointerType === 'mouse') sink.hover(now);
      return;
    }
    const before = pinch();
    held.set(event.pointerId, now);
    const after = pinch();
    moved += Math.hypot(now.x - last.x, now.y - last.y);
    if (before && after) {
      sink.pan(after.x - before.x, after.y - before.y);
      if (before.spread > 0) sink.zoom(after.spread / before.spread, after.x, after.y);
    } else if (moved > TAP_DISTANCE) {
      sink.pan(now.x - last.x, now.y - last.y);
    }
  };
  const up = (event: PointerEvent) => {
    const single = held.size === 1;
    if (!held.delete(event.pointerId)) return;
    if (single && moved <= TAP_DISTANCE && event.type === 'pointerup') {
      const { x, y } = place(event);
      sink.tap(x, y);
    }
  };
  const double = (event: MouseEvent) => {
    const { x, y } = place(event);
    sink.open(x, y);
  };
  const leave = () => sink.hover(null);
  const wheel = (event: WheelEvent) => {
    if (framed && !event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? LINE_PX : 1;
    const { x, y } = place(event);
    if (event.shiftKey && !event.ctrlKey) {
      sink.pan(-(event.deltaX || event.deltaY) * unit, 0);
      return;
    }
    // A pinch on a trackpad comes as a wheel with Ctrl and small deltas.
    const rate = event.ctrlKey ? 0.01 : 0.0016;
    sink.zoom(Math.exp(-event.deltaY * unit * rate), x, y);
  };

  const listeners: [string, EventListener, AddEventListenerOptions?][] = [
    ['pointerdown', down as EventListener],
    ['pointermove', move as EventListener],
    ['pointerup', up as EventListener],
    ['pointercancel', up as EventListener],
    ['dblclick', double as EventListener],
    ['pointerleave', leave],
    ['wheel', wheel as EventListener, { passive: false }],
  ];
  for (const [type, listener, options] of listeners) element.addEventListener(type, listener, options);
  return () => {
    for (const [type, listener, options] of listeners) element.removeEventListener(type, listener, options);
  };
}

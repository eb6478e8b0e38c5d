// What part of the stage is seen: a scale and an offset, moved by the reader or eased towards what happens.

import type { Rect } from '../scene/scene';

const LEAST_SCALE = 0.02;
const MOST_SCALE = 4;
/** Small graphs are enlarged up to this by themselves. */
const MOST_NATURAL = 1.3;
const EASE_MS = 260;

type View = { x: number; y: number; scale: number };

/** A screen point is (world − offset) × scale, in CSS pixels. */
export class Camera {
  x = 0;
  y = 0;
  scale = 1;
  width = 1;
  height = 1;
  /** True once the reader has moved the view, until the next `fit`. */
  held = false;
  #target: { from: View; to: View; began: number } | null = null;
  #isWide = false;

  /** `home` is what one looks at by default, `all` everything; `changed` is called when the view moves. */
  constructor(
    private readonly home: () => Rect,
    private readonly all: () => Rect,
    private readonly changed: () => void,
  ) {}

  /** Shows what one looks at by default, no larger than is natural to read; asked for again, everything. */
  fit(animated = false): void {
    this.#isWide = animated && !this.held && !this.#isWide;
    this.held = false;
    this.show(this.#isWide ? this.all() : this.home(), animated, LEAST_SCALE);
  }

  /** Shows a rectangle with a margin, at `least` the scale that is given. */
  show(rect: Rect, animated: boolean, least: number): void {
    const margin = Math.min(32, this.width / 20);
    const natural = Math.min((this.width - 2 * margin) / rect.width, (this.height - 2 * margin) / rect.height);
    const scale = Math.max(least, Math.min(MOST_NATURAL, natural));
    const x = rect.x + rect.width / 2 - this.width / 2 / scale;
    const y = rect.y + rect.height / 2 - this.height / 2 / scale;
    this.#go({ x, y, scale }, animated);
  }

  /** Moves the view by CSS pixels. */
  pan(dx: number, dy: number): void {
    this.held = true;
    this.#target = null;
    this.x -= dx / this.scale;
    this.y -= dy / this.scale;
    this.changed();
  }

  /** Scales by a factor about a point in CSS pixels. */
  zoom(factor: number, x: number, y: number): void {
    this.held = true;
    this.#target = null;
    const scale = Math.max(LEAST_SCALE, Math.min(MOST_SCALE, this.scale * factor));
    this.x += x / this.scale - x / scale;
    this.y += y / this.scale - y / scale;
    this.scale = scale;
    this.changed();
  }

  /** Moves, without zooming, as little as brings a rectangle into view. */
  ensureVisible(rect: Rect, animated = true): void {
    const margin = 24 / this.scale;
    const goal = this.#target?.to ?? this;
    const wide = this.width / this.scale;
    const high = this.height / this.scale;
    const x = nearest(goal.x, wide, rect.x - margin, rect.x + rect.width + margin);
    const y = nearest(goal.y, high, rect.y - margin, rect.y + rect.height + margin);
    if (x !== goal.x || y !== goal.y) this.#go({ x, y, scale: goal.scale }, animated);
  }

  /** Moves on by the clock; true while there is more to move. */
  advance(now: number): boolean {
    const target = this.#target;
    if (!target) return false;
    const t = Math.min(1, (now - target.began) / EASE_MS);
    const eased = 1 - (1 - t) ** 3;
    this.x = target.from.x + (target.to.x - target.from.x) * eased;
    this.y = target.from.y + (target.to.y - target.from.y) * eased;
    this.scale = target.from.scale + (target.to.scale - target.from.scale) * eased;
    if (t === 1) this.#target = null;
    return t < 1;
  }

  #go(to: View, animated: boolean): void {
    if (animated) {
      this.#target = { from: { x: this.x, y: this.y, scale: this.scale }, to, began: performance.now() };
    } else {
      this.#target = null;
      Object.assign(this, to);
    }
    this.changed();
  }
}

/** The start of a window of a length that holds [from, to] and is nearest to `start`; centred where it does not fit. */
function nearest(start: number, length: number, from: number, to: number): number {
  if (to - from > length) return (from + to - length) / 2;
  if (from < start) return from;
  if (to > start + length) return to - length;
  return start;
}

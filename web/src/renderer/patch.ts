// A part of a canvas, in squares of pixels: where it is drawn again, and nothing beside it is touched.

import type { Rect } from '../layout/rect';

/** The side of a square in pixels of the canvas. */
const SQUARE = 32;

/** Where a plane lies on a canvas: the place at its corner, pixels for a length of 1, and the canvas's size. */
export type View = { x: number; y: number; factor: number; width: number; height: number };

/** Whether a plane lies the same way. */
export function isSameView(a: View, b: View): boolean {
  return a.x === b.x && a.y === b.y && a.factor === b.factor && a.width === b.width && a.height === b.height;
}

export class Patch {
  readonly #columns: number;
  readonly #rows: number;
  readonly #squares: Uint8Array;

  constructor(readonly view: View) {
    this.#columns = Math.ceil(view.width / SQUARE);
    this.#rows = Math.ceil(view.height / SQUARE);
    this.#squares = new Uint8Array(this.#columns * this.#rows);
  }

  /** Takes a rectangle of the plane, wider by a margin on each side. */
  add(rect: Rect, margin: number): void {
    const { left, right, top, bottom } = this.#squaresOf(rect, margin);
    for (let row = top; row <= bottom; row += 1) {
      this.#squares.fill(1, row * this.#columns + left, row * this.#columns + Math.max(left, right + 1));
    }
  }

  /** Whether some of a rectangle of the plane, with its rim, lies on the patch. */
  overlaps(rect: Rect): boolean {
    const { left, right, top, bottom } = this.#squaresOf(rect, RIM / this.view.factor);
    for (let row = top; row <= bottom; row += 1) {
      for (let at = row * this.#columns + left; at <= row * this.#columns + right; at += 1) {
        if (this.#squares[at] === 1) return true;
      }
    }
    return false;
  }

  /** The share of the canvas that it takes. */
  get share(): number {
    return this.#squares.reduce((sum, one) => sum + one, 0) / this.#squares.length;
  }

  /** Empties it on a canvas, and lets nothing be drawn beside it. */
  cut(ctx: CanvasRenderingContext2D): void {
    const { a, b, c, d, e, f } = ctx.getTransform();
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    ctx.beginPath();
    for (let row = 0; row < this.#rows; row += 1) {
      for (let from = 0; from < this.#columns; from += 1) {
        const begun = row * this.#columns;
        if (this.#squares[begun + from] === 0) continue;
        let to = from;
        while (to < this.#columns && this.#squares[begun + to] === 1) to += 1;
        ctx.rect(from * SQUARE, row * SQUARE, (to - from) * SQUARE, SQUARE);
        from = to;
      }
    }
    ctx.clip();
    ctx.clearRect(0, 0, this.view.width, this.view.height);
    ctx.setTransform(a, b, c, d, e, f);
  }

  #squaresOf({ x, y, width, height }: Rect, margin: number) {
    const { view } = this;
    const square = (place: number) => Math.floor((place * view.factor) / SQUARE);
    return {
      left: Math.max(0, square(x - margin - view.x)),
      right: Math.min(this.#columns - 1, square(x + width + margin - view.x)),
      top: Math.max(0, square(y - margin - view.y)),
      bottom: Math.min(this.#rows - 1, square(y + height + margin - view.y)),
    };
  }
}

/** Pixels that the rim of a ground or a line may reach beyond what it bounds. */
const RIM = 4;

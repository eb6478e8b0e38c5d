// Finds the rows of a long list that are in view; the list may be longer than a browser can lay out.  Lengths are CSS pixels.

/** Browsers cut elements off not far above this. */
const MOST_PX = 8_000_000;

/** The rows in sight of a list that is scrolled to `top`. */
export class RowWindow {
  constructor(
    readonly count: number,
    readonly row: number,
    readonly height: number,
  ) {}

  /** The height that is scrolled through; beyond what a browser can lay out, a pixel is worth more than one. */
  get whole(): number {
    return Math.min(MOST_PX, this.count * this.row);
  }

  /** The first row in sight, and how much of it lies above the rim. */
  at(top: number): { first: number; above: number } {
    const length = this.count * this.row;
    const real = this.#isScaled ? (top / (this.whole - this.height)) * (length - this.height) : top;
    const within = Math.max(0, Math.min(real, length - this.height));
    const first = Math.floor(within / this.row);
    return { first, above: within - first * this.row };
  }

  /** How many rows have to be there. */
  get shown(): number {
    return Math.ceil(this.height / this.row) + 1;
  }

  /** Where to scroll so that a row is in sight, from where one is. */
  reveal(row: number, top: number): number {
    const { first, above } = this.at(top);
    const from = first * this.row + above;
    const place = row * this.row;
    if (place >= from && place + this.row <= from + this.height) return top;
    const real = place < from ? place : place + this.row - this.height;
    return this.#isScaled ? (real / (this.count * this.row - this.height)) * (this.whole - this.height) : real;
  }

  get #isScaled(): boolean {
    return this.count * this.row > MOST_PX && this.whole > this.height;
  }
}

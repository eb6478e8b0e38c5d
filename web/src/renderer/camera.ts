// What part of the stage is seen: a scale and an offset, moved by the reader or eased towards what happens.

import { contains, overlaps, type Rect, union } from '../layout/rect';

const LEAST_SCALE = 0.02;
const MOST_SCALE = 4;
/**
 * `whole`: below this scale the whole graph is not worth showing at once, and the pass in force is shown instead, or a part
 * of it, at the scale `part`.  To see a graph as a whole is worth somewhat smaller texts, on a phone too; a part of one is
 * shown there with all texts at their size: a step with its neighbours.
 */
const WIDE = { whole: 0.6, part: 0.8 };
const NARROW = { whole: 0.6, part: 1 };
/** Small graphs are enlarged up to this by themselves. */
const MOST_NATURAL = 1.3;
/** What happens keeps this far from the rims, in pixels. */
const NEAR = 24;
const EASE_MS = 260;
/** From this scale on, what is visited can be read; it keeps this far from the rims, in pixels. */
const LEAST_VISIT = 0.5;
const VISIT_MARGIN = 48;

/**
 * What one looks at by default; where it is too large to be read, `anchor` in it is what to see.  `drawn` is all that
 * is drawn now, which may be less than there will be.
 */
export type Home = { rect: Rect; anchor: Rect | null; drawn: Rect | null };

type View = { x: number; y: number; scale: number };

/** A screen point is (world − offset) × scale, in CSS pixels. */
export class Camera {
  x = 0;
  y = 0;
  scale = 1;
  width = 1;
  height = 1;
  /** CSS pixels at the right and at the bottom that buttons lie over. */
  aside = 0;
  below = 0;
  /** The view is as narrow as a phone. */
  narrow = false;
  /** True once the reader has moved the view, until the next `fit`. */
  held = false;
  #target: { from: View; to: View; began: number } | null = null;

  /** `home` is what one looks at by default, `all` everything that is drawn; `changed` is called when the view moves. */
  constructor(
    private readonly home: () => Home,
    private readonly all: () => Rect,
    private readonly changed: () => void,
  ) {}

  /** What is seen now. */
  get seen(): Rect {
    return this.#seen(this);
  }

  /** What is seen once the view rests. */
  get aim(): Rect {
    return this.#seen(this.#target?.to ?? this);
  }

  /** What a rectangle can measure to be seen clear of rims and buttons, once the view rests. */
  get room(): { width: number; height: number } {
    const { width, height } = this.aim;
    const size = width / this.width;
    return { width: width - (this.aside + 2 * NEAR) * size, height: height - (this.below + 2 * NEAR) * size };
  }

  /** Shows everything, no larger than is natural to read. */
  fit(animated: boolean): void {
    this.held = false;
    this.#show({ rect: this.all(), anchor: null, drawn: null }, animated, this.#least);
  }

  /** Shows what one looks at by default at a scale that can be read. */
  goHome(animated: boolean): void {
    this.held = false;
    this.#show(this.home(), animated, this.#readable.part);
  }

  /** The least scale at which a graph is shown as a whole by default. */
  get leastWhole(): number {
    return this.#readable.whole;
  }

  /** Whether everything is shown at once, smaller than it would be shown by default. */
  get isOverview(): boolean {
    return this.width / this.aim.width < this.leastWhole && contains(this.aim, this.all());
  }

  get #readable(): typeof WIDE {
    return this.narrow ? NARROW : WIDE;
  }

  /** The scale at which a rectangle just fits the view, with a margin around it. */
  natural(rect: Rect): number {
    const margin = this.#margin;
    const high = this.height - this.below - 2 * margin;
    return Math.min((this.width - this.aside - 2 * margin) / rect.width, high / rect.height);
  }

  /** The least scale: everything can be seen at once, however large it is. */
  get #least(): number {
    return Math.min(LEAST_SCALE, this.natural(this.all()));
  }

  get #margin(): number {
    return Math.min(24, this.width / 20);
  }

  #show({ rect, anchor, drawn }: Home, animated: boolean, least: number): void {
    const margin = this.#margin;
    const natural = this.natural(rect);
    const isWhole = natural >= Math.min(least, this.leastWhole);
    const scale = isWhole ? Math.min(MOST_NATURAL, natural) : least;
    const wide = this.width / scale;
    const high = this.height / scale;
    const at = !isWhole && anchor ? anchor : rect;
    const aside = this.aside / scale;
    const below = this.below / scale;
    const x = at.x + at.width / 2 - wide / 2;
    const y = at.y + at.height / 2 - high / 2;
    // An anchor near a rim does not show what lies beyond it.
    const pad = margin / scale;
    const to = {
      x: within(x, wide, rect.x - pad, rect.width + 2 * pad + aside),
      y: within(y, high, rect.y - pad, rect.height + 2 * pad + below),
      scale,
    };
    this.#go(isWhole ? to : this.#filled(to, drawn), animated);
  }

  /** A view moved so that it has no blank side while something is drawn beyond the other. */
  #filled(view: View, drawn: Rect | null): View {
    if (!drawn) return view;
    const pad = this.#margin / view.scale;
    return {
      x: filled(view.x, this.width / view.scale, drawn.x - pad, drawn.width + 2 * pad + this.aside / view.scale),
      y: filled(view.y, this.height / view.scale, drawn.y - pad, drawn.height + 2 * pad + this.below / view.scale),
      scale: view.scale,
    };
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
    const scale = Math.max(this.#least, Math.min(MOST_SCALE, this.scale * factor));
    this.x += x / this.scale - x / scale;
    this.y += y / this.scale - y / scale;
    this.scale = scale;
    this.changed();
  }

  /**
   * Brings a rectangle into view below what covers the top, in CSS pixels: as little as that takes where the scale can
   * be read, else at one that can, in the middle.
   */
  visit(rect: Rect, covered: number, animated: boolean): void {
    const now = this.#target?.to ?? this;
    const scale = now.scale >= LEAST_VISIT ? now.scale : this.#readable.part;
    const above = Math.min(covered, this.height / 2) / scale;
    const wide = this.width / scale;
    const high = this.height / scale - above;
    let x = rect.x + rect.width / 2 - wide / 2;
    let y = rect.y + rect.height / 2 - high / 2;
    if (scale === now.scale) {
      const margin = Math.min(VISIT_MARGIN, this.width / 6, this.height / 6) / scale;
      x = nearest(now.x, wide, rect.x - margin, rect.x + rect.width + margin);
      y = nearest(now.y + above, high, rect.y - margin, rect.y + rect.height + margin);
    }
    y -= above;
    if (x === now.x && y === now.y && scale === now.scale) return;
    this.held = true;
    this.#go({ x, y, scale }, animated);
  }

  /** Shows a part as the reader who chose it saw it: all of it, in the middle. */
  look(rect: Rect): void {
    const scale = Math.min(this.width / rect.width, this.height / rect.height);
    this.held = true;
    this.#target = null;
    this.scale = Math.max(this.#least, Math.min(MOST_SCALE, scale));
    this.x = rect.x + (rect.width - this.width / this.scale) / 2;
    this.y = rect.y + (rect.height - this.height / this.scale) / 2;
    this.changed();
  }

  /** Puts the middle of the view at a point, at the scale that it has. */
  centre(x: number, y: number): void {
    this.held = true;
    this.#target = null;
    this.x = x - this.width / this.scale / 2;
    this.y = y - this.height / this.scale / 2;
    this.changed();
  }

  /** Moves, without zooming, as little as brings a rectangle into view, and no further than what is drawn. */
  ensureVisible(rect: Rect | null, animated = true): void {
    const goal = this.#target?.to ?? this;
    const { scale } = goal;
    const margin = NEAR / scale;
    const wide = this.width / scale;
    const high = this.height / scale;
    let x = goal.x;
    let y = goal.y;
    if (rect) {
      const free = wide - this.aside / scale;
      const above = high - this.below / scale;
      const fits = rect.width + 2 * margin <= free;
      const fitsAbove = rect.height + 2 * margin <= above;
      x = nearest(x, fits ? free : wide, rect.x - margin, rect.x + rect.width + margin);
      y = nearest(y, fitsAbove ? above : high, rect.y - margin, rect.y + rect.height + margin);
      // What is further away than the view reaches comes with what is around it.
      if (Math.abs(x - goal.x) >= wide) x = rect.x + (rect.width - free) / 2;
      if (Math.abs(y - goal.y) >= high) y = rect.y + (rect.height - above) / 2;
    }
    const shown = { x: goal.x, y: goal.y, width: wide, height: high };
    const isMoved = x !== goal.x || y !== goal.y;
    // A view that the reader chose stays as it is while it shows the step.
    if (this.held && !isMoved) return;
    const home = this.home();
    const drawn = home.drawn && rect ? union(home.drawn, rect) : home.drawn;
    const to = isMoved || !contains(shown, home.rect) ? this.#filled({ x, y, scale }, drawn) : goal;
    if (to.x !== goal.x || to.y !== goal.y) this.#go({ x: to.x, y: to.y, scale }, animated);
  }

  #seen({ x, y, scale }: View): Rect {
    return { x, y, width: this.width / scale, height: this.height / scale };
  }

  /**
   * Moves as little as brings a rectangle out from under what lies over the view, in CSS pixels; where that takes it out
   * of view, the view stays.
   */
  uncover(rect: Rect, covered: readonly Rect[], animated: boolean): void {
    const { x, y, scale } = this.#target?.to ?? this;
    const [wide, high] = [rect.width * scale, rect.height * scale];
    const now = { x: (rect.x - x) * scale, y: (rect.y - y) * scale, width: wide, height: high };
    const room = { x: 0, y: 0, width: this.width - this.aside, height: this.height - this.below };
    const isFree = (place: Rect) => contains(room, place) && !covered.some((over) => overlaps(over, place));
    const places = covered
      .filter((over) => overlaps(over, now))
      .flatMap((over) => [
        { ...now, x: over.x + over.width + NEAR },
        { ...now, x: over.x - NEAR - wide },
        { ...now, y: over.y + over.height + NEAR },
        { ...now, y: over.y - NEAR - high },
      ])
      .filter(isFree);
    const distance = (place: Rect) => Math.abs(place.x - now.x) + Math.abs(place.y - now.y);
    const [to] = places.sort((a, b) => distance(a) - distance(b));
    if (to) this.#go({ x: x - (to.x - now.x) / scale, y: y - (to.y - now.y) / scale, scale }, animated);
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

  /** What shares nothing with what is seen is there at once: nothing could be followed on the way. */
  #go(to: View, animated: boolean): void {
    if (animated && overlaps(this.seen, this.#seen(to))) {
      this.#target = { from: { x: this.x, y: this.y, scale: this.scale }, to, began: performance.now() };
    } else {
      this.#target = null;
      Object.assign(this, to);
    }
    this.changed();
  }
}

/** The start of a window moved so that it stays within a stretch; centred where it is longer. */
function within(start: number, length: number, from: number, span: number): number {
  if (length >= span) return from + (span - length) / 2;
  return Math.min(Math.max(start, from), from + span - length);
}

/** The start of a window moved as little as makes it lie in a stretch, or hold it where the stretch is shorter. */
function filled(start: number, length: number, from: number, span: number): number {
  const end = from + span - length;
  return Math.min(Math.max(start, Math.min(from, end)), Math.max(from, end));
}

/** The start of a window of a length that holds [from, to] and is nearest to `start`; centred where it does not fit. */
function nearest(start: number, length: number, from: number, to: number): number {
  if (to - from > length) return (from + to - length) / 2;
  if (from < start) return from;
  if (to > start + length) return to - length;
  return start;
}

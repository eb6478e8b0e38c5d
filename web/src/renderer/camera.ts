// The camera: the part of the stage that is seen, as a scale and an offset, moved by the reader or eased to what happens.

import { COLUMN_GAP } from '../layout/placed';
import { contains, grown, overlaps, type Rect } from '../layout/rect';

const LEAST_SCALE = 0.02;
const MOST_SCALE = 4;
/**
 * `whole`: below this scale the whole graph is not shown at once to begin with, and the pass in force is shown instead, or
 * a part of it.  `read`: what a step is about is shown at this scale at least, at which its smallest texts have 12 pixels,
 * on a phone 10.  `cut`: it is shown smaller down to this scale where it would be cut off otherwise.
 */
const WIDE = { whole: 1, read: 1, cut: 1 };
const NARROW = { whole: 0.6, read: 10 / 12, cut: 0.6 };
/** Small graphs are enlarged up to this by themselves. */
const MOST_NATURAL = 1.3;
/** What happens keeps this far from the rims, in pixels. */
const NEAR = 24;
/** In a window of this height slides are enlarged most, by `MOST_ENLARGED`: a text of 12 pixels has 19 then. */
const HALL = 1080;
const MOST_ENLARGED = 1.6;
const EASE_MS = 260;
/** Where there is little room, it keeps at least this far from them. */
export const NEAREST = 4;
/** The margin of a whole graph at the rims, where it could not be read with a wider one. */
const TIGHT = 6;
/** The margin of a graph above and below it, in which the titles of its passes have room. */
const TITLED = 24;

/**
 * What one looks at by default; where it is too large to be read, `anchor` in it is what to see.  `drawn` is all that
 * is drawn now, which may be less than there will be.
 */
export type Home = { rect: Rect; anchor: Rect | null; drawn: Rect | null };

export type View = { x: number; y: number; scale: number };

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
  /** How many times as large as usual texts have to be for those who sit far away. */
  enlarged = 1;
  /** True once the reader has moved the view, until the next `fit`. */
  held = false;
  /** The reader has not gone on from where the run opened. */
  opening = false;
  /** The reader has asked for all of the graph, and sees it at the scale that this takes. */
  overview = false;
  #target: { from: View; to: View; began: number } | null = null;

  /** `home` is what one looks at by default, `all` everything that is drawn; `changed` is called when the view moves. */
  constructor(
    readonly home: () => Home,
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

  /** Shows everything, or a rectangle that is as good as that, no larger than is natural to read. */
  fit(animated: boolean, rect = this.all()): void {
    this.held = false;
    this.#show({ rect, anchor: null, drawn: null }, animated, this.#least);
    this.overview = true;
  }

  /** Shows what one looks at by default at a scale that can be read. */
  goHome(animated: boolean): void {
    this.held = this.overview = false;
    this.#show(this.home(), animated, this.readable.read);
  }

  /** The least scale at which a graph is shown as a whole by default. */
  get leastWhole(): number {
    return this.opening ? this.readable.whole : this.readable.read;
  }

  /** The scale once the view rests. */
  get goal(): number {
    return this.#target?.to.scale ?? this.scale;
  }

  /** Whether everything is shown at once, smaller than it would be shown by default. */
  get isOverview(): boolean {
    return this.width / this.aim.width < this.leastWhole && contains(this.aim, this.all());
  }

  /** Whether the scale may be changed for what happens: the reader chose neither it nor the view. */
  get zooms(): boolean {
    return !this.held && !this.opening && !this.overview;
  }

  /** The scales at which things can be read here. */
  get readable(): typeof WIDE {
    if (this.narrow) return NARROW;
    const { whole, read, cut } = WIDE;
    return this.enlarged === 1 ? WIDE : { whole: whole * this.enlarged, read: read * this.enlarged, cut };
  }

  /** The scale at which a rectangle just fits the view, with a margin around it, which is small where that lets it be read. */
  natural(rect: Rect): number {
    const scale = this.#fitting(rect, this.#margin, TITLED);
    const least = this.leastWhole;
    return scale < least && this.#fitting(rect, TIGHT, TIGHT) >= least ? least : scale;
  }

  #fitting({ width, height }: Rect, beside: number, above: number): number {
    const [wide, high] = [this.width - this.aside - 2 * beside, this.height - this.below - 2 * above];
    return Math.min(wide / width, high / height);
  }

  /** The least scale: everything can be seen at once, however large it is. */
  get #least(): number {
    return Math.min(LEAST_SCALE, this.natural(this.all()));
  }

  get #margin(): number {
    return Math.min(TITLED, this.width / 20);
  }

  #show({ rect, anchor, drawn }: Home, animated: boolean, least: number): void {
    const natural = this.natural(rect);
    const isWhole = natural >= Math.min(least, this.leastWhole);
    const scale = isWhole ? Math.min(MOST_NATURAL * this.enlarged, natural) : least;
    const wide = this.width / scale;
    const high = this.height / scale;
    const at = !isWhole && anchor ? anchor : rect;
    const aside = this.aside / scale;
    const below = this.below / scale;
    const x = at.x + at.width / 2 - wide / 2;
    const y = at.y + at.height / 2 - high / 2;
    // An anchor near a rim does not show what lies beyond it.
    const to = {
      x: within(x, wide, rect.x, rect.width, this.#pad(rect.width, wide - aside, scale), aside),
      y: within(y, high, rect.y, rect.height, this.#pad(rect.height, high - below, scale), below),
      scale,
    };
    this.#go(isWhole ? this.#alone(to, rect, drawn) : this.#filled(to, drawn), animated);
  }

  /** Returns the margin around a length that the view shows: a smaller one where that lets all of it be seen. */
  #pad(length: number, room: number, scale: number): number {
    const pad = this.#margin / scale;
    return length <= room ? Math.min(pad, (room - length) / 2) : pad;
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

  /** A view of a whole pass moved so that no part of the passes before it is seen beside it. */
  #alone(view: View, rect: Rect, drawn: Rect | null): View {
    if (!drawn || !contains(this.#seen(view), rect)) return view;
    return { ...view, x: clearOf(view.x, rect.x, drawn.x), y: clearOf(view.y, rect.y, drawn.y) };
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

  /**
   * The view at a scale that shows all of a rectangle clear of what lies over the stage, in CSS pixels: the one that is
   * nearest to the present one, and this itself where it does.  Null where there is none.
   */
  clear(rect: Rect, scale: number, covered: readonly Rect[]): View | null {
    const now = this.#at(scale);
    const size = { width: rect.width * scale, height: rect.height * scale };
    const here = { x: (rect.x - now.x) * scale, y: (rect.y - now.y) * scale, ...size };
    if (this.#isClear(here, covered, NEAREST)) return now;
    const free = this.free(covered);
    const isNear = scale === (this.#target?.to ?? this).scale;
    // What is further away than the view reaches comes with what is around it, and so does what is seen at another scale.
    const wanted = {
      x: isNear && Math.abs(here.x - free.x) < 2 * this.width ? here.x : free.x + (free.width - size.width) / 2,
      y: isNear && Math.abs(here.y - free.y) < 2 * this.height ? here.y : free.y + (free.height - size.height) / 2,
    };
    for (const margin of [NEAR, NEAREST]) {
      const xs = [wanted.x, margin, this.width - margin - size.width];
      const ys = [wanted.y, margin, this.height - margin - size.height];
      for (const over of covered) {
        xs.push(over.x + over.width + margin, over.x - margin - size.width);
        ys.push(over.y + over.height + margin, over.y - margin - size.height);
      }
      let best: Rect | null = null;
      let least = Number.POSITIVE_INFINITY;
      for (const x of xs) {
        for (const y of ys) {
          const far = Math.abs(x - wanted.x) + Math.abs(y - wanted.y);
          if (far >= least || !this.#isClear({ x, y, ...size }, covered, margin)) continue;
          best = { x, y, ...size };
          least = far;
        }
      }
      if (!best) continue;
      const found = { x: rect.x - best.x / scale, y: rect.y - best.y / scale, scale };
      const { rect: whole, drawn } = this.home();
      for (const ground of [whole, drawn]) {
        const filled = this.#alone(this.#filled(found, ground), whole, drawn);
        const moved = { ...best, x: (rect.x - filled.x) * scale, y: (rect.y - filled.y) * scale };
        if (this.#isClear(moved, covered, NEAREST)) return filled;
      }
      return found;
    }
    return null;
  }

  /** Whether all of a rectangle is seen once the view rests, clear of what lies over the stage. */
  shows({ x, y, width, height }: Rect, covered: readonly Rect[]): boolean {
    const { aim, goal } = this;
    const place = { x: (x - aim.x) * goal, y: (y - aim.y) * goal, width: width * goal, height: height * goal };
    return this.#isClear(place, covered, 0);
  }

  /** The view at a scale with the middle of a rectangle in its own, or the beginning of one that is larger. */
  middle({ x, y, width, height }: Rect, scale: number): View {
    const [wide, high] = [(this.width - this.aside) / scale, (this.height - this.below) / scale];
    const pad = NEAREST / scale;
    return {
      x: width + 2 * pad > wide ? x - pad : x + (width - wide) / 2,
      y: height + 2 * pad > high ? y - pad : y + (height - high) / 2,
      scale,
    };
  }

  /** Goes to a view, at once or easing. */
  go(view: View, animated: boolean): void {
    const goal = this.#target?.to ?? this;
    if (view.scale !== goal.scale) this.overview = false;
    if (view.x !== goal.x || view.y !== goal.y || view.scale !== goal.scale) this.#go(view, animated);
  }

  /** The view once it rests, at a scale: its middle stays. */
  #at(scale: number): View {
    const { x, y, scale: before } = this.#target?.to ?? this;
    if (scale === before) return { x, y, scale };
    const [dx, dy] = [this.width / before - this.width / scale, this.height / before - this.height / scale];
    return { x: x + dx / 2, y: y + dy / 2, scale };
  }

  /** The view between what lies over its upper and its lower rim. */
  free(covered: readonly Rect[]): Rect {
    let [top, bottom] = [0, this.height];
    for (const { y, width, height } of covered) {
      if (width < this.width / 3) continue;
      if (y < NEAR) top = Math.max(top, y + height);
      else if (y + height > this.height - NEAR) bottom = Math.min(bottom, y);
    }
    return { x: 0, y: top, width: this.width, height: bottom - top };
  }

  #isClear(place: Rect, covered: readonly Rect[], margin: number): boolean {
    const room = { x: 0, y: 0, width: this.width, height: this.height };
    return contains(grown(room, 0.001 - margin), place) && !covered.some((over) => overlaps(over, place));
  }

  #seen({ x, y, scale }: View): Rect {
    return { x, y, width: this.width / scale, height: this.height / scale };
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

/** How much the stage of slides is enlarged in a window of this height, in CSS pixels. */
export function enlargementFor(height: number): number {
  return Math.max(1, Math.min(MOST_ENLARGED, (MOST_ENLARGED * height) / HALL));
}

/** The start of a window moved so that it stays within a stretch with `pad` around it and `after` behind; centred where it is longer. */
function within(start: number, length: number, from: number, size: number, pad: number, after: number): number {
  const [begin, span] = [from - pad, size + 2 * pad + after];
  if (length >= span) return begin + (span - length) / 2;
  return Math.min(Math.max(start, begin), begin + span - length);
}

/** The start of a window moved so that nothing is seen of what was drawn before a stretch, a column's gap away from it. */
function clearOf(start: number, from: number, drawn: number): number {
  return drawn < from - COLUMN_GAP && drawn < start ? Math.max(start, from - COLUMN_GAP + NEAREST) : start;
}

/** The start of a window moved as little as makes it lie in a stretch, or hold it where the stretch is shorter. */
function filled(start: number, length: number, from: number, span: number): number {
  const end = from + span - length;
  return Math.min(Math.max(start, Math.min(from, end)), Math.max(from, end));
}

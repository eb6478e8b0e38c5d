// The scene: what is shown at one moment, as meanings and geometry without colours.  Parts are made when they are seen.

import type { Item, Link } from '../layout/graph';
import type { Chunk, MirrorLayout } from '../layout/mirror';
import { holds, overlaps, type Rect, union } from '../layout/rect';
import type { RunState } from '../timeline/state';
import { frameAt, framesIn } from './frames';
import { gestureOf } from './gesture';
import { PartMaker } from './part-maker';
import type { CardPart, Gesture, Parts, PillPart, RoadPart } from './parts';
import { regionsOf } from './regions';
import type { Target } from './target';

export type { Rect } from '../layout/rect';
export type SceneOptions = { selection: Target | null; hover: Target | null };

const HIT_DISTANCE = 7;

export class Scene {
  readonly gesture: Gesture;
  readonly #maker: PartMaker;
  readonly #items = new Map<number, CardPart | PillPart>();
  readonly #roads = new Map<number, RoadPart>();

  constructor(
    readonly state: RunState,
    readonly layout: MirrorLayout,
    readonly options: SceneOptions,
  ) {
    this.gesture = gestureOf(state, layout);
    this.#maker = new PartMaker(state, layout, options, this.gesture);
  }

  /** All that is placed, seen or not. */
  get bounds(): Rect {
    return this.layout.bounds;
  }

  /** All that is drawn at this moment. */
  get drawn(): Rect | null {
    const { seq } = this.state;
    let drawn: Rect | null = null;
    const begun = this.layout.chunks.filter((chunk) => chunk.first <= seq);
    const latest = begun.pop();
    for (const chunk of begun) drawn = union(drawn, chunk.rect);
    for (const item of latest?.items ?? []) if (item.seq <= seq) drawn = union(drawn, extentOf(item));
    return drawn;
  }

  /** The forward pass that the moment belongs to, with its backward pass: what one looks at together. */
  get frame(): Rect {
    return this.layout.columnAt(Math.max(0, this.state.seq))?.rect ?? this.bounds;
  }

  /** What acts in this step; null when nothing on the stage does. */
  get focus(): Rect | null {
    const { waking, landing, changing, appearing, seeding, touching } = this.gesture;
    const { items } = this.layout;
    let actor: Rect | null = null;
    for (const id of [...(waking === null ? [] : [waking]), ...landing, ...changing, ...seeding, ...touching]) {
      actor = union(actor, extentOf(items[id]!));
    }
    if (!actor) for (const id of appearing) actor = union(actor, extentOf(items[id]!));
    return actor;
  }

  /** What acts in this step together with where its gradients arrive and what it records. */
  get reach(): Rect | null {
    let reach = this.focus;
    if (reach) for (const id of this.gesture.sending) reach = union(reach, extentOf(this.layout.links[id]!.from));
    // What a pass records while it runs is worth seeing too.
    if (reach) for (const id of this.gesture.appearing) reach = union(reach, extentOf(this.layout.items[id]!));
    return reach;
  }

  /** What came last on the stage. */
  get latest(): Rect | null {
    const { chunks } = this.layout;
    const chunk = chunks.findLast((candidate) => candidate.first <= this.state.seq);
    const item = chunk?.items.filter(({ seq }) => seq <= this.state.seq).at(-1);
    return item ? extentOf(item) : null;
  }

  /** The parts that reach into a rectangle. */
  visible(rect: Rect): Parts {
    const parts: Parts = { cards: [], pills: [], roads: [], regions: [], frames: [] };
    for (const chunk of this.chunks(rect)) {
      parts.frames.push(...framesIn(chunk, rect, this.state, this.options));
      for (const item of chunk.items) {
        if (item.seq > this.state.seq) continue;
        if (!overlaps(extentOf(item), rect)) continue;
        const part = this.part(item);
        if (part.kind === 'card') parts.cards.push(part);
        else parts.pills.push(part);
      }
      for (const link of chunk.links) {
        if (link.to.seq > this.state.seq) continue;
        if (overlaps(boxOf(link), rect)) parts.roads.push(this.road(link));
      }
    }
    parts.regions = regionsOf(
      parts.pills.map((pill) => pill.item),
      this.state,
      this.layout,
    );
    return parts;
  }

  /** The chunks that reach into a rectangle. */
  chunks(rect: Rect): Chunk[] {
    return this.layout.chunks.filter((chunk) => overlaps(chunk.rect, rect) && chunk.first <= this.state.seq);
  }

  /** The part that shows an item. */
  part(item: Item): CardPart | PillPart {
    let part = this.#items.get(item.id);
    if (!part) {
      part = this.#maker.item(item);
      this.#items.set(item.id, part);
    }
    return part;
  }

  /** The part that shows a link. */
  road(link: Link): RoadPart {
    let part = this.#roads.get(link.id);
    if (!part) {
      part = this.#maker.road(link);
      this.#roads.set(link.id, part);
    }
    return part;
  }

  /** What lies at a point; `slack` widens thin things, in the plane's units. */
  hit(x: number, y: number, slack: number): Target | null {
    const near: Rect = { x: x - slack, y: y - slack, width: 2 * slack, height: 2 * slack };
    const { cards, pills, roads } = this.visible({ x: near.x - 400, y: near.y - 60, width: 800, height: 120 });
    for (const pill of pills) {
      const chip = pill.chips.find((candidate) => !candidate.absent && holds(candidate.rect, x, y));
      if (chip) return chip.target;
      if (holds(pill.rect, x, y)) return pill.target;
    }
    const card = cards.find((candidate) => holds(candidate.rect, x, y));
    if (card) return card.target;
    for (const pill of pills) {
      for (const output of pill.outputs) {
        if (Math.abs(y - output.y) < 11 && x > output.x - 120 && x < output.x - 2) return output.target;
      }
    }
    let best: { road: RoadPart; distance: number } | null = null;
    for (const road of roads) {
      if (!road.target) continue;
      const distance = distanceTo(road.link.points, x, y);
      if (distance < HIT_DISTANCE + slack && (!best || distance < best.distance)) best = { road, distance };
    }
    return best?.road.target ?? frameAt(this.chunks(near), x, y, this.state.seq);
  }
}

/** The scene of a state. */
export function buildScene(state: RunState, layout: MirrorLayout, options: SceneOptions): Scene {
  return new Scene(state, layout, options);
}

/** All the room that an item has. */
export function extentOf(item: Item): Rect {
  return { x: item.x - item.left, y: item.y, width: item.left + item.right, height: item.height };
}

function boxOf(link: Link): Rect {
  const { points } = link;
  let left = Number.POSITIVE_INFINITY;
  let right = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < points.length; i += 2) {
    left = Math.min(left, points[i]!);
    right = Math.max(right, points[i]!);
  }
  const y0 = points[1]!;
  const y1 = points[points.length - 1]!;
  return { x: left - 8, y: Math.min(y0, y1), width: right - left + 100, height: Math.abs(y1 - y0) };
}

function distanceTo(points: Float32Array, x: number, y: number): number {
  let best = Number.POSITIVE_INFINITY;
  for (let i = 2; i < points.length; i += 2) {
    const x0 = points[i - 2]!;
    const y0 = points[i - 1]!;
    const dx = points[i]! - x0;
    const dy = points[i + 1]! - y0;
    const t = Math.max(0, Math.min(1, ((x - x0) * dx + (y - y0) * dy) / (dx * dx + dy * dy || 1)));
    best = Math.min(best, Math.hypot(x - x0 - dx * t, y - y0 - dy * t));
  }
  return best;
}

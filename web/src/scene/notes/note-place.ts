// Places notes: near what they are about, over nothing else, and within the view.

import { contains, grown, holds, overlaps, type Rect, union } from '../../layout/rect';
import { LABEL_GAP, LANE, SMALL, SUM_LINE, SUM_PAD, TEXT, width } from '../../layout/size';
import { more } from '../../messages/notes';
import { type Line, type NotePart, ROW_ON } from '../parts/parts';
import { numberRoom } from '../parts/shape';
import type { Scene } from '../scene';
import { titlesOf } from '../titles';
import type { Remark } from './notes';

const HEIGHT = 22;
const PAD = 8;
const GAPS = [14, 26, 44, 68, 96, 128, 164, 210];
const SHIFTS = [0, -22, 22, -44, 44, -70, 70];
const NEAR = 420;
/** What a step beyond the rim of the graph costs, beside a step away, where it is not known what is seen. */
const OUTSIDE = 4;
/** What a step beyond the view costs: a note that is cut off says nothing. */
const UNSEEN = 60;
/** The line of a note that is near; one with a longer line is brief where its line is then shorter than a share of that. */
const FAR = 90;
const NEARER = 2 / 3;
/** The weight of a note that has no place or is cut off; that of any other is how far its line is longer than FAR. */
const MISSED = 10_000;
/** What a step away from a place straight above, below or beside costs. */
const ASKEW = 0.15;
/** An edge with its two lanes, and some air. */
const ROAD = LANE + 4;
const AIR = 4;
/** What it costs that a sum is not above its node. */
const BELOW = 60;
/** Places beside each other that are tried in a row of a room. */
const ACROSS = 24;

/**
 * Where the stage is seen, and what of it lies under something else.  With a `core` it is seen where that lies in a rectangle of
 * this size: the view may move.  With `cuts` a sum without a place is cut to its first lines.
 */
export type Room = { rect: Rect; covered: readonly Rect[]; core?: Rect; cuts?: boolean };

/** What a note says, without a shorter form of it. */
type Said = Omit<Remark, 'brief' | 'briefLines' | 'actor'>;
type Placed = Pick<NotePart, 'rect' | 'leader'>;

/**
 * Places notes, and returns those that found a place, in their order. A note on what is seen in a room is placed within that
 * room where it can be. Where one of several is cut off or far away, two more ways are tried, and the best one is kept: all in
 * their brief forms, and these with the last one placed first.
 */
export function placeNotes(remarks: readonly Remark[], scene: Scene, room: Room | null): NotePart[] {
  if (remarks.length === 0) return [];
  let best = placeEach(remarks, scene, room);
  if (!room || remarks.length === 1) return best;
  let least = astray(best, remarks, room);
  const said = remarks.map(({ brief, briefLines, ...remark }) =>
    brief ? { ...remark, text: brief, ...(briefLines && { lines: briefLines }) } : remark,
  );
  for (const isTurned of [false, true]) {
    if (least === 0) break;
    const notes = isTurned ? placeEach(said.toReversed(), scene, room).toReversed() : placeEach(said, scene, room);
    const away = astray(notes, remarks, room);
    if (away >= least) continue;
    best = notes;
    least = away;
  }
  return best;
}

/** Returns by how many pixels the lines of notes on what is seen are longer than FAR, and MISSED for each that is not seen. */
function astray(placed: readonly NotePart[], remarks: readonly Remark[], room: Room): number {
  const reach = reachOf(room);
  let away = 0;
  for (const { about } of remarks) {
    if (!overlaps(about, reach)) continue;
    const note = placed.find((one) => one.about === about);
    away += !note || unseen(note.rect, room) > 0 ? MISSED : Math.max(0, lengthOf(note.leader) - FAR);
  }
  return away;
}

/** All that can be seen in a room. */
function reachOf({ rect, core }: Room): Rect {
  if (!core) return rect;
  const [aside, below] = [Math.max(0, rect.width - core.width), Math.max(0, rect.height - core.height)];
  return { x: core.x - aside, y: core.y - below, width: core.width + 2 * aside, height: core.height + 2 * below };
}

/** How far a note reaches beyond what is seen in a room. */
function unseen(note: Rect, { rect, core }: Room): number {
  if (!core) return beyond(note, rect);
  const { width: wide, height } = union(core, note);
  return Math.max(0, wide - rect.width) + Math.max(0, height - rect.height);
}

function placeEach(remarks: readonly Remark[], scene: Scene, room: Room | null): NotePart[] {
  const placed: NotePart[] = [];
  let now = room;
  for (const remark of remarks) {
    const note = placeOne(remark, placed, scene, now);
    if (!note) continue;
    placed.push(note);
    // A view that may move shows the notes to come together with those that have a place.
    if (now?.core && unseen(note.rect, now) === 0) now = { ...now, core: union(now.core, grown(note.rect, AIR)) };
  }
  return placed;
}

/** A remark as a note beside those that are placed; null where it has no place. */
function placeOne(remark: Remark, placed: readonly NotePart[], scene: Scene, room: Room | null): NotePart | null {
  const { brief: briefly, briefLines: briefSteps, actor, ...shown } = remark;
  const { about } = shown;
  const reach = room && reachOf(room);
  const seen = room && overlaps(about, reach!) ? room : null;
  const around = grown(about, NEAR);
  const { solid, edges, boxes } = taken(scene, seen?.core ? union(around, reach!) : around);
  solid.push(...placed.map(({ rect }) => rect));
  if (seen) solid.push(...seen.covered);
  const box = boxes.find((one) => contains(one, about));
  if (box && !actor) return null;
  const said = box ? naming(actor!, shown) : shown;
  const inBrief = briefly ? { ...shown, text: briefly, ...(briefSteps && { lines: briefSteps }) } : null;
  const brief = inBrief && (box ? naming(actor!, inBrief) : inBrief);
  const ground = { about: box ?? about, solid, edges, seen, bounds: scene.bounds };
  const isSum = remark.lines !== undefined;
  const whole = placeOf(said.text, ground, isSum);
  const isCut = seen !== null && whole !== null && unseen(whole.rect, seen) > 0;
  const length = whole ? lengthOf(whole.leader) : Number.POSITIVE_INFINITY;
  const short = brief && (!whole || isCut || (seen && length > FAR)) ? placeOf(brief.text, ground, isSum) : null;
  const isShort = short !== null && (isCut || lengthOf(short.leader) < length * NEARER);
  const found = isShort ? { ...said, ...brief, ...short } : whole && { ...said, ...whole };
  if (!seen?.cuts || (found && unseen(found.rect, seen) === 0)) return found;
  const cut = cutPlaced({ ...said, ...brief }, ground, seen) ?? found;
  if (cut || !isSum) return cut;
  // Where edges leave no room at all, as between the terms of a long sum, a sum lies over some rather than nowhere.
  const over = placeOf((brief ?? said).text, { ...ground, edges: [] }, true);
  return over && { ...said, ...brief, ...over };
}

/**
 * Cuts a sum of several until all of the note is seen: to as many of the first ones as can be, else to a single one, each with how
 * many more there are.  Where no cut has a clear line, lines may cross things, and the whole sum is tried before the cuts.  Null where
 * none is seen.
 */
function cutPlaced<N extends Said>(sum: N, ground: Ground, seen: Room): (N & Placed) | null {
  const parts: NonNullable<NotePart['lines']>[] = [];
  for (const line of sum.lines ?? []) {
    if (parts.length > 0 && line.at(-1)!.startsWith(ROW_ON)) parts.push([...parts.pop()!, line]);
    else parts.push([line]);
  }
  const some = parts.slice(1).map((_, i) => parts.slice(0, -1 - i));
  const cuts = [...some, ...parts.slice(1).map((part) => [part])].map((kept) => [
    ...kept.flat(),
    [more(parts.length - kept.length)],
  ]);
  for (const isCrossing of [false, true]) {
    for (const lines of isCrossing && sum.lines ? [sum.lines, ...cuts] : cuts) {
      const text = lines.map((line) => line.at(-1)!).join('\n');
      const place = placeOf(text, ground, true, isCrossing);
      if (place && unseen(place.rect, seen) === 0) return { ...sum, text, lines, ...place };
    }
  }
  return null;
}

/** A note on an actor that a closed box hides: it names the actor, and takes nothing from what is hidden with it. */
function naming<R extends Said>(actor: string, { brought: _, ...note }: R) {
  if (note.text.startsWith(actor)) return note;
  const lines = note.lines?.map((line, i) => (i === 0 ? line.map((step) => `${actor}: ${step}`) : line));
  return { ...note, text: `${actor}: ${note.text}`, ...(lines && { lines }) };
}

function lengthOf([x0, y0, x1, y1]: Line): number {
  return Math.hypot(x1 - x0, y1 - y0);
}

/** What a note is placed on: what it is about, what it may not cover, and what is seen. */
type Ground = { about: Rect; solid: readonly Rect[]; edges: readonly Rect[]; seen: Room | null; bounds: Rect };

/**
 * The best place for a text; null where there is none.  Of places that are as good, the first.  Its line may cross what can be read
 * only where it is `isCrossing`.
 */
function placeOf(text: string, ground: Ground, isSum = false, isCrossing = false): Placed | null {
  const { about, solid, edges, seen, bounds } = ground;
  const size = isSum ? sumSize(text) : { width: width(text, SMALL) + 2 * PAD, height: HEIGHT };
  let best: Placed | null = null;
  let least = Number.POSITIVE_INFINITY;
  const consider = (rects: readonly Rect[], wins: (cost: number) => boolean): void => {
    for (const rect of rects) {
      const cost =
        apart(about, rect) +
        (isSum && rect.y + rect.height > about.y ? BELOW : 0) +
        (seen ? UNSEEN * unseen(grown(rect, AIR), seen) : OUTSIDE * beyond(rect, bounds));
      // What is free is looked into only where it would be better: that takes longest.
      if (!wins(cost)) continue;
      const taking = grown(rect, AIR);
      if (solid.some((other) => overlaps(taking, other)) || edges.some((other) => overlaps(taking, other))) continue;
      const leader = leaders(about, rect).find((line) => isCrossing || isInSight(line, about, solid));
      if (!leader) continue;
      best = { rect, leader };
      least = cost;
    }
  };
  const reach = seen && reachOf(seen);
  consider(beside(about, size, reach, solid), (cost) => cost < least);
  const near = best;
  // Those all over a room come first, so that they win where they are as good.
  if (reach)
    consider(
      anywhere(reach, size, seen!.core ? HEIGHT : size.height),
      (cost) => cost < least || (cost === least && best === near),
    );
  return best;
}

/** Lines from what a note is about to the note, the shortest between their rims: through the middle, or near one side. */
function leaders(about: Rect, rect: Rect): Line[] {
  const made: Line[] = [];
  for (const [x0, x1] of nearest(about.x, about.x + about.width, rect.x, rect.x + rect.width)) {
    for (const [y0, y1] of nearest(about.y, about.y + about.height, rect.y, rect.y + rect.height))
      made.push([x0, y0, x1, y1]);
  }
  return made;
}

function nearest(a0: number, a1: number, b0: number, b1: number): [number, number][] {
  if (a1 < b0) return [[a1, b0]];
  if (b1 < a0) return [[a0, b1]];
  const [low, high] = [Math.max(a0, b0), Math.min(a1, b1)];
  const inset = Math.min(2, (high - low) / 2);
  return [(low + high) / 2, low + inset, high - inset].map((at) => [at, at]);
}

type Size = { width: number; height: number };

function sumSize(text: string): Size {
  const lines = text.split('\n');
  const wide = Math.max(...lines.map((line) => width(line, TEXT)));
  return { width: wide + 2 * PAD + 2, height: SUM_LINE * lines.length + SUM_PAD };
}

function beside(about: Rect, { width: wide, height }: Size, room: Rect | null, solid: readonly Rect[]): Rect[] {
  const made: Rect[] = [];
  const middle = about.y + about.height / 2 - height / 2;
  const centre = about.x + about.width / 2 - wide / 2;
  for (const gap of [...GAPS, ...gapsBehind(about, solid)]) {
    for (const shift of SHIFTS) {
      made.push({ x: about.x + about.width + gap, y: middle + shift, width: wide, height });
      made.push({ x: about.x - gap - wide, y: middle + shift, width: wide, height });
    }
  }
  for (const gap of GAPS) {
    const columns = [centre, about.x, about.x + about.width - wide, about.x + about.width, about.x - wide];
    if (room) columns.push(Math.min(Math.max(centre, room.x + AIR), room.x + room.width - AIR - wide));
    for (const x of columns) {
      made.push({ x, y: about.y + about.height + gap, width: wide, height });
      made.push({ x, y: about.y - gap - height, width: wide, height });
    }
  }
  return made;
}

/** How far from what a note is about it is clear of what lies in the same row. */
function gapsBehind(about: Rect, solid: readonly Rect[]): number[] {
  const row = { ...about, x: about.x - NEAR, width: about.width + 2 * NEAR };
  const gaps = solid.flatMap((other) => {
    if (!overlaps(other, row)) return [];
    return [other.x + other.width - about.x - about.width, about.x - other.x].map((gap) => gap + AIR);
  });
  return gaps.filter((gap) => gap > GAPS[0]! && gap < GAPS.at(-1)!);
}

/** Places all over a room in rows that are a step apart: where it is narrow, what is near may have none. */
function anywhere(room: Rect, { width: wide, height }: Size, step: number): Rect[] {
  const made: Rect[] = [];
  const [left, top] = [room.x + 2 * AIR, room.y + 2 * AIR];
  const [right, bottom] = [room.x + room.width - 2 * AIR - wide, room.y + room.height - 2 * AIR - height];
  for (let y = top; y <= bottom; y += step) {
    for (let i = 0; i <= ACROSS; i += 1) {
      if (right >= left) made.push({ x: left + ((right - left) * i) / ACROSS, y, width: wide, height });
    }
  }
  return made;
}

/** What is near a place and may not be covered: things with their labels, and edges in pieces. */
function taken(scene: Scene, near: Rect): { solid: Rect[]; edges: Rect[]; boxes: Rect[] } {
  const solid: Rect[] = [];
  const edges: Rect[] = [];
  const { cards, pills, edges: lines, blocks } = scene.visible(near);
  for (const { rect, hooks, grad } of cards) {
    const deck = grad && grad.layers > 1 ? 14 : 0;
    solid.push({ ...rect, height: rect.height + deck }, ...hooks.map((hook) => hook.rect));
  }
  for (const { rect, chips, hooks, outputs, item, look, seed } of pills) {
    // Its ring, and above it the word for an error.
    const ring = look.current || look.blamed || look.lit ? 6 : 0;
    solid.push({ x: rect.x - ring, y: rect.y - ring, width: rect.width + 2 * ring, height: rect.height + 2 * ring });
    if (look.failed) solid.push({ x: rect.x + rect.width - 56, y: rect.y - 18, width: 56, height: 20 });
    solid.push(...hooks.map((hook) => hook.rect));
    for (const chip of chips) if (!chip.absent) solid.push(chip.rect);
    if (item.reason)
      solid.push({ x: rect.x + rect.width, y: rect.y, width: width(item.reason, SMALL) + 16, height: rect.height });
    if (seed && item.seed) solid.push({ x: item.x - 28, y: item.y, width: 64, height: item.height + AIR });
    for (const output of outputs) {
      const chars = [...(output.name ?? ''), ...output.value.text, ...(output.version?.text ?? '')].length + 2;
      const left = chars * SMALL * 0.6 + LANE + LABEL_GAP;
      solid.push({ x: output.x - left, y: output.y - 10, width: left, height: output.tangent ? 44 : 20 });
      if (output.gradient) {
        const right = width(output.gradient.text, SMALL) + LANE + LABEL_GAP;
        solid.push({ x: output.x + LANE, y: output.gradientY - 10, width: right, height: 20 });
      }
    }
  }
  for (const { rect } of blocks) solid.push(rect);
  for (const { rect } of titlesOf(scene)) solid.push(grown(rect, AIR));
  for (const { link, gradient } of lines) {
    const { points } = link;
    for (let i = 2; i < points.length; i += 2) {
      const [x0, y0, x1, y1] = [points[i - 2]!, points[i - 1]!, points[i]!, points[i + 1]!];
      const span = { x: Math.min(x0, x1), y: Math.min(y0, y1), width: Math.abs(x1 - x0), height: Math.abs(y1 - y0) };
      edges.push(grown(span, ROAD));
    }
    if (gradient && link.labelled) {
      const wide = width(gradient.text, SMALL) + LANE + LABEL_GAP;
      solid.push(numberRoom(link, wide));
    }
  }
  return { solid, edges, boxes: blocks.map(({ rect }) => rect) };
}

/** Whether a line to a note crosses nothing that can be read. */
function isInSight([x0, y0, x1, y1]: Line, about: Rect, solid: readonly Rect[]): boolean {
  const pieces = Math.max(12, Math.ceil(Math.hypot(x1 - x0, y1 - y0) / AIR));
  // It leaves through the ring about it.
  const own = grown(about, 2 * AIR);
  for (let i = 1; i < pieces; i += 1) {
    const x = x0 + ((x1 - x0) * i) / pieces;
    const y = y0 + ((y1 - y0) * i) / pieces;
    if (solid.some((other) => holds(other, x, y) && !holds(own, x, y))) return false;
  }
  return true;
}

/** How long the shortest line between two rectangles is; of those that are as far, one that is straight beside is nearer. */
function apart(a: Rect, b: Rect): number {
  const across = Math.max(0, b.x - a.x - a.width, a.x - b.x - b.width);
  const down = Math.max(0, b.y - a.y - a.height, a.y - b.y - b.height);
  const [aslant, askew] = [a.x - b.x + (a.width - b.width) / 2, a.y - b.y + (a.height - b.height) / 2];
  return Math.hypot(across, down) + ASKEW * (Math.abs(aslant) + Math.abs(askew));
}

function beyond(rect: Rect, bounds: Rect): number {
  return (
    Math.max(0, bounds.x - rect.x) +
    Math.max(0, rect.x + rect.width - bounds.x - bounds.width) +
    Math.max(0, bounds.y - rect.y) +
    Math.max(0, rect.y + rect.height - bounds.y - bounds.height)
  );
}

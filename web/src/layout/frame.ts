// Frames: the grounds on which the ops of one call of a module stand, with the module's name.

import type { ModuleEntered } from '../protocol/events';
import type { Item, Link } from './graph';
import { overlaps, type Rect, union } from './rect';
import { cut, SMALL, width } from './size';

/** One call of a module, as ops remember it. */
export type ModuleCall = { event: ModuleEntered; type: string; outer: ModuleCall | null };

/**
 * What one call of a module has in one chunk.  `rects` together are its ground; `level` is 0 where no other frame lies
 * in it, `depth` where it lies in no other.
 */
export type Frame = {
  call: ModuleCall;
  outer: Frame | null;
  level: number;
  depth: number;
  /** Its place among the frames inside one another that begin, or end, in the same row. */
  opens: number;
  closes: number;
  items: Item[];
  rects: Rect[];
  /** The event from which on it is seen. */
  seq: number;
  name: string;
  detail: string;
  labelX: number;
  labelY: number;
  chunk: number;
};

/** The items of a row in order, null where an edge passes. */
export type FramedRow = readonly (Item | null)[];

export const FRAME_HEADER = 24;
export const FRAME_FOOTER = 8;
const PAD = 6;
const NEST = 4;
/** What two neighbours' frames may take of the room between them. */
const SPARE = 12;
const JOIN = 8;
const LEAST_NAME = 3;
/** What a name keeps away from an edge. */
const EDGE_ROOM = 10;

/** The frames of some items, outer ones first; leaves that only ops of one call use belong to that call. */
export function framesOf(items: readonly Item[], belongs: (item: Item, call: ModuleCall) => boolean): Frame[] {
  const frames = new Map<ModuleCall, Frame>();
  const enter = (call: ModuleCall): Frame => {
    let frame = frames.get(call);
    if (!frame) {
      const outer = call.outer ? enter(call.outer) : null;
      frame = newFrame(call, outer);
      frames.set(call, frame);
    }
    return frame;
  };
  const users = new Map<Item, (ModuleCall | null)[]>();
  for (const item of items) {
    for (const { from } of item.inputs) {
      const calls = users.get(from);
      if (calls) calls.push(item.module);
      else users.set(from, [item.module]);
    }
  }
  for (const item of items) {
    const call = item.kind === 'op' ? item.module : homeOf(item, users.get(item) ?? [], belongs);
    for (let frame = call ? enter(call) : null; frame; frame = frame.outer) frame.items.push(item);
  }
  const all = [...frames.values()].sort((a, b) => a.depth - b.depth || a.seq - b.seq);
  for (const frame of all.toReversed()) {
    if (frame.outer) frame.outer.level = Math.max(frame.outer.level, frame.level + 1);
  }
  return all;
}

function newFrame(call: ModuleCall, outer: Frame | null): Frame {
  const { path, times } = call.event;
  const inside = outer && path.startsWith(`${outer.call.event.path}.`);
  const name = inside ? path.slice(outer.call.event.path.length + 1) : path;
  return {
    call,
    outer,
    level: 0,
    depth: outer ? outer.depth + 1 : 0,
    opens: 1,
    closes: 1,
    items: [],
    rects: [],
    seq: call.event.seq,
    name,
    detail: outer && times > 1 ? `call ${times}` : call.type === name ? '' : call.type,
    labelX: 0,
    labelY: 0,
    chunk: -1,
  };
}

function homeOf(
  item: Item,
  calls: readonly (ModuleCall | null)[],
  belongs: (item: Item, call: ModuleCall) => boolean,
): ModuleCall | null {
  let common = calls[0] ?? null;
  while (common && !calls.every((call) => isWithin(call, common!))) common = common.outer;
  return common && belongs(item, common) ? common : null;
}

function isWithin(call: ModuleCall | null, outer: ModuleCall): boolean {
  for (let at = call; at; at = at.outer) if (at === outer) return true;
  return false;
}

/** How far a frame's ground reaches beyond its items. */
export function reachOf(frame: Frame): number {
  return PAD + NEST * frame.level;
}

/** What an item needs on each side beyond the usual distance, for the frames around it. */
export function margin(frames: readonly Frame[]): Map<Item, number> {
  const margins = new Map<Item, number>();
  for (const frame of frames) {
    if (frame.outer) continue;
    const wide = Math.max(0, reachOf(frame) - SPARE);
    if (wide > 0) for (const item of frame.items) margins.set(item, wide);
  }
  return margins;
}

/** Room above and below each row for the frames that begin or end there. */
export function roomFor(frames: readonly Frame[], rowOf: (item: Item) => number): Map<number, [number, number]> {
  const room = new Map<number, [number, number]>();
  for (const frame of frames.toReversed()) {
    const rows = frame.items.map(rowOf);
    const first = Math.min(...rows);
    const last = Math.max(...rows);
    for (const inner of frames) {
      if (inner.outer !== frame) continue;
      const own = inner.items.map(rowOf);
      if (Math.min(...own) === first) frame.opens = Math.max(frame.opens, inner.opens + 1);
      if (Math.max(...own) === last) frame.closes = Math.max(frame.closes, inner.closes + 1);
    }
    const [above, ...none] = room.get(first) ?? [0, 0];
    room.set(first, [Math.max(above, frame.opens * FRAME_HEADER), none[0] ?? 0]);
    const [before, below] = room.get(last) ?? [0, 0];
    room.set(last, [before, Math.max(below, frame.closes * FRAME_FOOTER)]);
  }
  return room;
}

type Run = Rect & { row: number; last: number };

/** Gives frames their grounds: what stands together in rows that follow one another, and bands between such blocks. */
export function settleFrames(frames: readonly Frame[], rows: readonly FramedRow[], links: readonly Link[]): void {
  for (const frame of frames) {
    const members = new Set(frame.items);
    const strangers = rows.flatMap((row) =>
      row.flatMap((item) => (item && !members.has(item) ? [groundOf(item)] : [])),
    );
    const runs = merged(runsOf(frame, members, rows), strangers);
    frame.rects = [...runs, ...bandsOf(runs, strangers)];
    title(frame, runs, links);
  }
}

/** What an item takes with the grounds around it. */
function groundOf(item: Item): Rect {
  const { x, y, width: wide, height } = boxOf(item);
  const framed = item.module !== null;
  const top = framed ? FRAME_HEADER : 2;
  const side = framed ? SPARE : 2;
  return { x: x - side, y: y - top, width: wide + 2 * side, height: height + top + (framed ? SPARE : 2) };
}

/** Joins what stands in rows that follow one another to one block, as long as nothing else stands in it. */
function merged(runs: readonly Run[], strangers: readonly Rect[]): Run[] {
  const blocks: Run[] = [];
  for (const run of runs) {
    const alone = runs.filter(({ row }) => row === run.row).length === 1;
    const block = blocks.at(-1);
    if (block && alone && block.row !== run.row) {
      const joined = { ...union(block, run), row: block.row, last: run.row };
      const mates = blocks.filter(({ last }) => last === block.last).length === 1;
      if (mates && !strangers.some((box) => overlaps(box, joined))) {
        blocks[blocks.length - 1] = joined;
        continue;
      }
    }
    blocks.push({ ...run });
  }
  return blocks;
}

function runsOf(frame: Frame, members: ReadonlySet<Item>, rows: readonly FramedRow[]): Run[] {
  const runs: Run[] = [];
  const pad = reachOf(frame);
  let first = -1;
  let last = -1;
  rows.forEach((row, i) => {
    if (!row.some((item) => item && members.has(item))) return;
    if (first < 0) first = i;
    last = i;
  });
  rows.forEach((row, i) => {
    const header = i === first ? frame.opens * FRAME_HEADER : pad;
    const footer = i === last ? frame.closes * FRAME_FOOTER : pad;
    let open: Run | null = null;
    for (const item of row) {
      if (!item) continue;
      if (!members.has(item)) {
        open = null;
        continue;
      }
      const { x, y, width: wide, height } = boxOf(item);
      if (!open) {
        open = { row: i, last: i, x: x - pad, y: y - header, width: wide + 2 * pad, height: height + header + footer };
        runs.push(open);
        continue;
      }
      const top = Math.min(open.y, y - header);
      open.height = Math.max(open.y + open.height, y + height + footer) - top;
      open.y = top;
      open.width = x + wide + pad - open.x;
    }
  });
  return runs;
}

function bandsOf(runs: readonly Run[], strangers: readonly Rect[]): Rect[] {
  const bands: Rect[] = [];
  for (const upper of runs) {
    const next = Math.min(...runs.filter(({ row }) => row > upper.last).map(({ row }) => row));
    for (const lower of runs) {
      if (lower.row !== next) continue;
      const x = Math.max(upper.x, lower.x);
      const wide = Math.min(upper.x + upper.width, lower.x + lower.width) - x;
      const y = upper.y + upper.height - JOIN;
      const band = { x, y, width: wide, height: lower.y + JOIN - y };
      const between = { ...band, y: y + JOIN, height: band.height - 2 * JOIN };
      if (wide < 2 * JOIN || band.height <= 0) continue;
      if (between.height <= 0 || !strangers.some((box) => overlaps(box, between))) bands.push(band);
    }
  }
  return bands;
}

/** Puts the name into the first room along the top of the ground that no edge crosses; nowhere where there is none. */
function title(frame: Frame, runs: readonly Run[], links: readonly Link[]): void {
  const top = Math.min(...runs.map(({ row }) => row));
  const run = runs.filter(({ row }) => row === top).reduce((a, b) => (b.width > a.width ? b : a));
  const strip = { x: run.x + 8, y: run.y + 2, width: run.width - 16, height: FRAME_HEADER - 4 };
  const rooms = roomsIn(strip, links);
  const whole = [...frame.name, ...frame.detail].length + 2;
  const room =
    rooms.find(({ chars }) => chars >= whole) ?? rooms.reduce((a, b) => (b.chars > a.chars ? b : a), rooms[0]!);
  frame.labelX = room.x;
  frame.labelY = run.y + FRAME_HEADER / 2 - 1;
  if (whole > room.chars) frame.detail = '';
  if ([...frame.name].length > room.chars) frame.name = room.chars >= LEAST_NAME ? cut(frame.name, room.chars) : '';
}

/** The stretches of a strip between the edges that cross it, with the characters that each has room for. */
function roomsIn(strip: Rect, links: readonly Link[]): { x: number; chars: number }[] {
  const end = strip.x + strip.width;
  const crossings: [number, number][] = [];
  for (const { points } of links) {
    for (let i = 2; i < points.length; i += 2) {
      const [x0, y0, x1, y1] = [points[i - 2]!, points[i - 1]!, points[i]!, points[i + 1]!];
      if (Math.max(y0, y1) < strip.y || Math.min(y0, y1) > strip.y + strip.height) continue;
      const from = Math.min(x0, x1) - EDGE_ROOM;
      const to = Math.max(x0, x1) + EDGE_ROOM;
      if (to > strip.x && from < end) crossings.push([from, to]);
    }
  }
  crossings.sort((a, b) => a[0] - b[0]);
  const rooms: { x: number; chars: number }[] = [];
  const add = (x: number, until: number): void => {
    rooms.push({ x, chars: Math.max(0, Math.floor((until - x) / width(1, SMALL))) });
  };
  let x = strip.x;
  for (const [from, to] of crossings) {
    if (from > x) add(x, from);
    x = Math.max(x, to);
  }
  add(x, end);
  return rooms;
}

function boxOf(item: Item): Rect {
  return { x: item.x - item.left, y: item.y, width: item.left + item.right, height: item.height };
}

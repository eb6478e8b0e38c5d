// Frames: the grounds on which the ops of one place of the program are (the call of a module or function, a loop, a round), with its name.

import type { Item } from './graph';
import { PORTION } from './pace/slices';
import { type FunctionPlace, headOf, isWithin, type LoopPlace, moduleOf, type Place } from './program/place';
import type { Rect } from './rect';
import { cut, SMALL, width } from './size';

/** What one place has in one chunk; `depth` is 0 where it lies in no other. */
export type Frame = {
  place: Place;
  outer: Frame | null;
  depth: number;
  items: Item[];
  rect: Rect;
  /** The event from which on it is seen, and that of its last item. */
  seq: number;
  last: number;
  name: string;
  /** Its name where there is little room. */
  short: string;
  detail: string;
  /** What of them is along its top, and where. */
  label: string;
  labelDetail: string;
  labelX: number;
  labelY: number;
  chunk: number;
};

export const FRAME_HEADER = 24;
export const FRAME_FOOTER = 12;
export const FRAME_PAD = 12;
const LEAST_NAME = 3;
const MOST_NAME = 40;
/** What a name keeps away from an edge. */
const EDGE_ROOM = 10;

/**
 * The frames of some items, outer ones first; leaves that only ops of one place use belong to that place.  The work may
 * rest wherever it yields.
 */
export function* framesOf(
  items: readonly Item[],
  belongs: (item: Item, place: Place) => boolean,
): Generator<void, Frame[]> {
  const shows = yield* shownPlaces(items);
  const frames = new Map<Place, Frame>();
  const enter = (place: Place): Frame | null => {
    const outer = place.outer ? enter(place.outer) : null;
    if (!shows(place)) return outer;
    let frame = frames.get(place);
    if (!frame) {
      frame = newFrame(place, outer);
      frames.set(place, frame);
    }
    return frame;
  };
  const users = new Map<Item, (Place | null)[]>();
  for (let i = 0; i < items.length; i += 1) {
    if (i % PORTION === 0) yield;
    const item = items[i]!;
    for (const { from } of item.inputs) {
      const places = users.get(from);
      if (places) places.push(item.place);
      else users.set(from, [item.place]);
    }
  }
  for (let i = 0; i < items.length; i += 1) {
    if (i % PORTION === 0) yield;
    const item = items[i]!;
    const place = item.kind === 'op' ? item.place : homeOf(item, users.get(item) ?? [], belongs);
    for (let frame = place ? enter(place) : null; frame; frame = frame.outer) {
      frame.items.push(item);
      frame.last = Math.max(frame.last, item.seq);
    }
  }
  return [...frames.values()].sort((a, b) => a.depth - b.depth || a.seq - b.seq);
}

/** Ops that a loop needs to have a ground, and that its rounds need on average to have their own. */
const LEAST_IN_LOOP = 16;
const LEAST_IN_ROUND = 4;
/** What a chunk takes from that average where it cuts off the first and the last of very many rounds. */
const CUT_OFF = 0.02;

/** Ops that a call of a function needs to have a ground, in more than one place inside it, and fewer than there are in all. */
const LEAST_IN_FUNCTION = 3;

/** Which places have a ground: modules, functions with some ops, and loops of which there are several rounds with many ops. */
function* shownPlaces(items: readonly Item[]): Generator<void, (place: Place) => boolean> {
  const loops = new Map<LoopPlace, { ops: number; rounds: Set<Place> }>();
  const functions = new Map<FunctionPlace, { ops: number; parts: Set<Place | Item> }>();
  let ops = 0;
  for (let i = 0; i < items.length; i += 1) {
    if (i % PORTION === 0) yield;
    const item = items[i]!;
    if (item.kind !== 'op') continue;
    ops += 1;
    let part: Place | Item = item;
    for (let place = item.place; place; part = place, place = place.outer) {
      if (place.kind === 'function') {
        const call = functions.get(place);
        if (call) {
          call.ops += 1;
          call.parts.add(part);
        } else functions.set(place, { ops: 1, parts: new Set([part]) });
      }
      if (place.kind !== 'round') continue;
      let loop = loops.get(place.outer);
      if (!loop) {
        loop = { ops: 0, rounds: new Set() };
        loops.set(place.outer, loop);
      }
      loop.ops += 1;
      loop.rounds.add(place);
    }
  }
  return (place) => {
    if (place.kind === 'module') return true;
    if (place.kind === 'function') {
      const call = functions.get(place);
      return call !== undefined && call.ops >= LEAST_IN_FUNCTION && call.ops < ops && call.parts.size > 1;
    }
    const loop = loops.get(place.kind === 'loop' ? place : place.outer);
    if (!loop || loop.ops < LEAST_IN_LOOP || loop.rounds.size < 2) return false;
    return place.kind === 'loop' || loop.ops / loop.rounds.size >= LEAST_IN_ROUND - CUT_OFF;
  };
}

function newFrame(place: Place, outer: Frame | null): Frame {
  return {
    place,
    outer,
    depth: outer ? outer.depth + 1 : 0,
    items: [],
    rect: { x: 0, y: 0, width: 0, height: 0 },
    seq: place.seq,
    last: -1,
    ...calledIn(place, outer),
    label: '',
    labelDetail: '',
    labelX: 0,
    labelY: 0,
    chunk: -1,
  };
}

function calledIn(place: Place, outer: Frame | null): Pick<Frame, 'name' | 'short' | 'detail'> {
  if (place.kind === 'loop') {
    const { text } = place.event;
    return { name: cut(text, MOST_NAME), short: cut(headOf(text), MOST_NAME), detail: '' };
  }
  if (place.kind === 'function') {
    const { name, times } = place.event;
    const called = cut(`${name}()`, MOST_NAME);
    return { name: called, short: called, detail: times > 1 ? `call ${times}` : '' };
  }
  if (place.kind === 'round') {
    const { round } = place.event;
    return { name: `round ${round}`, short: String(round), detail: '' };
  }
  const { path, times } = place.event;
  const around = moduleOf(outer?.place ?? null)?.event.path ?? null;
  const own = around !== null && path.startsWith(`${around}.`) ? path.slice(around.length + 1) : path;
  // A number alone, as of a child of a Sequential, says nothing without the name of what it is in.
  const name = isNumber(own) ? (/[^.]*[^.\d][^.]*(\.\d+)+$/.exec(path)?.[0] ?? own) : own;
  const detail = around !== null && times > 1 ? `call ${times}` : place.type === name ? '' : place.type;
  return { name, short: own, detail };
}

/** Whether a name is a number alone. */
export function isNumber(name: string): boolean {
  return /^\d+$/.test(name);
}

function homeOf(
  item: Item,
  places: readonly (Place | null)[],
  belongs: (item: Item, place: Place) => boolean,
): Place | null {
  let common = places[0] ?? null;
  while (common && !places.every((place) => isWithin(place, common!))) common = common.outer;
  while (common && !belongs(item, common)) common = common.outer;
  return common;
}

/** The width that the name of a frame takes with what is said beside it. */
export function nameWidth({ name, detail }: Frame): number {
  return width([...name, ...detail].length + 2, SMALL) + 16;
}

/** Puts the name into the first room along the top of the ground that no edge crosses; nowhere where there is none. */
export function title(frame: Frame, crossings: readonly number[]): void {
  const { x, y, width: wide } = frame.rect;
  const rooms = roomsIn(x + 8, x + wide - 8, crossings);
  const { name, detail } = frame;
  const whole = [...name, ...detail].length + 2;
  const room =
    rooms.find(({ chars }) => chars >= whole) ?? rooms.reduce((a, b) => (b.chars > a.chars ? b : a), rooms[0]!);
  frame.labelX = room.x;
  frame.labelY = y + FRAME_HEADER / 2 - 1;
  frame.labelDetail = whole > room.chars ? '' : detail;
  const fitting = [name, frame.short].find((text) => [...text].length <= room.chars);
  frame.label = fitting ?? (room.chars >= LEAST_NAME ? cut(name, room.chars) : '');
}

/** The stretches between the edges that cross a strip, with the characters that each has room for. */
function roomsIn(begin: number, end: number, crossings: readonly number[]): { x: number; chars: number }[] {
  const rooms: { x: number; chars: number }[] = [];
  let x = begin;
  for (const at of [...crossings].sort((a, b) => a - b)) {
    rooms.push({ x, chars: Math.max(0, Math.floor((at - EDGE_ROOM - x) / width(1, SMALL))) });
    x = Math.max(x, at + EDGE_ROOM);
  }
  rooms.push({ x, chars: Math.max(0, Math.floor((end - x) / width(1, SMALL))) });
  return rooms;
}

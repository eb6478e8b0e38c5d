// The scene, seen from afar, that a canvas shows, and the part of it that another moment changes.  A step changes a few
// of tens of thousands of dots, and all else stays as it is drawn.

import type { Item } from '../layout/graph';
import type { Rect } from '../layout/rect';
import { appearingBetween, changesSince, MOST_EVENTS } from '../scene/changes';
import type { SceneOptions } from '../scene/options';
import { extentOf } from '../scene/parts/extent';
import type { BlockPart, FramePart } from '../scene/parts/parts';
import type { Scene } from '../scene/scene';
import { isSame, keyOf } from '../scene/target';
import { type Beacon, isSameBeacon } from './parts/beacon';
import type { Plate } from './parts/frame';
import { isSameView, Patch, type View } from './patch';

/** What is around an item that acts: its ring and its seed, in the plane and in pixels. */
const RING = 24;
const PIXELS = 5;
/** A larger share of the canvas is not worth a patch. */
const MOST = 0.5;

/** The grounds and blocks of a scene in view, the plates on them, and the mark on what acts. */
export type Ground = {
  frames: readonly FramePart[];
  blocks: readonly BlockPart[];
  plates: readonly Plate[];
  beacon: Beacon | null;
};

export class Painted {
  readonly #size: readonly number[];
  readonly #marked: ReadonlySet<Item>;

  constructor(
    readonly scene: Scene,
    readonly view: View,
    readonly ground: Ground,
  ) {
    this.#size = sizeOf(scene);
    this.#marked = scene.marked;
  }

  /** What of the canvas must be drawn again to show another scene; null for all of it. */
  patch(scene: Scene, view: View, ground: () => Ground): { patch: Patch; ground: Ground } | null {
    if (!this.#isAlike(scene, view)) return null;
    const patch = new Patch(view);
    const margin = RING + PIXELS / view.factor;
    const mark = (rect: Rect) => patch.add(rect, margin);
    this.#markItems(scene, mark);
    const now = ground();
    markFrames(this.ground.frames, now.frames, mark);
    markOthers(this.ground.blocks, now.blocks, blockKey, isSameBlock, mark);
    markOthers(this.ground.plates, now.plates, ({ about }) => about, isSamePlate, mark);
    markOthers(beaconIn(this.ground), beaconIn(now), ({ about }) => about, isSameBeacon, mark);
    return patch.share > MOST ? null : { patch, ground: now };
  }

  #isAlike(scene: Scene, view: View): boolean {
    const before = this.scene;
    return (
      isSameView(view, this.view) &&
      before.layout === scene.layout &&
      before.state.history === scene.state.history &&
      Math.abs(before.state.seq - scene.state.seq) <= MOST_EVENTS &&
      // Which passes have numbers above them depends on how many there are.
      begun(before) === begun(scene) &&
      sizeOf(scene).every((size, i) => this.#size[i] === size) &&
      areSeenAlike(before.options, scene.options) &&
      !this.#hasMirror(before) &&
      !this.#hasMirror(scene)
    );
  }

  /** Whether a graph that a backward pass recorded is in view: its nodes are drawn as themselves from afar too. */
  #hasMirror(scene: Scene): boolean {
    const { x, y, width, height, factor } = this.view;
    return scene.chunks({ x, y, width: width / factor, height: height / factor }).some(({ up }) => up);
  }

  /** Marks what acts now or did before, and all that the events between change. */
  #markItems(scene: Scene, mark: (rect: Rect) => void): void {
    const before = this.scene.state.seq;
    const { layout, state } = scene;
    const latest = Math.max(before, state.seq);
    for (const marked of [this.#marked, scene.marked]) {
      for (const item of marked) {
        if (item.seq > latest || item.chunk < 0) continue;
        mark(extentOf(item));
        for (const { from, rect } of item.inputs) if (marked.has(from)) mark(rect);
      }
    }
    if (before === state.seq) return;
    const { items, links, columns } = changesSince(before, state, layout);
    for (const item of items) if (item.seq <= latest) mark(extentOf(item));
    for (const { rect, to } of links) if (to.seq <= latest) mark(rect);
    for (const { rect } of columns) if (rect) mark(rect);
    for (const item of appearingBetween(before, state.seq, layout)) {
      mark(extentOf(item));
      for (const { rect } of item.inputs) mark(rect);
    }
  }
}

function beaconIn({ beacon }: Ground): Beacon[] {
  return beacon ? [beacon] : [];
}

/** How many passes have begun. */
function begun({ layout, state }: Scene): number {
  return layout.columns.filter(({ first }) => first <= state.seq).length;
}

/** How much there is to show; what comes later may change what was there. */
function sizeOf({ layout: { items, links, chunks, log } }: Scene): number[] {
  return [items.length, links.length, chunks.length, log.length];
}

function areSeenAlike(a: SceneOptions, b: SceneOptions): boolean {
  if (a.found || b.found || a.trail || b.trail || a.differing || b.differing) return false;
  const isSamePointed = isSame(a.selection, b.selection) && isSame(a.hover, b.hover);
  return isSamePointed && a.folds === b.folds && a.paused === b.paused && a.stops === b.stops && a.lit === b.lit;
}

/** Marks where grounds have grown, and the rims of those on which something acts now or did before. */
function markFrames(before: readonly FramePart[], now: readonly FramePart[], mark: (rect: Rect) => void): void {
  const left = new Map(before.map((part) => [part.frame, part]));
  for (const part of now) {
    const earlier = left.get(part.frame);
    left.delete(part.frame);
    if (!earlier) mark(part.rect);
    else if (earlier !== part) markFrame(earlier, part, mark);
  }
  for (const { rect } of left.values()) mark(rect);
}

function markFrame(before: FramePart, now: FramePart, mark: (rect: Rect) => void): void {
  if (before.mark !== now.mark) {
    mark(now.rect);
    return;
  }
  const { x, y, width } = now.rect;
  const bottoms = [before, now].map(({ rect }) => rect.y + rect.height);
  const [first, last] = [Math.min(...bottoms), Math.max(...bottoms)];
  if (first !== last) mark({ x, y: first, width, height: last - first });
  const isSameRim =
    before.current === now.current && before.selected === now.selected && before.hovered === now.hovered;
  if (isSameRim) return;
  for (const height of [first - y, last - y]) {
    mark({ x, y, width, height: 0 });
    mark({ x, y: y + height, width, height: 0 });
    mark({ x, y, width: 0, height });
    mark({ x: x + width, y, width: 0, height });
  }
}

/** Marks what came, went or looks otherwise. */
function markOthers<P extends { rect: Rect }>(
  before: readonly P[],
  now: readonly P[],
  keyed: (part: P) => unknown,
  isSamePart: (a: P, b: P) => boolean,
  mark: (rect: Rect) => void,
): void {
  const left = new Map(before.map((part) => [keyed(part), part]));
  for (const part of now) {
    const earlier = left.get(keyed(part));
    if (earlier && isSamePart(earlier, part)) left.delete(keyed(part));
    else mark(part.rect);
  }
  for (const { rect } of left.values()) mark(rect);
}

function isSameRect(a: Rect, b: Rect): boolean {
  return a.x === b.x && a.y === b.y && a.width === b.width && a.height === b.height;
}

function isSamePlate(a: Plate, b: Plate): boolean {
  return a.selected === b.selected && a.text === b.text && isSameRect(a.rect, b.rect);
}

function blockKey({ area, rounds, target }: BlockPart): unknown {
  return rounds.length > 0 && target ? keyOf(target) : area;
}

function isSameBlock(a: BlockPart, b: BlockPart): boolean {
  if (a === b) return true;
  const isSameText = a.name === b.name && a.short === b.short && a.detail === b.detail;
  const isSameHeat = a.heat === b.heat || (a.heat?.norm === b.heat?.norm && a.heat?.given === b.heat?.given);
  return isSameText && isSameHeat && a.mark === b.mark && a.current === b.current && isSameRect(a.rect, b.rect);
}

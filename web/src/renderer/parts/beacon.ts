// The mark on what acts where it is drawn too small to be found: a ring of a size that is seen, and its name beside it.

import type { Item } from '../../layout/graph';
import { contains, grown, overlaps, type Rect } from '../../layout/rect';
import * as say from '../../messages/pictures';
import { bodyOf } from '../../scene/parts/extent';
import type { BlockPart } from '../../scene/parts/parts';
import type { Scene } from '../../scene/scene';
import type { Pen } from '../pen';

/** The ring at its smallest, the room between it and what acts, and its line, in pixels. */
const LEAST = { width: 16, height: 10 };
const GAP = 2;
const LINE = 2.5;

/** What acts first, the ring around it, and its names, the whole one first. */
export type Beacon = { about: Item; rect: Rect; names: readonly string[]; failed: boolean };

/** The mark on what acts in a scene; null where that has its shape, is out of what is `seen`, or in a closed block, which says so. */
export function beaconOf(pen: Pen, scene: Scene, blocks: readonly BlockPart[], seen: Rect): Beacon | null {
  const [item] = scene.acting;
  if (pen.showsShapes || !item || item.seq > scene.state.seq) return null;
  const body = bodyOf(item);
  if (!overlaps(body, seen) || blocks.some((block) => contains(block.rect, body))) return null;
  const part = scene.part(item);
  const [wide, high] = [
    Math.max(0, LEAST.width / pen.scale - body.width) / 2,
    Math.max(0, LEAST.height / pen.scale - body.height) / 2,
  ];
  const ring = { x: body.x - wide, y: body.y - high, width: body.width + 2 * wide, height: body.height + 2 * high };
  const { failed } = part.look;
  const names = part.kind === 'card' ? [part.name, part.name.split('.').at(-1)!] : [part.symbol];
  return {
    about: item,
    rect: grown(ring, GAP / pen.scale),
    names: failed ? names.map((name) => `${name} ${say.marks.error}`) : names,
    failed,
  };
}

export function isSameBeacon(a: Beacon, b: Beacon): boolean {
  return a.about === b.about && a.failed === b.failed;
}

export function drawBeacon(pen: Pen, { rect, failed }: Beacon): void {
  const { tokens, scale } = pen;
  pen.box(rect.x, rect.y, rect.width, rect.height, Math.min(rect.height / 2, 6 / scale));
  pen.stroke(failed ? tokens.error : tokens.forward, LINE / scale);
}

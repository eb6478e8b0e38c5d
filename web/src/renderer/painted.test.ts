// Protects: what a step draws again holds all that the step changes, so that nothing on the canvas is out of date.

import { expect, it } from 'vitest';
import type { Rect } from '../layout/rect';
import { goldens } from '../protocol/goldens';
import { extentOf } from '../scene/parts/extent';
import { buildScene, type Scene } from '../scene/scene';
import { opened, walk } from '../scene/walks';
import { type Ground, Painted } from './painted';
import type { Patch, View } from './patch';

const SCALES = [0.02, 0.06, 0.15];

/** What is drawn of a scene from afar: a text for each thing, and where it is. */
function looks(scene: Scene, view: View): Map<unknown, { text: string; rect: Rect }> {
  const all = new Map<unknown, { text: string; rect: Rect }>();
  const { cards, pills, edges, frames, blocks, dots } = scene.visible(seenOf(view), view.factor, true);
  const textOf = (part: object) =>
    JSON.stringify(part, (key, value) =>
      ['item', 'link', 'area', 'frame', 'rounds', 'target'].includes(key) ? undefined : value,
    );
  for (const part of [...cards, ...pills]) all.set(part.item, { text: textOf(part), rect: extentOf(part.item) });
  for (const part of edges) all.set(part.link, { text: textOf(part), rect: part.link.rect });
  for (const part of blocks) all.set(part.area, { text: textOf(part), rect: part.rect });
  for (const part of frames) all.set(part.frame, { text: textOf(part), rect: part.rect });
  for (const [dot, items] of Object.entries(dots.items)) {
    for (const item of items) all.set(item, { text: dot, rect: extentOf(item) });
  }
  for (const link of dots.sent) all.set(link, { text: 'sent', rect: link.rect });
  for (const link of dots.unsent) all.set(link, { text: 'unsent', rect: link.rect });
  return all;
}

function seenOf({ x, y, width, height, factor }: View): Rect {
  return { x, y, width: width / factor, height: height / factor };
}

it.each(goldens())('%s', (_, events) => {
  const { timeline, layout } = opened(events);
  const { x, y } = layout.bounds;
  let patches = 0;
  for (const factor of SCALES) {
    const view: View = { x: x - 40, y: y - 80, width: 1024, height: 768, factor };
    let before: Scene | null = null;
    let painted = null as Painted | null;
    let was: ReturnType<typeof looks> = new Map();
    for (const cursor of walk(timeline, 20)) {
      const scene: Scene = buildScene(timeline.stateAt(cursor), layout, { selection: null, hover: null }, before);
      const groundNow = (): Ground => ({ ...scene.grounds(seenOf(view), view.factor), plates: [], beacon: null });
      const found: { patch: Patch; ground: Ground } | null = painted?.patch(scene, view, groundNow) ?? null;
      const now = looks(scene, view);
      if (found) {
        patches += 1;
        for (const thing of new Set([...was.keys(), ...now.keys()])) {
          const [old, young] = [was.get(thing), now.get(thing)];
          if (old?.text === young?.text) continue;
          for (const one of [old, young]) if (one) expect(found.patch.overlaps(one.rect), young?.text).toBe(true);
        }
      }
      painted = new Painted(scene, view, found?.ground ?? groundNow());
      was = now;
      before = scene;
    }
  }
  if (!layout.chunks.some(({ up }) => up)) expect(patches).toBeGreaterThan(0);
});

// Protects: seen from afar every item and edge is there once, as a dot or as itself, and says of its gradient what it says near by.

import { expect, it } from 'vitest';
import { MirrorLayout } from '../layout/mirror';
import { goldens } from '../protocol/goldens';
import { EventLog } from '../store/log';
import { Timeline } from '../timeline/timeline';
import { buildScene } from './scene';

const SOME = ['01_first_backward', '15_in_place_error', '17_mlp', '25_checkpoint', '29_micro_batches', 'training'];

it.each(goldens().filter(([name]) => SOME.includes(name)))('%s from afar', (_name, events) => {
  const log = new EventLog();
  const timeline = new Timeline(log);
  const layout = new MirrorLayout(log);
  log.append(events);
  layout.commit();
  const step = Math.max(1, Math.floor(timeline.moments.length / 12));
  let done = 0;
  for (let cursor = 0; cursor < timeline.moments.length; cursor += step) {
    const scene = buildScene(timeline.stateAt(cursor), layout, { selection: null, hover: null });
    const near = scene.visible(scene.bounds);
    const { cards, pills, edges, dots } = scene.visible(scene.bounds, 1, true);
    const afar = Object.values(dots.items).flat();
    const ids = (all: readonly { id: number }[]) => all.map(({ id }) => id).sort((a, b) => a - b);
    expect(ids([...cards, ...pills].map(({ item }) => item).concat(afar))).toEqual(
      ids([...near.cards, ...near.pills].map(({ item }) => item)),
    );
    expect(ids(edges.map(({ link }) => link).concat(dots.sent, dots.unsent))).toEqual(
      ids(near.edges.map(({ link }) => link)),
    );
    for (const { item, status } of near.pills) {
      if (!afar.includes(item)) continue;
      expect(dots.items.done.includes(item)).toBe(status === 'done' || status === 'running');
      expect(dots.items.untracked.includes(item)).toBe(status === 'untracked');
    }
    for (const { item, grad } of near.cards) {
      if (afar.includes(item)) expect(dots.items['leaf-grad'].includes(item)).toBe((grad?.total ?? null) !== null);
    }
    for (const { link, gradient } of near.edges) if (dots.sent.includes(link)) expect(gradient).not.toBe(null);
    done += dots.items.done.length;
  }
  expect(done).toBeGreaterThan(0);
});

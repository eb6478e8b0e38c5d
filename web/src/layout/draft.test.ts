// Protects: in a round of a loop, what comes from before it is shown again near each of its users, and by its own name.

import { expect, it } from 'vitest';
import { goldens } from '../protocol/goldens';
import { EventLog } from '../store/log';
import { MirrorLayout } from './mirror';
import { model } from './rehearsal';

it('shows what a round has from outside near each of its users', () => {
  const log = new EventLog();
  log.append(model(6));
  const layout = new MirrorLayout(log);
  const again = layout.items.filter(({ kind }) => kind === 'again');
  expect(again.length).toBeGreaterThan(30);
  const inRounds = layout.links.filter(({ from, to }) => from.kind === 'again' && to.place?.kind === 'round');
  const lengths = inRounds.map(({ points }) => points.at(-1)! - points[1]!);
  expect(Math.max(...lengths)).toBeLessThan(300);
});

it.each([...goldens(), ['a model', model(6)] as const])(
  '%s: what is shown again is what its users take',
  (_, events) => {
    const log = new EventLog();
    log.append([...events]);
    const layout = new MirrorLayout(log);
    const wrong = layout.links.flatMap(({ from, to, value }) => {
      if (from.kind !== 'again' || !value || !to.event) return [];
      return to.event.inputs.some(({ tensor }) => tensor === from.tensor) ? [] : [[from.tensor, to.event.seq]];
    });
    expect(wrong).toEqual([]);
  },
);

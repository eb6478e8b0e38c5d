// Protects: in a round of a loop, what comes from before it is shown again near each of its users.

import { expect, it } from 'vitest';
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

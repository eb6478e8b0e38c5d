// Protects: a chunk that goes on from one above it says so, and whether a gradient has gone back there.

import { expect, it } from 'vitest';
import { MirrorLayout } from '../../layout/mirror';
import { goldens } from '../../protocol/goldens';
import { EventLog } from '../../store/log';
import { Timeline } from '../../timeline/timeline';
import { inflowOf } from './inflow';

it('leads from what was placed while a chain was recorded into what came later, and back with the gradient', () => {
  const [, events] = goldens().find(([name]) => name === 'large')!;
  const log = new EventLog();
  const layout = new MirrorLayout(log);
  const timeline = new Timeline(log);
  const pass = events.findIndex(({ kind }) => kind === 'backward_started');
  // The stream ends in the middle of the forward pass.
  for (const part of [events.slice(0, pass / 2), events.slice(pass / 2)]) {
    log.append(part);
    layout.commit();
  }
  const [above, chunk] = layout.chunks;
  const { moments } = timeline;
  const start = timeline.stateAt(moments.findIndex(({ kind }) => kind === 'backward_started'));
  expect(inflowOf(above!, layout, start)).toBeNull();
  const before = inflowOf(chunk!, layout, start);
  expect(before?.sent).toBe(false);
  expect(before?.into).toMatchObject({ y: chunk!.rect.y, dx: 0, dy: 1 });
  expect(before?.back).toMatchObject({ y: above!.rect.y + above!.rect.height, dx: 0, dy: -1 });
  expect(inflowOf(chunk!, layout, timeline.stateAt(moments.length - 1))?.sent).toBe(true);
});

// Protects: what is held adds up to the memory curve at every moment, and each byte's holders are those of the program.

import { describe, expect, it } from 'vitest';
import type { Event } from '../protocol/events';
import { goldens } from '../protocol/goldens';
import { EventLog } from '../store/log';
import { heldAt } from './holders';
import { Timeline } from './timeline';

function opened(events: Event[]): Timeline {
  const log = new EventLog();
  const timeline = new Timeline(log);
  log.append(events);
  return timeline;
}

describe.each(goldens())('%s', (_, events) => {
  it('adds up to the memory curve', () => {
    const timeline = opened(events);
    const memory = timeline.memory();
    for (const { index, last } of timeline.moments) {
      const held = heldAt(timeline.history, last);
      const sum = (kind: string) =>
        held.filter(({ counted }) => counted === kind).reduce((total, { nbytes }) => total + nbytes, 0);
      expect([index, sum('values'), sum('saved')]).toEqual([index, memory.values[index], memory.saved[index]]);
      // While a pass runs, the curve also has the gradients that wait at nodes.
      const waits = timeline.stateAt(index).call?.running === true;
      if (waits) expect(sum('gradients')).toBeLessThanOrEqual(memory.gradients[index]!);
      else expect([index, sum('gradients')]).toEqual([index, memory.gradients[index]]);
      for (const one of held) expect(one.holders.length).toBeGreaterThan(0);
    }
  });
});

it('names the container that took a tensor in', () => {
  const [, events] = goldens().find(([name]) => name === '30_loss_history')!;
  const timeline = opened(events);
  const held = heldAt(timeline.history, timeline.moments.at(-1)!.last);
  const takers = held.flatMap(({ holders }) =>
    holders.flatMap((holder) => (holder.kind === 'tensor' && holder.taker ? [holder.taker] : [])),
  );
  expect(takers).toContainEqual({ name: 'losses', line: 16 });
});

// Protects: a run is stepped by nodes, by calls of modules and functions, and by rounds, forth and back to the same moments.

import { describe, expect, it } from 'vitest';
import { goldens } from '../protocol/goldens';
import { EventLog } from '../store/log';
import { Timeline } from '../timeline/timeline';
import { UNITS, type Unit, unitEnd, unitsOf } from './unit';

function opened(events: Parameters<EventLog['append']>[0]): Timeline {
  const log = new EventLog();
  const timeline = new Timeline(log);
  log.append(events);
  return timeline;
}

/** The moments at which units end, first to last. */
function ends(timeline: Timeline, unit: Unit): number[] {
  const found: number[] = [];
  const last = timeline.moments.length - 1;
  for (let at = -1; at < last; ) {
    const next = unitEnd(timeline, at, unit, 1);
    expect(next).toBeGreaterThan(at);
    found.push(next);
    at = next;
  }
  return found;
}

const golden = (wanted: string) => opened(goldens().find(([name]) => name === wanted)![1]);

describe.each(goldens())('%s', (_, events) => {
  const timeline = opened(events);

  it.each(UNITS)('goes back by %s to where it came by', (unit) => {
    const forth = ends(timeline, unit);
    const back: number[] = [];
    for (let at = timeline.moments.length - 1; at >= 0; ) {
      back.push(at);
      const before = unitEnd(timeline, at, unit, -1);
      expect(before).toBeLessThan(at);
      at = before;
    }
    expect(back.reverse()).toEqual(forth);
  });
});

it('takes in one call of a module, forward and backward', () => {
  const timeline = golden('training');
  const { history, moments } = timeline;
  expect(unitsOf(timeline)).toContain('module');
  const stops = ends(timeline, 'module');
  expect(stops.length).toBeLessThan(moments.length);
  let first = 0;
  for (const end of stops) {
    const calls = new Set<number>();
    for (let i = first; i <= end; i += 1) {
      const { node, kind, last, phase } = moments[i]!;
      const op = node === null ? null : history.nodes.get(node)?.op;
      const seq = phase === 'backward' ? op?.seq : kind === 'op_applied' ? last : undefined;
      if (seq !== undefined) calls.add(history.whereabouts.callAt(seq)?.event.call ?? -1);
    }
    expect(calls.size).toBeLessThanOrEqual(1);
    first = end + 1;
  }
});

it('takes in one round of a training loop, with its backward pass', () => {
  const timeline = golden('training');
  expect(unitsOf(timeline)).toContain('round');
  const loops = [...timeline.history.whereabouts.loops.values()].filter(({ steps }) => steps);
  const rounds = loops.reduce((sum, { rounds }) => sum + rounds.entries.length, 0);
  const passes = ends(timeline, 'round').map(
    (end, i, all) =>
      timeline.moments.slice((all[i - 1] ?? -1) + 1, end + 1).filter(({ kind }) => kind === 'backward_started').length,
  );
  expect(passes.filter((count) => count === 1)).toHaveLength(rounds);
  expect(Math.max(...passes)).toBe(1);
});

it('offers no modules and rounds where there are none', () => {
  expect(unitsOf(golden('01_first_backward'))).toEqual(['node']);
});

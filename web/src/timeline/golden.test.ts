// Protects: moments cover the log, the state does not depend on how one came to it, and memory is never negative.

import { describe, expect, it } from 'vitest';
import type { Event } from '../protocol/events';
import { goldens } from '../protocol/goldens';
import { EventLog } from '../store/log';
import { Timeline } from './timeline';

function opened(events: Event[], batch = events.length): Timeline {
  const log = new EventLog();
  const timeline = new Timeline(log);
  for (let i = 0; i < events.length; i += batch) log.append(events.slice(i, i + batch));
  return timeline;
}

function shown(timeline: Timeline, cursor: number) {
  const state = timeline.stateAt(cursor);
  const { seq, line, tensors, nodes, call, prints, error } = state;
  return { seq, line, tensors, nodes, call: call && { ...call }, prints, error: error?.seq };
}

describe.each(goldens())('%s', (_, events) => {
  it('has events without gaps', () => {
    events.forEach((event, seq) => {
      expect(event.seq).toBe(seq);
    });
  });

  it('divides the log into moments that follow each other', () => {
    const timeline = opened(events);
    let next = 0;
    for (const moment of timeline.moments) {
      expect(moment.first).toBe(next);
      expect(moment.last).toBeGreaterThanOrEqual(moment.first);
      expect(timeline.momentOfSeq(moment.first)).toBe(moment.index);
      expect(timeline.momentOfSeq(moment.last)).toBe(moment.index);
      next = moment.last + 1;
    }
    expect(next).toBe(events.length);
  });

  it('makes the same moments however the events arrive', () => {
    expect(opened(events, 3).moments).toEqual(opened(events).moments);
  });

  it('gives the same state forwards, backwards and by a leap', () => {
    const all = opened(events);
    const last = all.moments.length - 1;
    for (const cursor of [-1, 0, last >> 2, last >> 1, last]) {
      const moment = all.moments[cursor];
      const fresh = opened(events.slice(0, (moment?.last ?? -1) + 1));
      all.stateAt(last);
      expect(shown(all, cursor)).toEqual(shown(fresh, cursor));
    }
  });

  it('never counts negative memory, and frees what was saved', () => {
    const timeline = opened(events);
    const memory = timeline.memory();
    for (let i = 0; i < timeline.moments.length; i += 1) {
      for (const series of [memory.values, memory.saved, memory.gradients]) {
        expect(series[i]).toBeGreaterThanOrEqual(0);
        expect(Number.isFinite(series[i])).toBe(true);
      }
    }
  });

  it('finds backward passes and lines', () => {
    const timeline = opened(events);
    const starts = timeline.moments
      .filter((moment) => moment.kind === 'backward_started')
      .map((moment) => moment.index);
    expect(timeline.nextBackward(0)).toBe(starts[0] ?? null);
    expect(timeline.previousBackward(timeline.moments.length)).toBe(starts.at(-1) ?? null);
    for (const moment of timeline.moments) {
      if (moment.line !== null) expect(timeline.momentsOfLine(moment.line)).toContain(moment.index);
    }
  });
});

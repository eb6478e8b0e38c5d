// Protects: every event that the engine writes passes, and one that was altered is named with the place.

import { describe, expect, it } from 'vitest';
import type { Event } from '../protocol/events';
import { goldens } from '../protocol/goldens';
import { notAnEvent } from './check';

describe('the check of an event', () => {
  it('passes every event of the recorded programs', () => {
    const events = goldens().flatMap(([, found]) => found);
    expect(events.length).toBeGreaterThan(500);
    expect(events.map(notAnEvent).filter((reason) => reason !== null)).toEqual([]);
  });

  it.each([
    [null, 'not a JSON object'],
    [[], 'not a JSON object'],
    [{ seq: 0 }, 'of a kind'],
    [{ seq: 0, kind: 'toString' }, 'of a kind'],
    [{ seq: 0, kind: 'program_finished', line: null }, 'at status'],
    [{ seq: 0.5, kind: 'program_finished', line: null, status: 'ok' }, 'at seq'],
    [{ seq: 0, kind: 'program_finished', line: 'x', status: 'ok' }, 'at line'],
    [{ seq: -1, kind: 'program_finished', line: null, status: 'ok' }, 'at seq'],
    [{ seq: 2 ** 60, kind: 'program_finished', line: null, status: 'ok' }, 'at seq'],
    [{ seq: 0, kind: 'program_finished', line: null, status: 'x'.repeat(10_001) }, 'at status'],
    [{ seq: 0, kind: 'checkpoint_left', line: null, checkpoint: 1, kept: new Array(70_000).fill(1) }, 'at kept'],
    [{ seq: 0, kind: 'checkpoint_left', line: null, checkpoint: 0, kept: [] }, 'at checkpoint'],
  ])('names what is wrong with %j', (value, reason) => {
    expect(notAnEvent(value as Event)).toContain(reason);
  });

  it('counts characters as the engine does', () => {
    const finished = { seq: 0, kind: 'program_finished', line: null };
    expect(notAnEvent({ ...finished, status: '\u{1f600}'.repeat(10_000) })).toBeNull();
    expect(notAnEvent({ ...finished, status: '\u{1f600}'.repeat(10_001) })).toContain('at status');
  });

  it('finds any field that was taken away or replaced', () => {
    const passed: string[] = [];
    for (const event of goldens().flatMap(([, found]) => found.slice(0, 60))) {
      for (const name of Object.keys(event)) {
        const { [name]: _, ...without } = event as unknown as Record<string, unknown>;
        if (name !== 'file' && notAnEvent(without) === null) passed.push(`${event.kind} without ${name}`);
        if (notAnEvent({ ...event, [name]: { deep: [1] } }) === null) passed.push(`${event.kind} with another ${name}`);
      }
    }
    expect(passed).toEqual([]);
  });
});

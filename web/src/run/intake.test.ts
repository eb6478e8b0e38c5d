// Protects: events wait while the page has work, but never those at which the program stops; none is lost or out of order.

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Event } from '../protocol/events';
import { Intake } from './intake';

const event = (seq: number, kind = 'output_printed') => ({ kind, seq, line: 1, stream: 'stdout', text: '' }) as Event;

let taken: number[][];
let cost: number;
const made = () =>
  new Intake(
    (batch) => taken.push(batch.map(({ seq }) => seq)),
    () => new Promise((resolve) => setTimeout(resolve, cost)),
  );

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  taken = [];
  cost = 40;
});
afterEach(() => {
  vi.useRealTimers();
});

it('goes on after a batch that could not be shown', async () => {
  const failing = vi.fn(() => {
    throw new Error('no');
  });
  const intake = new Intake(failing, () => Promise.resolve());
  expect(() => intake.add([event(0)])).toThrow('no');
  expect(() => intake.add([event(1)])).toThrow('no');
  expect(failing).toHaveBeenCalledTimes(2);
});

describe('what comes faster than it can be shown', () => {
  it('waits and is shown together', async () => {
    const intake = made();
    intake.add([event(0)]);
    intake.add([event(1)]);
    intake.add([event(2), event(3)]);
    expect(taken).toEqual([[0]]);
    await vi.advanceTimersByTimeAsync(159);
    expect(taken).toEqual([[0]]);
    await vi.advanceTimersByTimeAsync(2);
    expect(taken).toEqual([[0], [1, 2, 3]]);
  });

  it.each(['paused', 'program_finished'])('does not wait at %s', (kind) => {
    const intake = made();
    intake.add([event(0)]);
    intake.add([event(1)]);
    intake.add([event(2, kind)]);
    expect(taken).toEqual([[0], [1, 2]]);
  });

  it('is shown at once where the page has time, and not after it was left', async () => {
    cost = 0;
    const intake = made();
    intake.add([event(0)]);
    await vi.advanceTimersByTimeAsync(1);
    intake.add([event(1)]);
    expect(taken).toEqual([[0], [1]]);
    intake.add([event(2)]);
    intake.close();
    await vi.advanceTimersByTimeAsync(5000);
    intake.flush();
    expect(taken).toHaveLength(2);
  });
});

// Protects: long work goes on in a page that nobody looks at, whose timers wait, and ends where it is called off.

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { inSlices } from './work-slices';

function* count(to: number): Generator<number, string> {
  for (let i = 0; i < to; i += 1) yield i;
  return 'done';
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  // Each look at the clock finds a slice over.
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => (now += 1000));
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe('work in slices', () => {
  it('needs no timer to go on', async () => {
    const told: number[] = [];
    expect(await inSlices(count(4), new AbortController().signal, (share) => told.push(share))).toBe('done');
    expect(told).toEqual([0, 1, 2, 3]);
  });

  it('ends with its signal', async () => {
    const stop = new AbortController();
    const told: number[] = [];
    const tell = (share: number) => {
      told.push(share);
      stop.abort();
    };
    expect(await inSlices(count(4), stop.signal, tell)).toBeNull();
    expect(told).toEqual([0]);
  });
});

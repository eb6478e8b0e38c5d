// Protects: events wait while the page has work, but never those at which the program stops; none is lost or out of order.

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Event } from '../protocol/events';
import { Intake } from './intake';

const event = (seq: number, kind = 'output_printed') => ({ kind, seq, line: 1, stream: 'stdout', text: '' }) as Event;

let taken: number[][];
let cost: number;
let folded: number[];
const made = () => {
  folded = [];
  return new Intake({
    take: (batch) => folded.push(...batch.map(({ seq }) => seq)),
    show: () => taken.push(folded.splice(0)),
    shown: () => new Promise((resolve) => setTimeout(resolve, cost)),
  });
};

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
  const intake = new Intake({ take: failing, show() {}, shown: () => Promise.resolve() });
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

describe('what takes longer than a slice', () => {
  /** Events that take 1 ms each. */
  const slow = (shown: string[]) =>
    new Intake({
      take: (batch) => {
        vi.advanceTimersByTime(batch.length);
        folded.push(...batch.map(({ seq }) => seq));
      },
      show: () => shown.push(`shown to ${folded.at(-1)}`),
      shown: () => new Promise((resolve) => setTimeout(resolve, 1000)),
    });
  const many = (from: number, to: number, last = 'output_printed') =>
    Array.from({ length: to - from }, (_, i) => event(from + i, from + i === to - 1 ? last : undefined));

  it('leaves the page turns, shows what came first at once and the end as soon as it is there', async () => {
    folded = [];
    const shown: string[] = [];
    const intake = slow(shown);
    intake.add(many(0, 1000, 'paused'));
    expect(folded.length).toBeLessThan(1000);
    expect(shown).toEqual([`shown to ${folded.length - 1}`]);
    await vi.waitFor(() => expect(shown.at(-1)).toBe('shown to 999'));
    expect(folded).toEqual(many(0, 1000).map(({ seq }) => seq));
  });

  it('keeps what happens behind events behind them, and before those that come later', async () => {
    folded = [];
    const shown: string[] = [];
    const intake = slow(shown);
    intake.add(many(0, 600));
    intake.after(() => shown.push('lost'));
    intake.add(many(600, 900));
    intake.after(() => {
      shown.push('ended');
      intake.after(() => shown.push('closed'));
    });
    expect(shown).not.toContain('lost');
    await vi.waitFor(() => expect(shown).toContain('closed'));
    const at = shown.indexOf('lost');
    expect(shown[at - 1]).toBe('shown to 599');
    expect(shown.slice(-3)).toEqual(['shown to 899', 'ended', 'closed']);
    expect(folded).toHaveLength(900);
  });

  it('takes nothing more once it was left', async () => {
    folded = [];
    const shown: string[] = [];
    const intake = slow(shown);
    intake.add(many(0, 600));
    intake.after(() => shown.push('ended'));
    const before = folded.length;
    intake.close();
    await new Promise((resolve) => setImmediate(resolve));
    intake.after(() => shown.push('again'));
    expect(folded).toHaveLength(before);
    expect(shown).not.toContain('ended');
  });
});

it('happens at once behind nothing', () => {
  const intake = made();
  let live = false;
  intake.after(() => {
    live = true;
  });
  expect(live).toBe(true);
  expect(taken).toEqual([]);
});

// Protects: while a number changes one run is under way at most, the last text wins, a server that refuses is given its time,
// and the page is at the moment at which the same thing acts.

import { afterAll, afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Event } from '../protocol/events';
import type { EventSink, Program } from '../transport/connection';

const started = vi.hoisted(() => ({
  runs: [] as { source: string; sink: EventSink; closed: boolean; discarded: boolean }[],
}));
vi.mock('../transport/connection', () => ({
  RunConnection: {
    run: (program: Program, sink: EventSink) => {
      const one = { source: program.source, sink, closed: false, discarded: false };
      started.runs.push(one);
      return {
        close: () => {
          one.closed = true;
        },
        discard: () => {
          one.closed = one.discarded = true;
        },
      };
    },
  },
  removeSession: () => {},
}));

// Files share their modules: others load these without the mock.
afterAll(() => vi.resetModules());
vi.resetModules();
const { Run } = await import('../run/run.svelte');
const { sameMoment } = await import('../run/same-moment');
const { Rerun } = await import('./rerun.svelte');
const { Workbench } = await import('./workbench.svelte');

function events(source: string, lines: readonly number[]): Event[] {
  const printed = lines.map((line, at) => ({
    kind: 'output_printed',
    seq: at + 1,
    line,
    stream: 'stdout',
    text: `${source}\n`,
  }));
  return [
    { kind: 'program_started', seq: 0, line: null, source, filename: 'main.py', seed: 0, version: 1 },
    ...printed,
    { kind: 'program_finished', seq: lines.length + 1, line: null, status: 'ok' },
  ] as never;
}

function recorded(source: string, lines: readonly number[]): InstanceType<typeof Run> {
  const run = Run.recorded();
  run.source = source;
  run.take(events(source, lines));
  run.settle();
  return run;
}

let bench: InstanceType<typeof Workbench>;
let rerun: InstanceType<typeof Rerun>;
beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('requestAnimationFrame', (call: () => void) => setTimeout(call, 1));
  started.runs.length = 0;
  bench = new Workbench();
  rerun = new Rerun(bench);
  bench.rerun = rerun;
  bench.edit('a = 1');
  bench.show(recorded('a = 1', [1, 2, 3]), null);
  bench.run!.moveTo(1);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function change(source: string): void {
  bench.edit(source);
  rerun.changed();
}
const last = () => started.runs.at(-1)!;
const finish = (lines: readonly number[] = [1, 2, 3]) => last().sink.events(events(last().source, lines), 100);

it('has one run under way, and runs the last of the texts that came meanwhile', async () => {
  rerun.began();
  change('a = 2');
  change('a = 3');
  change('a = 4');
  expect(started.runs.map(({ source }) => source)).toEqual(['a = 2']);
  expect(bench.stale).toBe(false);
  finish([1, 1, 2, 3]);
  expect(bench.run?.source).toBe('a = 2');
  // Where the same line prints for the first time.
  expect(bench.run?.moment?.line).toBe(2);
  await vi.advanceTimersByTimeAsync(200);
  expect(started.runs.map(({ source }) => source)).toEqual(['a = 2', 'a = 4']);
  finish();
  rerun.ended();
  await vi.advanceTimersByTimeAsync(200);
  expect(rerun.active).toBe(false);
  expect(bench.run?.source).toBe('a = 4');
  expect(bench.run?.cursor).toBe(1);
  // It is held against the run before all of it.
  expect(bench.compare.previous?.source).toBe('a = 1');
});

it('does not start more than ten in a second', async () => {
  rerun.began();
  for (let at = 0; at < 99; at += 1) {
    change(`a = ${at + 2}`);
    if (last().source !== bench.run?.source && !last().closed) finish();
    await vi.advanceTimersByTimeAsync(10);
  }
  expect(started.runs.length).toBeGreaterThan(3);
  expect(started.runs.length).toBeLessThanOrEqual(10);
});

it('waits as long as a server that refuses says, without a word, and runs the text of then', async () => {
  rerun.began();
  change('a = 2');
  last().sink.notices([{ kind: 'refused', reason: 'too many', seconds_left: 2 }]);
  expect(last().closed).toBe(true);
  change('a = 3');
  await vi.advanceTimersByTimeAsync(1900);
  expect(started.runs.length).toBe(1);
  expect(bench.notice).toBeNull();
  await vi.advanceTimersByTimeAsync(200);
  expect(started.runs.map(({ source }) => source)).toEqual(['a = 2', 'a = 3']);
});

it('leaves a long run for a newer text, and shows it as any other once no more changes come', async () => {
  rerun.began();
  change('a = 2');
  await vi.advanceTimersByTimeAsync(1500);
  change('a = 3');
  expect(started.runs[0]!.discarded).toBe(true);
  expect(last().source).toBe('a = 3');
  rerun.ended();
  expect(bench.pending).toBeNull();
  await vi.advanceTimersByTimeAsync(1100);
  expect(rerun.active).toBe(false);
  expect(bench.pending?.source).toBe('a = 3');
});

it('is over at once where the text is what it was', () => {
  rerun.began();
  bench.edit('a = 2');
  change('a = 1');
  expect(rerun.active).toBe(true);
  rerun.ended();
  expect(rerun.active).toBe(false);
  expect(started.runs).toEqual([]);
});

it('finds the moment at which the same thing acts, else the one that is nearest', () => {
  const before = recorded('a', [1, 2, 2, 3]);
  expect(sameMoment(before, 2, recorded('a', [1, 1, 2, 2, 3]))).toBe(3);
  expect(sameMoment(before, 2, recorded('a', [1, 2, 3]))).toBe(1);
  expect(sameMoment(before, 2, recorded('a', [7]))).toBe(0);
  expect(sameMoment(before, -1, recorded('a', [7]))).toBe(-1);
  expect(sameMoment(before, before.length - 1, recorded('a', [1, 2]))).toBe(1);
});

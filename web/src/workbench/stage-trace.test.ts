// Protects: a large trace is in sight while it is read; one that cannot be read leaves what was seen, and says why.

import { beforeEach, expect, it, vi } from 'vitest';
import type { Event } from '../protocol/events';
import { Run } from '../run/run.svelte';
import type { readTrace } from '../trace/trace';

/** The reading that is under way. */
let reading: { deliver: Parameters<typeof readTrace>[1]; done: () => void; fail: (error: Error) => void };
vi.mock('../trace/trace', () => ({
  readTrace: (_: Blob, deliver: Parameters<typeof readTrace>[1], signal: AbortSignal) =>
    new Promise<void>((done, fail) => {
      signal.addEventListener('abort', () => fail(signal.reason));
      reading = { deliver, done, fail };
    }),
}));
vi.mock('../run/intake', async (original) => ({
  ...(await original<typeof import('../run/intake')>()),
  painted: () => Promise.resolve(),
}));
const { StageTrace } = await import('./stage-trace');

const LARGE = 1 << 21;
const printed = (seq: number) => ({ kind: 'output_printed', seq, line: 1, stream: 'stdout', text: '' }) as Event;
const finished = (seq: number) => ({ kind: 'program_finished', seq, line: null, status: 'ok' }) as Event;

const seen = Run.recorded();
const bench = {
  notice: null as { text: string } | null,
  lesson: null,
  run: seen,
  leave() {},
  show(run: Run) {
    bench.run = run;
  },
};
/** Opens a file; resolves once its reading is under way. */
async function opened(): Promise<{ trace: InstanceType<typeof StageTrace>; over: Promise<void> }> {
  const trace = new StageTrace(bench as never);
  const before = reading;
  const over = trace.open(new File([], 'a.backscope'));
  await vi.waitUntil(() => reading !== before);
  return { trace, over };
}
beforeEach(() => {
  bench.run = seen;
  bench.notice = null;
});

it('shows a large file while it is read', async () => {
  const { over } = await opened();
  reading.deliver([printed(0)], 0.1, LARGE);
  expect(bench.run.length).toBe(1);
  expect(bench.run.status).toBe('reading');
  reading.deliver([printed(1), finished(2)], 1, 10);
  reading.done();
  await over;
  expect(bench.run.log).toHaveLength(3);
  expect(bench.run.status).toBe('ok');
});

it('shows a small file once it is read', async () => {
  const { over } = await opened();
  reading.deliver([printed(0), finished(1)], 1, 10);
  expect(bench.run).toBe(seen);
  reading.done();
  await over;
  expect(bench.run.log).toHaveLength(2);
  expect(bench.run.status).toBe('ok');
});

it('keeps what was seen where a small file is damaged', async () => {
  const { over } = await opened();
  reading.deliver([printed(0)], 0.1, 10);
  reading.fail(new Error('damaged'));
  await over;
  expect(bench.run).toBe(seen);
  expect(bench.notice?.text).toBe('a.backscope: damaged');
});

it.each([
  ['damaged', () => reading.fail(new Error('damaged')), 'a.backscope: damaged'],
  ['contradictory', () => reading.deliver([printed(7)], 1, 10), 'contradict each other'],
])('keeps what was read of a large file that is %s further on', async (_, fail, reason) => {
  const { over } = await opened();
  reading.deliver([printed(0)], 0.1, LARGE);
  fail();
  reading.done();
  await over;
  expect(bench.run.length).toBe(1);
  expect(bench.run.status).toBe('unreachable');
  expect(bench.run.connection.reason).toContain(reason);
});

it('keeps what was read where the reading is cancelled', async () => {
  const { trace, over } = await opened();
  reading.deliver([printed(0)], 0.1, LARGE);
  trace.cancel();
  await over;
  expect(bench.run.length).toBe(1);
  expect(bench.run.connection.reason).toBe('The rest of a.backscope was not read.');
  expect(bench.notice).toBeNull();
});

it('reads no further once another run is shown', async () => {
  const { over } = await opened();
  reading.deliver([printed(0)], 0.1, LARGE);
  const { run } = bench;
  bench.run = seen;
  await vi.waitUntil(() => {
    reading.deliver([printed(run.log.length)], 0.2, 10);
    return !run.reading;
  });
  await over;
  expect(bench.run).toBe(seen);
});

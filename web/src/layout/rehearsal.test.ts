// Protects: the rehearsal lays out all that real models bring, in idle times only and in small portions of them, and does
// without where the browser tells of none.

import { afterEach, expect, it, vi } from 'vitest';
import { EventLog } from '../store/log';
import { MirrorLayout } from './mirror';
import { model, rehearse } from './rehearsal';

afterEach(() => vi.unstubAllGlobals());

it('lays out a model with modules, loops and many edges', () => {
  const log = new EventLog();
  const layout = new MirrorLayout(log);
  log.append(model(6));
  const [chunk] = layout.chunks;
  const kinds = new Set(chunk!.frames.map(({ place }) => place.kind));
  expect([...kinds].sort()).toEqual(['loop', 'module', 'round']);
  expect(chunk!.items.length).toBeGreaterThan(200);
  expect(layout.links.every(({ points }) => points.length >= 4)).toBe(true);
  expect(new Set(chunk!.items.map(({ kind }) => kind))).toEqual(new Set(['leaf', 'op', 'again']));
});

it('waits for idle times, and uses each for a portion', async () => {
  const waiting: IdleRequestCallback[] = [];
  vi.stubGlobal('requestIdleCallback', (run: IdleRequestCallback) => waiting.push(run));
  vi.stubGlobal('cancelIdleCallback', () => {});
  let done = false;
  const over = rehearse(() => new EventLog()).then(() => {
    done = true;
  });
  let slices = 0;
  while (!done) {
    await Promise.resolve();
    expect(waiting.length).toBeLessThanOrEqual(1);
    waiting.shift()?.({ didTimeout: false, timeRemaining: () => 3 });
    slices += 1;
  }
  await over;
  // No model is done in one.
  expect(slices).toBeGreaterThan(8);
});

it('does nothing where there are no idle times', async () => {
  vi.stubGlobal('requestIdleCallback', undefined);
  await rehearse(() => new EventLog());
});

// Protects that what lies beside the stage leaves time for it: it follows a frame later, and rests the longer the longer it took.

import { flushSync, tick } from 'svelte';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { deferred } from './deferred.svelte';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'requestAnimationFrame', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** What lags behind a number, and takes a time to show each. */
function following(costs: number) {
  let step = $state(0);
  const shown: number[] = [];
  const stop = $effect.root(() => {
    const late = deferred(
      () => step,
      () => true,
    );
    $effect(() => {
      shown.push(late.current);
      if (late.current > 0) vi.advanceTimersByTime(costs);
    });
  });
  flushSync();
  const go = (to: number) => {
    step = to;
    flushSync();
  };
  return { shown, go, stop };
}

test('the latest comes after the frame', async () => {
  const { shown, go, stop } = following(0);
  go(1);
  go(2);
  expect(shown).toEqual([0]);
  await vi.advanceTimersByTimeAsync(20);
  flushSync();
  expect(shown).toEqual([0, 2]);
  stop();
});

test('what takes long comes more seldom', async () => {
  const { shown, go, stop } = following(50);
  go(1);
  await vi.advanceTimersByTimeAsync(20);
  await tick();
  expect(shown).toEqual([0, 1]);
  go(2);
  await vi.advanceTimersByTimeAsync(100);
  expect(shown).toEqual([0, 1]);
  go(3);
  await vi.advanceTimersByTimeAsync(120);
  await tick();
  expect(shown).toEqual([0, 1, 3]);
  stop();
});

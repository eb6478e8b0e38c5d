// Protects: the making of a file reports its progress, and one that was cancelled brings no file and no message.

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Saving } from './saving.svelte';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('a file that takes long says how far it is, and nothing when it is there', async () => {
  const saving = new Saving();
  let done!: (file: Blob) => void;
  let told!: (share: number) => void;
  const file = saving.make('run.backscope', (tell) => {
    told = tell;
    return new Promise((resolve) => {
      done = resolve;
    });
  });
  told(0.25);
  expect(saving.file).toBeNull();
  await vi.advanceTimersByTimeAsync(1000);
  expect(saving.file).toEqual({ name: 'run.backscope', share: 0.25 });
  told(0.5);
  expect(saving.file?.share).toBe(0.5);
  const blob = new Blob(['x']);
  done(blob);
  expect(await file).toBe(blob);
  expect(saving.file).toBeNull();
});

test('one that is called off, or gives way to another, comes to nothing', async () => {
  const saving = new Saving();
  const untilCalledOff = (_: unknown, signal: AbortSignal) =>
    new Promise<Blob>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
    });
  const first = saving.make('a', untilCalledOff);
  const second = saving.make('b', untilCalledOff);
  expect(await first).toBeNull();
  await vi.advanceTimersByTimeAsync(1000);
  expect(saving.file).toEqual({ name: 'b', share: null });
  saving.cancel();
  expect(saving.file).toBeNull();
  expect(await second).toBeNull();
});

test('what goes wrong is told', async () => {
  const saving = new Saving();
  await expect(saving.make('a', () => Promise.reject(new Error('away')))).rejects.toThrow('away');
  expect(saving.file).toBeNull();
});

// Protects: playing goes moment by moment at its speed, stops where it was told to, and waits for a program that runs.

import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { momentDuration, Playback } from './playback.svelte';
import type { Run } from './run.svelte';

class Scripted {
  cursor = -1;
  length = 4;
  status = 'ok';
  finished = true;
  moment = { phase: 'forward' };
  get atEnd() {
    return this.cursor >= this.length - 1;
  }
  stepUnit(_unit: string, by: number, until: number | null) {
    this.cursor = Math.min(this.cursor + by, until ?? this.length - 1);
  }
  moveTo(cursor: number) {
    this.cursor = cursor;
  }
}

let scripted: Scripted;
let run: Run;
let playback: Playback;
const tick = momentDuration('forward', 1);

beforeEach(() => {
  vi.useFakeTimers();
  localStorage.clear();
  scripted = new Scripted();
  run = scripted as unknown as Run;
  playback = new Playback();
});
afterEach(() => {
  vi.useRealTimers();
});

it('plays to the end and starts over from there', () => {
  playback.play(run);
  expect(scripted.cursor).toBe(0);
  vi.advanceTimersByTime(tick * 10);
  expect(scripted.cursor).toBe(3);
  expect(playback.playing).toBe(false);
  playback.play(run);
  expect(scripted.cursor).toBe(0);
});

it('stops at the moment that was named', () => {
  playback.play(run, 1);
  vi.advanceTimersByTime(tick * 10);
  expect(scripted.cursor).toBe(1);
  expect(playback.playing).toBe(false);
});

it('waits at the end of a program that still runs', () => {
  scripted.status = 'running';
  scripted.finished = false;
  playback.play(run);
  vi.advanceTimersByTime(tick * 10);
  expect(playback.playing).toBe(true);
  scripted.length = 6;
  vi.advanceTimersByTime(tick * 2);
  expect(scripted.cursor).toBe(5);
  playback.pause();
});

it('goes faster at a higher speed and remembers it', () => {
  playback.choose(4);
  playback.play(run);
  vi.advanceTimersByTime(tick / 4);
  expect(scripted.cursor).toBe(1);
  playback.pause();
  expect(new Playback().speed).toBe(4);
});

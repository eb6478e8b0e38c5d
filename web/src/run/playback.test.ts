// Protects: playing goes moment by moment at its speed, stops where it was told to, and waits for a program that runs.

import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Playback } from './playback.svelte';
import type { Run } from './run.svelte';
import { gestureWithin, readSpeed, SPEEDS, stepDuration } from './speed';

class Scripted {
  cursor = -1;
  length = 4;
  grows = false;
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
const tick = stepDuration('reading', 'forward', () => '');

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
  scripted.grows = true;
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
  playback.choose('fast');
  playback.play(run);
  vi.advanceTimersByTime(stepDuration('fast', 'forward', () => ''));
  expect(scripted.cursor).toBe(1);
  playback.pause();
  expect(new Playback().speed).toBe('fast');
});

it('shows a step at reading speed until its sentence is read', () => {
  const caption = 'x'.repeat(100);
  playback.caption = () => caption;
  expect(playback.speed).toBe('reading');
  expect(playback.durationOf(run)).toBe(350 + 45 * 100);
  playback.play(run);
  vi.advanceTimersByTime(350 + 45 * 100 - 1);
  expect(scripted.cursor).toBe(0);
  vi.advanceTimersByTime(1);
  expect(scripted.cursor).toBe(1);
  playback.choose('normal');
  expect(playback.durationOf(run)).toBe(450);
  playback.pause();
});

it('gives a step the time of its motion where the sentence is short', () => {
  for (const phase of ['forward', 'backward']) {
    const usual = stepDuration('normal', phase, () => '');
    expect(stepDuration('reading', phase, () => 'y = 6.')).toBe(Math.max(usual, 790));
  }
  expect(gestureWithin(stepDuration('reading', 'backward', () => ''))).toBe(0.8 * 900);
});

it('plays at the speed that was chosen before, and at reading pace where what is stored is none', () => {
  expect(['reading', 'normal', 'fast', null, '', 'x', '4'].map(readSpeed)).toEqual([...SPEEDS, null, null, null, null]);
  localStorage.setItem('backscope.speed', 'fast');
  expect(new Playback().speed).toBe('fast');
});

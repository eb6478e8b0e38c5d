// Protects: a film shows each step as long as playing does, and its last one no shorter.

import { expect, it } from 'vitest';
import type { Run } from '../run/run.svelte';
import { SPEEDS, stepDuration } from '../run/speed';
import type { Scene } from '../scene/scene';
import { shotsOf } from './reel';

const NOTHING = {} as Scene['effects'];
const PHASES = ['forward', 'forward', 'backward', 'backward'];
const CAPTIONS = ['', 'y = w * x', 'z'.repeat(130), 'w.grad was 0; adding 3 gives 3.'];
const run = { timeline: { moments: PHASES.map((phase) => ({ phase })) } } as unknown as Run;

it.each(SPEEDS)('keeps the pace of %s', (speed) => {
  const shots = shotsOf(
    run,
    { from: 0, to: 3, speed },
    () => NOTHING,
    (cursor) => CAPTIONS[cursor]!,
  );
  const lasting = PHASES.map((_, at) =>
    shots.filter(({ cursor }) => cursor === at).reduce((sum, { durationMs }) => sum + durationMs, 0),
  );
  const played = PHASES.map((phase, at) => stepDuration(speed, phase, () => CAPTIONS[at]!));
  expect(lasting.slice(0, 3)).toEqual(played.slice(0, 3));
  expect(lasting[3]).toBe(Math.max(1500, played[3]!));
});

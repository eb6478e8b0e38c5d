// Protects: a moment whose ops are not placed yet, as when a link opens a long run within a recomputation, can be shown.

import { expect, it } from 'vitest';
import { MirrorLayout } from '../../layout/mirror';
import type { Pace } from '../../layout/pace/slices';
import { goldens } from '../../protocol/goldens';
import { EventLog } from '../../store/log';
import { Timeline } from '../../timeline/timeline';
import { buildScene } from '../scene';

const PROGRAMS = goldens().filter(([name]) => name.includes('checkpoint'));

it.each(PROGRAMS)('%s is shown at each recomputation, however little is placed', (_, events) => {
  const log = new EventLog();
  const timeline = new Timeline(log);
  const slices: (() => void)[] = [];
  const pace: Pace = { begin() {}, over: () => true, next: (run) => slices.push(run), stop() {} };
  const layout = new MirrorLayout(log, pace);
  log.append(events);
  const recomputations = events.filter(({ kind }) => kind === 'recomputation_started');
  expect(recomputations).not.toHaveLength(0);
  const states = recomputations.map(({ seq }) => timeline.stateAt(timeline.momentOfSeq(seq)));
  let early = 0;
  do {
    for (const state of states) {
      const { effects, focus, reach } = buildScene(state, layout, { selection: null, hover: null });
      const acting = [...effects.touching, ...effects.bringing, ...effects.sending, effects.waking ?? 0];
      expect(Math.min(...acting)).toBeGreaterThanOrEqual(0);
      if (focus === null && reach === null) early += 1;
    }
    slices.shift()?.();
  } while (slices.length > 0);
  expect(early).toBeGreaterThan(0);
  for (const state of states) {
    expect(buildScene(state, layout, { selection: null, hover: null }).focus).not.toBeNull();
  }
});

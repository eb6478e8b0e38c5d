// Protects: the sum of a step is beside what computes it, with the numbers that are brought to it from where they are seen.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { stepSum } from '../../formulas/step-sum';
import { MirrorLayout } from '../../layout/mirror';
import { goldens } from '../../protocol/goldens';
import type { OpEntry } from '../../run/api';
import { EventLog } from '../../store/log';
import { Timeline } from '../../timeline/timeline';
import { buildScene } from '../scene';
import { keyOf, targetOf } from '../target';

const FILE = join(import.meta.dirname, '../../../../tests/golden/sentences/ops.json');
const OPS = JSON.parse(readFileSync(FILE, 'utf8')) as OpEntry[];

function scenesOf(golden: string, isFolded = false) {
  const log = new EventLog();
  const timeline = new Timeline(log);
  const layout = new MirrorLayout(log);
  log.append([...goldens()].find(([name]) => name === golden)![1]);
  layout.commit();
  const folds = new Map(
    layout.chunks.flatMap(({ frames }) => frames).map(({ place }) => [keyOf(targetOf(place)), isFolded]),
  );
  return timeline.moments.map(({ index }) => {
    const state = timeline.stateAt(index);
    return buildScene(state, layout, {
      selection: null,
      hover: null,
      folds: isFolded ? folds : new Map(),
      sum: stepSum(state, OPS),
    });
  });
}

it('is above or beside its node, and takes the gradient and what is saved', () => {
  const scene = scenesOf('01_first_backward').find(({ state }) =>
    state.events.some((event) => event.kind === 'node_started' && state.node(event.node)?.name === 'MulBackward0'),
  )!;
  const [sum] = scene.notes.filter(({ lines }) => lines);
  expect(sum!.text).toBe('1 × x = 1 × 3 = 3');
  expect(sum!.brought!.map(({ text, tone }) => [text, tone])).toEqual([
    ['1', 'gradient'],
    ['3', 'saved'],
  ]);
  expect(scene.effects.taking).toBe(true);
  expect(scene.notes.filter(({ quiet }) => quiet).map(({ text }) => text)).toEqual(['freed 4 B']);
});

it('is one for each step that computes something', () => {
  for (const scene of scenesOf('14_broadcasting')) {
    const sums = scene.notes.filter(({ lines }) => lines);
    expect(sums.length).toBe(scene.options.sum ? 1 : 0);
    if (sums[0]?.tone === 'forward') expect(sums[0].brought).toBeUndefined();
  }
});

it('is above a closed box that hides what computes it, and names that', () => {
  const scenes = scenesOf('22_module_hooks', true);
  const sums = scenes.flatMap(({ notes }) => notes.filter(({ lines }) => lines));
  expect(sums.length).toBe(scenes.filter(({ options }) => options.sum).length);
  const [hidden] = sums.filter(({ text }) => text.startsWith('MulBackward0: '));
  expect(hidden!.text).toBe('MulBackward0: 1 × 2 = 2');
  expect(hidden!.lines!.flat().every((step) => step.startsWith('MulBackward0: '))).toBe(true);
  expect(hidden!.brought).toBeUndefined();
});

// Protects: at the end of a pass there is a question about a leaf that it reached, with its number.

import { expect, it } from 'vitest';
import { goldens } from '../protocol/goldens';
import { Run } from '../run/run.svelte';
import { isAtEnd, questionAt } from './what-next';

function runOf(name: string): Run {
  const [, events] = goldens().find(([one]) => one === name)!;
  const run = Run.recorded();
  run.take([...events]);
  return run;
}

it('asks about a gradient by its name and number, once the pass is over', () => {
  const run = runOf('01_first_backward');
  run.moveTo(0);
  expect(isAtEnd(run)).toBe(false);
  expect(questionAt(run)).toBeNull();
  run.moveTo(run.timeline.moments.findIndex(({ kind }) => kind === 'backward_finished'));
  expect(isAtEnd(run)).toBe(true);
  const asked = questionAt(run)!;
  expect(asked.text).toBe('Why is w.grad 3?');
  expect(asked.keys).toEqual(['grad_value']);
  expect(run.state.tensor(asked.about.tensor!)?.name).toBe('w');
  run.moveTo(run.length - 1);
  expect(isAtEnd(run)).toBe(true);
  expect(questionAt(run)?.text).toBe('Why is w.grad 3?');
});

it('asks why a run failed, and nothing of one without a pass', () => {
  const failed = runOf('15_in_place_error');
  failed.moveTo(failed.length - 1);
  expect(questionAt(failed)?.text).toBe('Why did the RuntimeError happen?');
  expect(questionAt(failed)?.keys).toEqual(['caught', 'error']);
  const plain = runOf('02_no_backward');
  plain.moveTo(plain.length - 1);
  expect(isAtEnd(plain)).toBe(true);
  expect(questionAt(plain)).toBeNull();
});

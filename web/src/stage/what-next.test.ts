// Protects: at the end of a pass there is a question about a leaf that it reached, with its number.

import { expect, it } from 'vitest';
import { atOnce } from '../find/work-slices';
import { noticed } from '../noticed/noticed';
import { goldens } from '../protocol/goldens';
import { Run } from '../run/run.svelte';
import { isAtEnd } from './run-end';
import { endingError, questionAt, questionOfNote, questionOfRun } from './what-next';

function runOf(name: string): Run {
  const [, events] = goldens().find(([one]) => one === name)!;
  const run = Run.recorded();
  run.take([...events]);
  run.settle();
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
  expect(asked.keys).toEqual(['grad_small', 'grad_value']);
  expect(run.state.tensor(asked.about.tensor!)?.name).toBe('w');
  run.moveTo(run.length - 1);
  expect(isAtEnd(run)).toBe(true);
  expect(questionAt(run)?.text).toBe('Why is w.grad 3?');
});

it('asks why a run failed, and why a leaf has no gradient where no pass ran', () => {
  const failed = runOf('15_in_place_error');
  failed.moveTo(failed.length - 1);
  expect(questionAt(failed)?.text).toBe('Why did the RuntimeError happen?');
  expect(questionAt(failed)?.keys).toEqual(['caught', 'error']);
  const plain = runOf('02_no_backward');
  plain.moveTo(plain.length - 1);
  expect(isAtEnd(plain)).toBe(true);
  expect(questionAt(plain)?.text).toBe('Why is A.grad None?');
  expect(questionAt(plain)?.keys).toEqual(['grad_none']);
});

it('asks nothing of a text that is not Python, of gradients that the program emptied, and of what a pass began at', () => {
  const broken = runOf('syntax_error');
  broken.moveTo(broken.length - 1);
  expect(questionAt(broken)).toBeNull();
  expect(endingError(broken)?.stage).toBe('syntax');
  const emptied = runOf('17_mlp');
  emptied.moveTo(emptied.length - 1);
  expect(questionAt(emptied)).toBeNull();
  const cut = runOf('27_history_cut');
  cut.moveTo(cut.length - 1);
  expect(questionAt(cut)?.text).toBe('Why did the RuntimeError happen?');
});

it('prefers what explains more of the run than a gradient', () => {
  const about = { tensor: null, node: null };
  const memory = { key: 'memory', text: 'Why does memory keep growing?', about };
  expect(questionOfRun([{ key: 'error', text: 'Why?', about }, memory])?.text).toBe(memory.text);
  expect(questionOfRun([])).toBeNull();
  const run = runOf('35_gan_step');
  run.moveTo(run.length - 1);
  const notes = atOnce(noticed(run.log, run.timeline.history, run.firstNans));
  expect(questionOfNote(run, notes)?.text).toBe('Why is generator.weight.grad None?');
  expect(questionOfNote(run, [])).toBeNull();
});

// Protects: only an edit of a program has the run before as its baseline, and no more than one run is kept for that.

import { expect, it } from 'vitest';
import { Run } from '../run/run.svelte';
import { Compare, MOST_BYTES } from './compare.svelte';
import { isEditOf } from './kin';

const PROGRAM = 'import torch\n\nw = torch.tensor(2.0, requires_grad=True)\ny = w * w\ny.backward()\n';

function ran(source: string): Run {
  const run = Run.recorded();
  run.source = source;
  run.take([
    { kind: 'program_started', seq: 0, line: null, source, filename: 'main.py', seed: 0, version: 1 } as never,
    { kind: 'output_printed', seq: 1, line: 1, stream: 'stdout', text: 'a\n' } as never,
    { kind: 'program_finished', seq: 2, line: null, status: 'ok' } as never,
  ]);
  run.settle();
  return run;
}

it('takes a program with most lines in common for an edit of it', () => {
  expect(isEditOf(PROGRAM, PROGRAM.replace('2.0', '3.0'))).toBe(true);
  expect(isEditOf(PROGRAM, `# moved\n\n${PROGRAM.replace('y = w * w\n', '')}`)).toBe(true);
  expect(isEditOf(PROGRAM, 'print(1)\nprint(2)\nprint(3)\n')).toBe(false);
  expect(isEditOf(PROGRAM, '')).toBe(false);
});

it('keeps the run before an edit, once, and none of another program', () => {
  const compare = new Compare();
  const first = ran(PROGRAM);
  compare.succeed(null, first);
  expect(compare.base).toBeNull();
  const second = ran(PROGRAM.replace('2.0', '3.0'));
  compare.succeed(first, second);
  expect(compare.base).toBe(first);
  // Run again as it is, it is still held against the one before the edit.
  const again = ran(second.source);
  compare.succeed(second, again);
  expect(compare.base).toBe(first);
  const third = ran(PROGRAM.replace('2.0', '4.0'));
  compare.succeed(again, third);
  expect(compare.base).toBe(again);
  // An example that is opened is another program, however much it has in common.
  compare.leaveProgram();
  const other = ran(PROGRAM.replace('2.0', '5.0'));
  compare.succeed(third, other);
  expect(compare.base).toBeNull();
  // A program that is written anew, line by line.
  compare.succeed(other, ran('print(1)\n'));
  expect(compare.base).toBeNull();
});

it('keeps no run that takes too much memory, and knows how much it is', () => {
  const compare = new Compare();
  const [first, second, third] = ['2.0', '3.0', '4.0'].map((number) => ran(PROGRAM.replace('2.0', number)));
  first!.nbytes = MOST_BYTES + 1;
  compare.succeed(first!, second!);
  expect(compare.base).toBeNull();
  expect(compare.tooLarge).toBe(MOST_BYTES + 1);
  second!.nbytes = MOST_BYTES;
  compare.succeed(second!, third!);
  expect(compare.base).toBe(second);
  expect(compare.tooLarge).toBeNull();
});

it('prefers the baseline that was chosen', () => {
  const compare = new Compare();
  const [first, second, chosen] = [ran(PROGRAM), ran(PROGRAM.replace('2.0', '3.0')), ran('print(1)\n')];
  compare.keep(chosen, 'mine');
  compare.succeed(first, second);
  expect(compare.base).toBe(chosen);
});

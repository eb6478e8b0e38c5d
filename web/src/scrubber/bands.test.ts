// Protects: the bands tell forward from each backward pass, and a place on the track is the moment drawn there.

import { describe, expect, it } from 'vitest';
import type { Moment } from '../timeline/moments';
import { Bands, breakpointMarks, lineRuns, Marks } from './bands';

const bands = (all: readonly Moment[]) => new Bands().of(all);

function moments(...kinds: [kind: string, phase: string][]): Moment[] {
  return kinds.map(([kind, phase], index) => ({ kind, phase, index, call: null }) as unknown as Moment);
}

const twoPasses = moments(
  ['tensor_created', 'forward'],
  ['op_applied', 'forward'],
  ['backward_started', 'backward'],
  ['node_started', 'backward'],
  ['output_printed', 'other'],
  ['backward_started', 'backward'],
);

describe('the track', () => {
  it('joins phases and numbers the passes', () => {
    expect(bands(twoPasses)).toEqual([
      { from: 0, to: 1, phase: 'forward', pass: null },
      { from: 2, to: 3, phase: 'backward', pass: 1 },
      { from: 4, to: 4, phase: 'forward', pass: null },
      { from: 5, to: 5, phase: 'backward', pass: 2 },
    ]);
  });

  it('has no phases where nothing is computed', () => {
    expect(bands(moments(['error_raised', 'other']))).toEqual([]);
    expect(bands(moments(['output_printed', 'other'], ['tensor_created', 'forward']))).toEqual([
      { from: 0, to: 1, phase: 'forward', pass: null },
    ]);
  });

  it('marks the moments of all breakpoints in order, each once', () => {
    const ran: Record<number, number[]> = { 7: [2, 6, 9], 3: [1, 5, 8] };
    const marked = breakpointMarks([7, 3, 7], (line) => ran[line]!);
    expect(marked.map(({ index }) => index)).toEqual([1, 2, 5, 6, 8, 9]);
    expect(breakpointMarks([], () => [])).toEqual([]);
  });

  it('tells passes that follow each other from one that runs inside another', () => {
    const passes = (...told: [kind: string, call: number][]) =>
      bands(
        moments(...told.map(([kind]): [string, string] => [kind, 'backward'])).map((moment, i) => ({
          ...moment,
          call: told[i]![1],
        })),
      );
    const [one, two] = [1, 2].map(
      (call) =>
        [
          ['backward_started', call],
          ['backward_finished', call],
        ] as [string, number][],
    );
    expect(passes(...one!, ...two!).map(({ to, pass }) => [to, pass])).toEqual([
      [1, 1],
      [3, 2],
    ]);
    expect(
      passes(['backward_started', 1], ['backward_started', 2], ['node_started', 2], ['node_started', 1]),
    ).toHaveLength(1);
    expect(passes(['backward_started', 1], ['error_raised', 1], ['backward_started', 2])).toHaveLength(2);
  });

  it('ends a pass with the error that stopped it', () => {
    const failed = moments(['backward_started', 'backward'], ['node_started', 'backward'], ['error_raised', 'other']);
    failed[2]!.call = 1;
    expect(bands(failed)).toEqual([{ from: 0, to: 2, phase: 'backward', pass: 1 }]);
  });

  it('marks backward passes and prints', () => {
    expect(new Marks().of(twoPasses).map((mark) => mark.kind)).toEqual(['backward', 'output', 'backward']);
  });

  it('is the same however its moments come, and follows others that take their place', () => {
    const [kept, marks] = [new Bands(), new Marks()];
    for (const all of [twoPasses, moments(['error_raised', 'other']), twoPasses.map((one) => ({ ...one }))]) {
      for (let length = 0; length <= all.length; length += 1) {
        const some = all.slice(0, length);
        expect(kept.of(some)).toEqual(bands(some));
        expect(marks.of(some)).toEqual(new Marks().of(some));
      }
      expect(kept.of(all.slice(0, 1))).toEqual(bands(all.slice(0, 1)));
    }
  });

  it('marks an error as caught once the program is known to have gone on', () => {
    const marks = new Marks();
    const failed = moments(['error_raised', 'other']);
    expect(marks.of(failed)).toEqual([{ index: 0, kind: 'error' }]);
    expect(marks.of(failed, () => true)).toEqual([{ index: 0, kind: 'caught' }]);
  });

  it('joins neighbours that one line made', () => {
    const made = [3, 3, null, 3, 4].map((line, index) => ({ index, line })) as unknown as Moment[];
    expect(lineRuns(made, 0, 9)).toEqual([
      { from: 0, to: 1, line: 3 },
      { from: 3, to: 3, line: 3 },
      { from: 4, to: 4, line: 4 },
    ]);
    expect(lineRuns(made, 1, 1)).toEqual([{ from: 1, to: 1, line: 3 }]);
  });
});

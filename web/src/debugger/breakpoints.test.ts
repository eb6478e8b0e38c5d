// Protects: breakpoints move with the text, the running program keeps its own lines, and refusals stay where they belong.

import { describe, expect, it } from 'vitest';
import { Breakpoints } from './breakpoints.svelte';

const line = (number: number) => ({ on: 'line', line: number }) as const;
const linesOf = (breakpoints: Breakpoints) => [...breakpoints.inFile().keys()];

describe('the breakpoints', () => {
  it('are set once at a place and taken away by the same click', () => {
    let told = 0;
    const breakpoints = new Breakpoints(() => {
      told += 1;
    });
    const first = breakpoints.add(line(3));
    expect(breakpoints.add(line(3))).toBe(first);
    breakpoints.toggle({ on: 'non_finite' });
    expect(breakpoints.sent()).toEqual([
      { on: 'line', line: 3, id: 1, hits: 1 },
      { on: 'non_finite', id: 2, hits: 1 },
    ]);
    breakpoints.toggle(line(3));
    breakpoints.change(2, { enabled: false });
    expect(breakpoints.sent()).toEqual([]);
    expect(told).toBe(4);
  });

  it('move with an edit; the program that runs keeps its lines', () => {
    const breakpoints = new Breakpoints();
    for (const number of [3, 4, 8]) breakpoints.add(line(number));
    breakpoints.begin();
    // Two lines are written above, and line 4 is deleted.
    breakpoints.edit((number) => (number === 4 ? null : number + 2));
    expect(linesOf(breakpoints)).toEqual([5, 10]);
    expect(breakpoints.sent().map((sent) => sent.on === 'line' && sent.line)).toEqual([3, 8]);
    // A line that only the edited text has waits for the next run.
    breakpoints.add(line(7), { edited: true });
    expect(breakpoints.sent()).toHaveLength(2);
    expect(breakpoints.begin().map((sent) => sent.on === 'line' && sent.line)).toEqual([5, 10, 7]);
    // Two lines become one.
    breakpoints.edit(() => 1);
    expect(linesOf(breakpoints)).toEqual([1]);
  });

  it('of a terminal are listed, removed on either side, and neither sent nor kept for the next run', () => {
    let told = 0;
    const breakpoints = new Breakpoints(() => {
      told += 1;
    });
    breakpoints.add(line(3));
    const terminal = [
      { on: 'line', line: 5, id: 101, condition: 'i > 2' } as const,
      { on: 'op', name: 'mul', id: 102 } as const,
    ];
    breakpoints.share({ terminal, removed: [] });
    expect(linesOf(breakpoints)).toEqual([3, 5]);
    expect(breakpoints.sent().map(({ id }) => id)).toEqual([1]);
    expect(told).toBe(1);
    breakpoints.toggle(line(5));
    expect(breakpoints.removed).toEqual([101]);
    expect(told).toBe(2);
    // What was on its way when the reader removed it.
    breakpoints.share({ terminal, removed: [] });
    expect(breakpoints.all.map(({ id }) => id)).toEqual([1, 102]);
    // The terminal removes the page's.
    breakpoints.share({ terminal: terminal.slice(1), removed: [1] });
    expect(breakpoints.all.map(({ id }) => id)).toEqual([102]);
    expect(told).toBe(3);
    breakpoints.begin();
    expect(breakpoints.all).toEqual([]);
  });

  it('keep what the program says of an unknown name, until they are changed or run again', () => {
    const breakpoints = new Breakpoints();
    breakpoints.add({ on: 'op', name: 'mull' });
    breakpoints.add({ on: 'op', name: 'mul' });
    const note = 'No op or grad_fn is named mull so far; the breakpoint waits for one. Did you mean mul?';
    const placed = () =>
      breakpoints.placed({ answer: 'breakpoints_set', id: 0, places: [], pending: [{ id: 1, note }] });
    const notes = () => breakpoints.all.map((one) => one.note);
    placed();
    expect(notes()).toEqual([note, null]);
    breakpoints.change(1, { hits: 2 });
    expect(notes()).toEqual([null, null]);
    placed();
    breakpoints.begin();
    expect(notes()).toEqual([null, null]);
  });

  it('go where the program says that they came to be, and keep its reasons', () => {
    const breakpoints = new Breakpoints();
    for (const number of [2, 5, 6, 99]) breakpoints.add(line(number));
    breakpoints.begin();
    breakpoints.placed({
      answer: 'breakpoints_set',
      id: 0,
      places: [
        { id: 1, line: 3 },
        { id: 2, line: 6 },
        { id: 3, line: 6 },
      ],
      unusable: [{ id: 4, reason: 'No statement begins at line 99 or after it.' }],
    });
    expect(linesOf(breakpoints)).toEqual([3, 6, 99]);
    expect(breakpoints.all.map(({ problem }) => problem)).toEqual([
      null,
      null,
      expect.stringContaining('No statement'),
    ]);
    breakpoints.change(4, { enabled: false });
    expect(breakpoints.all.at(-1)?.problem).toBeNull();
  });

  it('on lines of other files have lines of their own, which edits of the main file leave alone', () => {
    const breakpoints = new Breakpoints();
    const other = { on: 'line', line: 3, file: 'layers.py' } as const;
    breakpoints.add(line(3));
    breakpoints.add(other);
    breakpoints.begin();
    breakpoints.edit((number) => number + 2);
    expect(linesOf(breakpoints)).toEqual([5]);
    expect([...breakpoints.inFile('layers.py').keys()]).toEqual([3]);
    breakpoints.placed({
      answer: 'breakpoints_set',
      id: 0,
      places: [
        { id: 1, line: 3 },
        { id: 2, line: 4, file: 'layers.py' },
      ],
      pending: [{ id: 2, note: 'It waits.' }],
    });
    expect(breakpoints.all.map(({ point, note }) => [point, note])).toEqual([
      [{ on: 'line', line: 5 }, null],
      [{ on: 'line', line: 4, file: 'layers.py' }, 'It waits.'],
    ]);
    breakpoints.toggle({ on: 'line', line: 4, file: 'layers.py' });
    expect(breakpoints.inFile('layers.py').size).toBe(0);
  });

  it('leave with the program that they belong to, but for those that any program may meet', () => {
    const breakpoints = new Breakpoints();
    breakpoints.load(
      [line(1), { on: 'node', node: 5, when: 'after' } as const, { on: 'hook' } as const].map((point) => ({
        point,
        enabled: true,
        condition: '',
        hits: 1,
      })),
    );
    breakpoints.stopped([1, 1, 3]);
    expect([...breakpoints.stops]).toEqual([
      [1, 2],
      [3, 1],
    ]);
    breakpoints.forgetProgram();
    expect(breakpoints.all.map(({ point }) => point.on)).toEqual(['hook']);
  });
});

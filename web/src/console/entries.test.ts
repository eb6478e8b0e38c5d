// Protects: the console shows what was said up to the cursor, each error once, and output in whole rows.

import { describe, expect, it } from 'vitest';
import type { Event } from '../protocol/events';
import { logged } from '../store/logged';
import { Entries, judged, rows } from './entries';

const error = { kind: 'error_raised', line: 3, stage: 'engine', type: 'RuntimeError', message: 'no', diagnosis: null };
const events = [
  { kind: 'program_started', seq: 0, line: null },
  { kind: 'output_printed', seq: 1, line: 1, stream: 'stdout', text: 'x is ' },
  { kind: 'output_printed', seq: 2, line: 1, stream: 'stdout', text: '3\n' },
  { kind: 'warning_raised', seq: 3, line: 2, category: 'UserWarning', message: 'non-leaf' },
  { ...error, seq: 4 },
  { ...error, seq: 5, stage: 'program' },
] as unknown as Event[];

describe('console entries', () => {
  it('tells each error once', () => {
    const entries = new Entries(logged(events)).update();
    expect(entries.map((entry) => entry.tone)).toEqual(['stdout', 'stdout', 'warning', 'error']);
  });

  it('counts those at a moment and reads on as the log grows', () => {
    const growing = logged(events.slice(0, 2));
    const entries = new Entries(growing);
    expect(entries.update()).toHaveLength(1);
    growing.append(events.slice(2));
    expect(entries.update()).toHaveLength(4);
    expect([-1, 0, 1, 2, 3, 9].map((seq) => entries.countAt(seq))).toEqual([0, 0, 1, 2, 3, 4]);
  });

  it('tells an error that is raised again, and which one the program caught', () => {
    const again = [
      { ...error, seq: 0 },
      { kind: 'output_printed', seq: 1, line: 1, stream: 'stdout', text: 'on\n' },
    ];
    const twice = [...again, { ...error, seq: 2 }, { ...error, seq: 3, stage: 'program' }] as unknown as Event[];
    const entries = judged(new Entries(logged(twice)).update(), { isCaught: ({ seq }) => seq === 0 });
    expect(entries.map(({ tone, seq }) => `${tone} ${seq}`)).toEqual(['caught 0', 'stdout 1', 'error 2']);
    expect(entries[0]!.heading).toBe('RuntimeError, caught by the program');
  });

  it('joins output until a newline', () => {
    const made = rows(new Entries(logged(events)).update());
    expect(made.map((row) => row.text)).toEqual(['x is 3\n', 'non-leaf', 'no']);
  });
});

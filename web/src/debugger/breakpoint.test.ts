// Protects: a link brings back every kind of breakpoint exactly, and nothing that is not one.

import { describe, expect, it } from 'vitest';
import { type LinkedBreakpoint, stopPointOf, writeBreakpoint } from './breakpoint';
import { readBreakpoint } from './linked-breakpoint';
import { stopPointText } from './stop-point-text';

const names = {
  node: (id: number) => (id === 5 ? 'MulBackward0' : null),
  tensor: (id: number) => (id === 3 ? 'w' : null),
};
const plain = { enabled: true, condition: '', hits: 1 };
const ALL: [string, LinkedBreakpoint, string][] = [
  ['line:7', { ...plain, point: { on: 'line', line: 7 } }, 'line 7'],
  [
    'line:7:parts%2Fnet.py',
    { ...plain, point: { on: 'line', line: 7, file: 'parts/net.py' } },
    'line 7 of parts/net.py',
  ],
  ['!line:7*3?i > 2', { point: { on: 'line', line: 7 }, enabled: false, condition: 'i > 2', hits: 3 }, 'line 7'],
  ['op:ExpBackward0', { ...plain, point: { on: 'op', name: 'ExpBackward0' } }, 'ExpBackward0, wherever it runs'],
  ['node:5:before', { ...plain, point: { on: 'node', node: 5, when: 'before' } }, 'before MulBackward0 runs'],
  ['node:6:after', { ...plain, point: { on: 'node', node: 6, when: 'after' } }, 'after node 6 runs'],
  ['tensor:3:gradient', { ...plain, point: { on: 'tensor', tensor: 3, when: 'gradient' } }, 'w gets its gradient'],
  ['name:3:created', { ...plain, point: { on: 'tensor', tensor: '3', when: 'created' } }, '3 is created'],
  ['nan', { ...plain, point: { on: 'non_finite' } }, 'the first NaN or Inf'],
  ['norm:1e-8:', { ...plain, point: { on: 'gradient_norm', above: 1e-8 } }, 'gradient norm above 1e-8'],
  [
    'norm:100:0.5',
    { ...plain, point: { on: 'gradient_norm', above: 100, below: 0.5 } },
    'gradient norm above 100 or below 0.5',
  ],
  ['freed', { ...plain, point: { on: 'freed' } }, 'a node frees what it saved'],
  ['hook:a%20%2Ab%3F%21%3A', { ...plain, point: { on: 'hook', name: 'a *b?!:' } }, 'the hook a *b?!: ran'],
  ['exception:ValueError', { ...plain, point: { on: 'exception', type: 'ValueError' } }, 'ValueError is raised'],
  ['exception?a*b == "?"', { ...plain, point: { on: 'exception' }, condition: 'a*b == "?"' }, 'an exception is raised'],
];

describe('a breakpoint as text', () => {
  it.each(ALL)('%s', (text, breakpoint, words) => {
    expect(writeBreakpoint(breakpoint)).toBe(text);
    expect(readBreakpoint(text)).toEqual(breakpoint);
    expect(stopPointText(breakpoint.point, names)).toBe(words);
  });

  it.each([
    '',
    'line',
    'line:0',
    'line:x',
    'line:7:',
    'line:7:a.py:8',
    'line:7*0',
    'line:7?',
    'node:5',
    'node:5:during',
    'tensor:w:gradient',
    'tensor:3:eaten',
    'norm',
    'norm::',
    'norm:x:',
    'norm:NaN:',
    'freed:a:b',
    'op',
    'op:%',
    'nan:1',
    'unknown:1',
    `op:${'a'.repeat(9000)}`,
    `line:7?${'a'.repeat(4097)}`,
  ])('takes no %s', (text) => {
    expect(readBreakpoint(text)).toBeNull();
  });
});

describe('a thing on the stage', () => {
  it('is stopped at before it runs, a tensor when its gradient comes', () => {
    expect(stopPointOf({ type: 'node', node: 5 })).toEqual({ on: 'node', node: 5, when: 'before' });
    expect(stopPointOf({ type: 'saved', node: 5, slot: '_saved_self' })).toEqual({
      on: 'node',
      node: 5,
      when: 'before',
    });
    expect(stopPointOf({ type: 'tensor', tensor: 3 })).toEqual({ on: 'tensor', tensor: 3, when: 'gradient' });
    expect(stopPointOf({ type: 'loop', loop: 1, round: 0 })).toBeNull();
    expect(stopPointOf(null)).toBeNull();
  });
});

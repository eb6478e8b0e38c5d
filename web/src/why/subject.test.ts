// Protects: the subject of a question follows from the selection, and an answer can be found again by its link.

import { describe, expect, it } from 'vitest';
import type { Event } from '../protocol/events';
import { readInquiry, subjectOf, writeInquiry } from '../run/subject';

const events = [{ kind: 'program_started' }, { kind: 'op_applied', outputs: [{ tensor: 7 }] }] as unknown as Event[];

describe('the subject of a question', () => {
  it.each([
    [null, null, null],
    [{ type: 'tensor', tensor: 3 }, 3, null],
    [{ type: 'node', node: 4 }, null, 4],
    [{ type: 'saved', node: 4, slot: '_saved_self' }, null, 4],
    [{ type: 'edge', node: 4, inputNr: 0 }, null, 4],
    [{ type: 'op', seq: 1 }, 7, null],
    [{ type: 'op', seq: 9 }, null, null],
    [{ type: 'module', call: 2 }, null, null],
  ] as const)('of %o', (target, tensor, node) => {
    expect(subjectOf(target, events)).toEqual({ tensor, node });
  });
});

describe('an inquiry in a link', () => {
  it.each([
    ['grad_none/tensor:3/120', { key: 'grad_none', about: { tensor: 3, node: null }, seq: 120 }],
    ['error/node:5/9', { key: 'error', about: { tensor: null, node: 5 }, seq: 9 }],
    ['memory//0', { key: 'memory', about: { tensor: null, node: null }, seq: 0 }],
  ])('%s', (text, inquiry) => {
    expect(readInquiry(text)).toEqual(inquiry);
    expect(writeInquiry(inquiry)).toBe(text);
  });

  it.each([null, '', 'grad_none', 'a/b/c', 'grad_none/tensor:x/1', '<b>/tensor:1/1', 'k//1e9', 'k//-1'])(
    'that was damaged is none: %s',
    (text) => expect(readInquiry(text)).toBeNull(),
  );
});

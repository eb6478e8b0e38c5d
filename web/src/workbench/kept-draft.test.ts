// Protects: an edited program comes back with its own run only.

import { beforeEach, describe, expect, it } from 'vitest';
import { keepDraft, keptDraft } from './kept-draft';

beforeEach(() => sessionStorage.clear());

describe('an edited program', () => {
  it('comes back with its run, and with no other', () => {
    keepDraft('abc', 'print(2)');
    expect(keptDraft('abc')).toBe('print(2)');
    expect(keptDraft('def')).toBeNull();
  });

  it('is forgotten once it is the program of a run', () => {
    keepDraft('abc', 'print(2)');
    keepDraft('def', null);
    expect(keptDraft('abc')).toBeNull();
  });

  it('is none where the storage was damaged', () => {
    for (const text of ['damaged', '7', 'null', '{"session":"abc","text":5}']) {
      sessionStorage.setItem('backscope.draft', text);
      expect(keptDraft('abc')).toBeNull();
    }
  });
});

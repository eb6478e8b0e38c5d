// Protects: a link brings back exactly the program, cursor and selection it was made from, and says so when it cannot.

import { describe, expect, it } from 'vitest';
import { readLink, writeLink } from './link';

describe('the link of a moment', () => {
  it('names an example, a cursor and a selection', async () => {
    const moment = { program: { example: 'fan-in' }, at: 12, selection: 'node:5' };
    const fragment = await writeLink(moment);
    expect(fragment).toBe('example=fan-in&at=12&select=node%3A5');
    expect(await readLink(`#${fragment}`)).toEqual(moment);
  });

  it('carries a whole program with any characters', async () => {
    const source = 'x = torch.tensor(3.0)  # π → "ü"\n'.repeat(40);
    const fragment = await writeLink({ program: { source }, at: null, selection: null });
    expect(fragment).toMatch(/^code=[A-Za-z0-9_-]+$/);
    expect(fragment.length).toBeLessThan(source.length / 4);
    expect(await readLink(fragment)).toEqual({ program: { source }, at: null, selection: null });
  });

  it('is empty for an empty fragment and ignores a cursor that is no number', async () => {
    expect(await readLink('')).toEqual({ program: null, at: null, selection: null });
    expect((await readLink('#at=soon')).at).toBeNull();
  });

  it('says that a cut link is damaged', async () => {
    const fragment = await writeLink({ program: { source: 'print(1)\n'.repeat(30) }, at: null, selection: null });
    await expect(readLink(fragment.slice(0, -6))).rejects.toThrow('damaged');
    await expect(readLink('#code=%C3%BC')).rejects.toThrow('damaged');
  });
});

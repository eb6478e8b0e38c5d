// Protects: a link brings back exactly the program, cursor and selection it was made from, and says so when it cannot.

import { describe, expect, it } from 'vitest';
import { NO_MOMENT, readLink, writeLink } from './link';

describe('the link of a moment', () => {
  it('names an example, a cursor, a selection and what the debugger has', async () => {
    const debug = {
      breakpoints: ['line:7?i > 2', 'nan'],
      watches: ['w.grad & x'],
      folds: ['-module:3'],
      why: 'grad_none/tensor:3/120',
    };
    const search = {
      find: '[4, *] mul',
      show: ['nan', 'module:model.0'],
      view: '-10.5,0,400,300',
      rooms: ['table'],
      prints: ['5:w.grad', 'model.py:7:x'],
      notes: ['3:a: b & c'],
    };
    const moment = { program: { example: 'fan-in' }, at: 12, selection: 'node:5', run: 'abc', ...debug, ...search };
    const fragment = await writeLink(moment);
    expect(fragment).toBe(
      'example=fan-in&run=abc&step=13&select=node%3A5&break=line%3A7%3Fi%20%3E%202&break=nan&watch=w.grad%20%26%20x&fold=-module%3A3&why=grad_none%2Ftensor%3A3%2F120&find=%5B4%2C%20*%5D%20mul&show=nan&show=module%3Amodel.0&view=-10.5,0,400,300&open=table&print=5%3Aw.grad&print=model.py%3A7%3Ax&note=3%3Aa%3A%20b%20%26%20c',
    );
    expect(await readLink(`#${fragment}`)).toEqual(moment);
  });

  it('carries a whole program with any characters', async () => {
    const source = 'x = torch.tensor(3.0)  # π → "ü"\n'.repeat(40);
    const fragment = await writeLink({
      program: { source },
      at: null,
      selection: null,
      run: null,
      breakpoints: [],
      watches: [],
      folds: [],
      why: null,
      find: null,
      show: [],
      view: null,
      rooms: [],
      prints: [],
      notes: [],
    });
    expect(fragment).toMatch(/^code=[A-Za-z0-9_-]+$/);
    expect(fragment.length).toBeLessThan(source.length / 4);
    expect(await readLink(fragment)).toEqual({
      program: { source },
      at: null,
      selection: null,
      run: null,
      breakpoints: [],
      watches: [],
      folds: [],
      why: null,
      find: null,
      show: [],
      view: null,
      rooms: [],
      prints: [],
      notes: [],
    });
  });

  it('is empty for an empty fragment and ignores a cursor that is no number', async () => {
    expect(await readLink('')).toEqual({
      program: null,
      at: null,
      selection: null,
      run: null,
      breakpoints: [],
      watches: [],
      folds: [],
      why: null,
      find: null,
      show: [],
      view: null,
      rooms: [],
      prints: [],
      notes: [],
    });
    expect((await readLink('#at=soon')).at).toBeNull();
    expect((await readLink('#step=soon')).at).toBeNull();
  });

  it('counts steps as the page does, and reads older links that count from 0', async () => {
    expect(await writeLink({ ...NO_MOMENT, at: 7 })).toBe('step=8');
    expect(await writeLink({ ...NO_MOMENT, at: -1 })).toBe('step=0');
    expect((await readLink('#step=8')).at).toBe(7);
    expect((await readLink('#step=0')).at).toBe(-1);
    expect((await readLink('#at=7')).at).toBe(7);
  });

  it('says that a cut link is damaged', async () => {
    const fragment = await writeLink({
      program: { source: 'print(1)\n'.repeat(30) },
      at: null,
      selection: null,
      run: null,
      breakpoints: [],
      watches: [],
      folds: [],
      why: null,
      find: null,
      show: [],
      view: null,
      rooms: [],
      prints: [],
      notes: [],
    });
    await expect(readLink(fragment.slice(0, -6))).rejects.toThrow('damaged');
    await expect(readLink('#code=%C3%BC')).rejects.toThrow('damaged');
  });
});

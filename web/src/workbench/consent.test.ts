import { beforeEach, describe, expect, it } from 'vitest';
import { remember, wasRun } from './consent';

beforeEach(() => sessionStorage.clear());

describe('programs that a link may run', () => {
  it('are those that were run in this tab', async () => {
    expect(await wasRun('print(1)')).toBe(false);
    await remember('print(1)');
    expect(await wasRun('print(1)')).toBe(true);
    expect(await wasRun('print(2)')).toBe(false);
  });

  it('are none where the storage was damaged', async () => {
    sessionStorage.setItem('backscope.ran', '{"not":"a list"}');
    expect(await wasRun('print(1)')).toBe(false);
    sessionStorage.setItem('backscope.ran', 'damaged');
    expect(await wasRun('print(1)')).toBe(false);
  });

  it('are the latest fifty', async () => {
    for (let i = 0; i < 55; i++) await remember(`print(${i})`);
    expect(await wasRun('print(4)')).toBe(false);
    expect(await wasRun('print(54)')).toBe(true);
  });
});

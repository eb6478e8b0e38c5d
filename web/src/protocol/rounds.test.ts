import { describe, expect, it } from 'vitest';
import type { TracebackLine } from './events';
import { rounds } from './rounds';

const frames = (names: string): TracebackLine[] =>
  [...names].map((name) => ({ line: name.charCodeAt(0), function: name, text: `${name}()` }));
const told = (names: string) =>
  rounds(frames(names)).map(({ at, frames: each, times }) => `${at}:${each.map((f) => f.function).join('')}x${times}`);

describe('frames of a stack', () => {
  it('are told once where they come again and again', () => {
    expect(told('mffffffg')).toEqual(['0:mx1', '1:fx6', '7:gx1']);
    expect(told('mababababa')).toEqual(['0:mx1', '1:abx4', '9:ax1']);
    expect(told('abcabcabcabc')).toEqual(['0:abcx4']);
    expect(told('ffffgggg')).toEqual(['0:fx4', '4:gx4']);
  });

  it('stay as they are where they come a few times', () => {
    expect(told('')).toEqual([]);
    expect(told('mfff')).toEqual(['0:mx1', '1:fx1', '2:fx1', '3:fx1']);
    expect(told('mabab')).toHaveLength(5);
  });
});

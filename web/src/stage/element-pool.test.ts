// Protects: an entry keeps its element, new ones take over the others, and no two share one.

import { describe, expect, it } from 'vitest';
import { Elements } from './element-pool';

describe('elements', () => {
  it('stay with their entries, in whatever order these come', () => {
    const elements = new Elements();
    const [a, b] = elements.show(['a', 'b']);
    expect(elements.show(['b', 'c', 'a'])).toEqual([b, expect.any(Number), a]);
  });

  it('are taken over in their order by what is new', () => {
    const elements = new Elements();
    const first = elements.show(['a', 'b', 'c']);
    expect(elements.show(['d', 'e', 'f'])).toEqual(first);
  });

  it('are never shared', () => {
    const elements = new Elements();
    elements.show(['a', 'b', 'c']);
    elements.show(['c']);
    const numbers = elements.show(['d', 'c', 'e', 'a']);
    expect(new Set(numbers).size).toBe(4);
  });

  it('leave the one that is held alone', () => {
    const elements = new Elements();
    const [a, b] = elements.show(['a', 'b']);
    const numbers = elements.show(['c', 'd'], 'a');
    expect(numbers).toContain(b);
    expect(numbers).not.toContain(a);
  });
});

// Protects: a part of the stage goes through a link, and a damaged one leaves the stage to choose.

import { describe, expect, it } from 'vitest';
import { readView, writeView } from './arrangement';

describe('the part of the stage in a link', () => {
  it('comes back to a tenth of a unit', () => {
    const rect = { x: -12.04, y: 3, width: 800.66, height: 451 };
    expect(readView(writeView(rect))).toEqual({ x: -12, y: 3, width: 800.7, height: 451 });
  });

  it.each([null, '', '1,2,3', '1,2,3,4,5', 'a,b,c,d', '0,0,0,10', '0,0,10,-1', '0,0,,10', 'NaN,0,1,1', '1e400,0,1,1'])(
    'is left to the stage where it is %s',
    (text) => {
      expect(readView(text)).toBeNull();
    },
  );
});

// Protects: a step is one transition in the order wake, travel, land, empty, which is compressed where there is less time.

import { describe, expect, it } from 'vitest';
import { Motion } from './motion';

const effects = {} as never;

describe('motion', () => {
  it('does one thing after the other', () => {
    const motion = new Motion(effects, 0, 1000);
    expect(motion.at(0)).toMatchObject({ wake: 0, travel: 0, land: 0, empty: 0 });
    expect(motion.at(80)).toMatchObject({ wake: 1, travel: 0 });
    expect(motion.at(320)).toMatchObject({ travel: 1, land: 0 });
    expect(motion.at(440)).toMatchObject({ land: 1, empty: 0 });
    expect(motion.isOver(639)).toBe(false);
    expect(motion.isOver(640)).toBe(true);
  });

  it('hands over what was saved before the gradient travels', () => {
    const motion = new Motion({ taking: true } as never, 0, 1000);
    expect(motion.at(80)).toMatchObject({ wake: 1, take: 0, travel: 0 });
    expect(motion.at(230)).toMatchObject({ take: 1, travel: 0 });
    expect(motion.at(470)).toMatchObject({ travel: 1, land: 0 });
    expect(motion.isOver(789)).toBe(false);
    expect(motion.isOver(790)).toBe(true);
  });

  it('takes no longer than the step', () => {
    expect(new Motion(effects, 0, 320).isOver(320)).toBe(true);
  });

  it('is left out where steps come faster than four a second', () => {
    expect(Motion.fits(250)).toBe(true);
    expect(Motion.fits(249)).toBe(false);
  });
});

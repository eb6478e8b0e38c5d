// Protects: what is out of view has an arrow at the rim, clear of what is there; what lies the same way shares one.

import { describe, expect, it } from 'vitest';
import { overlaps, type Rect } from '../../layout/rect';
import type { Located } from '../../scene/located';
import { type RimView, rimArrows } from './rim';

const room = { x: 0, y: 0, width: 800, height: 600 };
const view: RimView = { x: 1000, y: 1000, scale: 2, room, covered: [], taken: [] };

function thing(tensor: number, x: number, y: number): Located {
  return { target: { type: 'tensor', tensor }, name: `w${tensor}`, rect: { x, y, width: 20, height: 10 } };
}

describe('arrows at the rim', () => {
  it('points from the middle of the view to what is out of it, and to nothing that is seen', () => {
    const arrows = rimArrows([thing(1, 1100, 1100), thing(2, 1600, 1145), thing(3, 1190, 400)], view);
    expect(arrows.map(({ text, angle }) => [text, Math.round(angle)])).toEqual([
      ['w2', 0],
      ['w3', -90],
    ]);
    const [right, top] = arrows;
    expect(right!.rect.x + right!.rect.width).toBe(796);
    expect(top!.rect.y).toBe(4);
  });

  it('goes to another side of the rim where there is no room on its own', () => {
    const taken: Rect[] = [{ x: 600, y: 100, width: 200, height: 400 }];
    const [arrow] = rimArrows([thing(2, 1600, 1145)], { ...view, taken });
    expect(overlaps(arrow!.rect, taken[0]!)).toBe(false);
  });

  it('keeps clear of what is on the stage', () => {
    const taken: Rect[] = [{ x: 700, y: 270, width: 100, height: 60 }];
    const [arrow] = rimArrows([thing(2, 1600, 1145)], { ...view, taken });
    expect(overlaps(arrow!.rect, taken[0]!)).toBe(false);
    expect(arrow!.rect.x + arrow!.rect.width).toBe(796);
  });

  it('points to what lies under something, from above it', () => {
    const card = { x: 8, y: 480, width: 784, height: 112 };
    const [arrow] = rimArrows([thing(1, 1190, 1250)], { ...view, room: { ...room, height: 480 }, covered: [card] });
    expect(arrow!.text).toBe('w1');
    expect(arrow!.rect.y + arrow!.rect.height).toBe(476);
  });

  it('keeps clear of what an answer is about and the view shows', () => {
    const seen = thing(1, 1370, 1140);
    const [arrow] = rimArrows([seen, thing(2, 1600, 1145)], view);
    expect(arrow!.text).toBe('w2');
    expect(overlaps(arrow!.rect, { x: 740, y: 280, width: 40, height: 20 })).toBe(false);
  });

  it('has one arrow for what lies the same way, with its number', () => {
    const [arrow, ...others] = rimArrows([thing(1, 1900, 1140), thing(2, 1950, 1145), thing(3, 1990, 1150)], view);
    expect(others).toEqual([]);
    expect(arrow!.text).toBe('w1 +2');
    expect(arrow!.things).toHaveLength(3);
    expect(arrow!.rect.x + arrow!.rect.width).toBe(796);
  });

  it('cuts a name further where only that is clear of what is there', () => {
    const narrow = { x: 0, y: 0, width: 200, height: 150 };
    const taken: Rect[] = [{ x: 70, y: 0, width: 100, height: 150 }];
    const far = { ...thing(1, 1050, 1200), name: 'SumBackward0' };
    const [arrow] = rimArrows([far], { ...view, room: narrow, taken });
    expect(arrow!.text).toBe('Su…');
    expect(overlaps(arrow!.rect, taken[0]!)).toBe(false);
  });

  it('cuts a name that is long', () => {
    const far = { ...thing(1, 1900, 1140), name: 'encoder.layers.0.attention.weight' };
    expect([...rimArrows([far], view)[0]!.text]).toHaveLength(16);
  });
});

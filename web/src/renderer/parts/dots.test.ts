// Protects: threads lose the points that nobody could tell apart, and neither their ends nor bends that are seen.

import { describe, expect, it } from 'vitest';
import { type Link, link, newItem } from '../../layout/graph';
import { noDots } from '../../scene/dots';
import { Pen } from '../pen';
import type { ThemeTokens } from '../tokens';
import { drawThreads } from './dots';

/** A thread down, aside by a distance and down again, in steps of one. */
function thread(aside: number): Link {
  const made = link(newItem('op', 0, 0), 0, newItem('op', 1, 1), null, -1, true);
  const points: number[] = [];
  for (let i = 0; i <= 20; i += 1) points.push(0, i);
  for (let i = 1; i <= aside; i += 1) points.push(i, 20);
  for (let i = 1; i <= 20; i += 1) points.push(aside, 20 + i);
  made.points = new Float32Array(points);
  made.rect = { x: -8, y: 0, width: aside + 100, height: 40 };
  return made;
}

function drawn(one: Link, scale: number): [number, number][] {
  const points: [number, number][] = [];
  const note = (x: number, y: number) => points.push([x, y]);
  const ctx = { beginPath() {}, setLineDash() {}, stroke() {}, moveTo: note, lineTo: note };
  const pen = new Pen(ctx as unknown as CanvasRenderingContext2D, {} as ThemeTokens, scale);
  drawThreads(pen, { ...noDots(), unsent: [one] });
  return points;
}

describe('threads', () => {
  it('are drawn whole where each point can be told from the next', () => {
    expect(drawn(thread(10), 2)).toHaveLength(51);
  });

  it('keep only their ends where all of them is smaller than a point of the screen', () => {
    expect(drawn(thread(10), 0.02)).toEqual([
      [0, 0],
      [10, 40],
    ]);
  });

  it('stay within two pixels of where they were', () => {
    const one = thread(200);
    const scale = 0.1;
    const points = drawn(one, scale);
    expect(points.length).toBeLessThan(one.points.length / 2 / 4);
    for (let i = 0; i < one.points.length; i += 2) {
      const nearest = Math.min(...points.map(([x, y]) => Math.hypot(x - one.points[i]!, y - one.points[i + 1]!)));
      expect(nearest * scale).toBeLessThan(2);
    }
  });
});

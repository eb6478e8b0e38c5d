// Protects: the view fits, pans and zooms about a point, and moves as little as shows a place clear of what lies over it.

import { beforeEach, describe, expect, it } from 'vitest';
import { COLUMN_GAP } from '../layout/placed';
import { contains, overlaps, type Rect } from '../layout/rect';
import { Camera } from './camera';

let camera: Camera;
let rect = { x: 0, y: 0, width: 400, height: 300 };
let drawn: Rect | null = null;
const all = { x: 0, y: 0, width: 4000, height: 300 };

/** Brings a place into view at the scale that there is; whether there is room for it. */
function show(place: Rect, covered: readonly Rect[] = [], animated = false): boolean {
  const view = camera.clear(place, camera.goal, covered);
  if (view) camera.go(view, animated);
  return view !== null;
}

beforeEach(() => {
  drawn = null;
  rect = { x: 0, y: 0, width: 400, height: 300 };
  camera = new Camera(
    () => ({ rect, anchor: { x: 0, y: 2900, width: 50, height: 50 }, drawn }),
    () => all,
    () => {},
  );
  camera.width = 800;
  camera.height = 600;
  camera.goHome(false);
});

describe('camera', () => {
  it('fits small graphs without enlarging them beyond what is natural', () => {
    expect(camera.scale).toBe(1.3);
    expect(camera.x + 800 / camera.scale / 2).toBeCloseTo(200);
    expect(camera.held).toBe(false);
  });

  it('leaves room for the titles of passes above a graph that takes all of the height of a phone', () => {
    Object.assign(camera, { width: 390, height: 500, narrow: true });
    rect = { x: 0, y: 0, width: 100, height: 700 };
    camera.opening = true;
    camera.goHome(false);
    expect(camera.seen.y * camera.scale).toBeLessThanOrEqual(-23);
    expect(contains(camera.seen, rect)).toBe(true);
  });

  it.each([
    { width: 2400, height: 600 },
    { width: 800, height: 1600 },
  ])('shows nothing of the passes before beside a whole one: $width by $height', (size) => {
    Object.assign(camera, size);
    const shown = { x: 0, y: 0, width: 400, height: 300 };
    rect = { ...shown, x: 400 + COLUMN_GAP };
    drawn = { ...rect, x: -3000, width: 3000 + rect.x + 400 };
    camera.goHome(false);
    expect(overlaps(camera.seen, shown)).toBe(false);
    expect(contains(camera.seen, rect)).toBe(true);
    rect = { ...shown, y: 300 + COLUMN_GAP };
    drawn = { ...rect, y: -3000, height: 3000 + rect.y + 300 };
    camera.goHome(false);
    expect(overlaps(camera.seen, shown)).toBe(false);
    expect(contains(camera.seen, rect)).toBe(true);
  });

  it('shows a readable part of what is too large, near its anchor', () => {
    rect = { x: 0, y: 0, width: 400, height: 3000 };
    camera.goHome(false);
    expect(camera.scale).toBe(1);
    expect(camera.y + 600).toBeGreaterThan(2950);
  });

  it('shows a whole on a phone down to 0.6 to begin with, and cuts nothing of it', () => {
    rect = { x: 0, y: 0, width: 400, height: 780 };
    camera.narrow = camera.opening = true;
    camera.goHome(false);
    expect(camera.scale).toBeLessThan(10 / 12);
    expect(camera.scale).toBeGreaterThan(0.6);
    expect(camera.y).toBeLessThan(0);
    expect(camera.y + 600 / camera.scale).toBeGreaterThan(780);
    expect(camera.zooms).toBe(false);
  });

  it('shows a part of it at texts of ten pixels from then on, near the step', () => {
    rect = { x: 0, y: 0, width: 400, height: 780 };
    camera.narrow = true;
    camera.goHome(false);
    expect(camera.scale * 12).toBeCloseTo(10);
    expect(camera.isOverview).toBe(false);
    expect(camera.zooms).toBe(true);
    camera.fit(false);
    expect(camera.scale).toBeLessThan(0.6);
    expect(camera.isOverview).toBe(true);
    expect(camera.zooms).toBe(false);
  });

  it('eases to what lies near, and is at once where nothing of what is seen leads to', () => {
    const { x } = camera;
    show({ x: 600, y: 100, width: 100, height: 50 }, [], true);
    camera.advance(performance.now());
    expect(camera.x).toBeLessThan(camera.aim.x);
    show({ x: 3000, y: 100, width: 100, height: 50 }, [], true);
    expect(camera.x).toBe(camera.aim.x);
    expect(camera.x).toBeGreaterThan(x + 800 / camera.scale);
  });

  it('leaves room for the buttons below and at the right', () => {
    camera.below = 52;
    rect = { x: 0, y: 0, width: 300, height: 490 };
    camera.goHome(false);
    expect((490 - camera.y) * camera.scale).toBeLessThanOrEqual(600 - 52);
    expect(camera.y).toBeLessThan(0);
    camera.aside = 40;
    rect = { x: 0, y: 0, width: 700, height: 300 };
    camera.goHome(false);
    expect((700 - camera.x) * camera.scale).toBeLessThanOrEqual(800 - 40);
    expect(camera.x).toBeLessThan(0);
  });

  it('keeps the point under the pointer while zooming', () => {
    const before = camera.x + 100 / camera.scale;
    camera.zoom(1.5, 100, 50);
    expect(camera.x + 100 / camera.scale).toBeCloseTo(before);
    expect(camera.held).toBe(true);
  });

  it('moves as little as shows a place, and never zooms for it', () => {
    const { scale, y } = camera;
    show({ x: 800, y: 100, width: 40, height: 20 });
    expect(camera.scale).toBe(scale);
    expect(camera.y).toBe(y);
    expect(camera.x + 800 / scale).toBeCloseTo(840 + 24 / scale);
    const { x } = camera;
    show({ x: 800, y: 100, width: 40, height: 20 });
    expect(camera.x).toBe(x);
  });

  it('stays where a place near the rim is seen whole', () => {
    const { x, y, scale } = camera;
    show({ x: x + 5 / scale, y: y + 5 / scale, width: 50, height: 20 });
    expect([camera.x, camera.y]).toEqual([x, y]);
  });

  it('shows what is far away with what is around it', () => {
    const { scale, y } = camera;
    show({ x: 2500, y: 100, width: 40, height: 20 });
    expect(camera.y).toBe(y);
    expect(camera.x + 400 / scale).toBeCloseTo(2520);
  });

  it('moves as little as brings a place out from under what lies over the view', () => {
    const at = (x: number, y: number) => ({ x: camera.x + x / camera.scale, y: camera.y + y / camera.scale });
    const place = { width: 60 / camera.scale, height: 40 / camera.scale };
    const map = { x: 8, y: 460, width: 176, height: 136 };
    const { x, y } = camera;
    show({ ...at(300, 480), ...place }, [map]);
    expect([camera.x, camera.y]).toEqual([x, y]);
    const covered = { ...at(150, 480), ...place };
    show(covered, [map]);
    expect((covered.x - camera.x) * camera.scale).toBeCloseTo(184 + 24);
    expect(camera.y).toBe(y);
  });

  it('goes around what lies over the view in both directions', () => {
    const covers = [
      { x: 0, y: 500, width: 800, height: 100 },
      { x: 600, y: 0, width: 200, height: 600 },
    ];
    const place = { x: camera.x + 700 / camera.scale, y: camera.y + 550 / camera.scale, width: 50, height: 30 };
    expect(show(place, covers)).toBe(true);
    expect((place.x + 50 - camera.x) * camera.scale).toBeLessThan(600);
    expect((place.y + 30 - camera.y) * camera.scale).toBeLessThan(500);
  });

  it('finds no place where nothing of the view is free, or too little', () => {
    const everywhere = { x: 0, y: 0, width: 800, height: 600 };
    expect(show({ x: camera.x + 10, y: camera.y + 10, width: 50, height: 50 }, [everywhere])).toBe(false);
    expect(show({ x: 0, y: 0, width: 900, height: 50 })).toBe(false);
  });

  it('leaves no blank side while something is drawn beyond the other', () => {
    rect = { x: 0, y: 0, width: 400, height: 3000 };
    drawn = { x: 0, y: 0, width: 400, height: 700 };
    camera.goHome(false);
    // The margin above and below what is drawn does not fit too.
    expect(camera.y + 600).toBeCloseTo(700 + 24);
    drawn = { ...drawn, height: 1000 };
    show({ x: 0, y: 950, width: 50, height: 40 });
    expect(camera.y + 600).toBeCloseTo(990 + 24);
  });

  it.each([true, false])('shows everything each time that it is asked to fit, animated: %s', (animated) => {
    for (const leave of [() => {}, () => camera.goHome(false), () => camera.pan(500, 0), () => {}]) {
      leave();
      camera.fit(animated);
      camera.advance(performance.now() + 1000);
      expect(camera.scale).toBeLessThan(0.25);
      expect(camera.x).toBeLessThanOrEqual(0);
      expect(camera.x + camera.width / camera.scale).toBeGreaterThanOrEqual(4000);
      expect(camera.held).toBe(false);
    }
  });
});

// Protects: the view fits, pans and zooms about a point, and follows without zooming.

import { beforeEach, describe, expect, it } from 'vitest';
import type { Rect } from '../scene/scene';
import { Camera } from './camera';

let camera: Camera;
let rect = { x: 0, y: 0, width: 400, height: 300 };
let drawn: Rect | null = null;
const all = { x: 0, y: 0, width: 4000, height: 300 };

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

  it('shows a readable part of what is too large, near its anchor', () => {
    rect = { x: 0, y: 0, width: 400, height: 3000 };
    camera.goHome(false);
    expect(camera.scale).toBe(0.8);
    expect(camera.y + 600 / 0.8).toBeGreaterThan(2950);
  });

  it('shows as a whole what is a little too large, at somewhat smaller texts', () => {
    rect = { x: 0, y: 0, width: 400, height: 780 };
    camera.goHome(false);
    expect(camera.scale).toBeLessThan(0.8);
    expect(camera.y).toBeLessThan(0);
    expect(camera.y + 600 / camera.scale).toBeGreaterThan(780);
  });

  it('shows a whole on a phone down to 0.6, and cuts nothing of it', () => {
    rect = { x: 0, y: 0, width: 400, height: 780 };
    camera.narrow = true;
    camera.goHome(false);
    expect(camera.scale).toBeLessThan(1);
    expect(camera.scale).toBeGreaterThan(0.6);
    expect(camera.y).toBeLessThan(0);
    expect(camera.y + 600 / camera.scale).toBeGreaterThan(780);
  });

  it('keeps the smallest texts at their size on a phone where a part is shown, near the step', () => {
    rect = { x: 0, y: 0, width: 400, height: 1200 };
    camera.narrow = true;
    camera.goHome(false);
    expect(camera.scale).toBe(1);
    expect(camera.isOverview).toBe(false);
    camera.fit(false);
    expect(camera.scale).toBeLessThan(1);
    expect(camera.isOverview).toBe(true);
  });

  it('eases to what lies near, and is at once where nothing of what is seen leads to', () => {
    const { x } = camera;
    camera.ensureVisible({ x: 600, y: 100, width: 100, height: 50 });
    camera.advance(performance.now());
    expect(camera.x).toBeLessThan(camera.aim.x);
    camera.ensureVisible({ x: 3000, y: 100, width: 100, height: 50 });
    expect(camera.x).toBe(camera.aim.x);
    expect(camera.x).toBeGreaterThan(x + 800 / camera.scale);
  });

  it('leaves room for the buttons below', () => {
    camera.below = 52;
    rect = { x: 0, y: 0, width: 300, height: 540 };
    camera.goHome(false);
    expect((540 - camera.y) * camera.scale).toBeLessThanOrEqual(600 - 52);
    expect(camera.y).toBeLessThan(0);
    rect = { x: 0, y: 0, width: 400, height: 3000 };
    camera.goHome(false);
    camera.ensureVisible({ x: 100, y: 2000, width: 100, height: 50 }, false);
    camera.ensureVisible({ x: 100, y: 2600, width: 100, height: 50 }, false);
    expect((2650 - camera.y) * camera.scale).toBeCloseTo(600 - 52 - 24);
    expect(camera.room.height).toBeCloseTo((600 - 52 - 48) / camera.scale);
  });

  it('leaves room for the buttons at the right', () => {
    camera.aside = 40;
    rect = { x: 0, y: 0, width: 700, height: 300 };
    camera.goHome(false);
    expect((700 - camera.x) * camera.scale).toBeLessThanOrEqual(800 - 40);
    expect(camera.x).toBeLessThan(0);
  });

  it('brings a step clear of the buttons, but cuts off nothing for it', () => {
    rect = { x: 0, y: 0, width: 4000, height: 300 };
    camera.aside = 40;
    camera.goHome(false);
    camera.ensureVisible({ x: 2000, y: 100, width: 100, height: 50 }, false);
    expect((2100 - camera.x) * camera.scale).toBeLessThanOrEqual(800 - 40 - 24 + 1e-6);
    const wide = (800 - 50) / camera.scale;
    camera.ensureVisible({ x: 1000, y: 100, width: wide, height: 50 }, false);
    expect(camera.x).toBeLessThanOrEqual(1000);
    expect(camera.x + 800 / camera.scale).toBeGreaterThanOrEqual(1000 + wide);
  });

  it('keeps the point under the pointer while zooming', () => {
    const before = camera.x + 100 / camera.scale;
    camera.zoom(1.5, 100, 50);
    expect(camera.x + 100 / camera.scale).toBeCloseTo(before);
    expect(camera.held).toBe(true);
  });

  it('moves as little as shows a rectangle, and never zooms for it', () => {
    const { scale, y } = camera;
    camera.ensureVisible({ x: 800, y: 100, width: 40, height: 20 }, false);
    expect(camera.scale).toBe(scale);
    expect(camera.y).toBe(y);
    expect(camera.x + 800 / scale).toBeCloseTo(840 + 24 / scale);
    const { x } = camera;
    camera.ensureVisible({ x: 800, y: 100, width: 40, height: 20 }, false);
    expect(camera.x).toBe(x);
  });

  it('shows what is far away with what is around it', () => {
    const { scale, y } = camera;
    camera.ensureVisible({ x: 2000, y: 100, width: 40, height: 20 }, false);
    expect(camera.y).toBe(y);
    expect(camera.x + 400 / scale).toBeCloseTo(2020);
  });

  it('moves as little as brings a rectangle out from under what lies over the view', () => {
    const at = (x: number, y: number) => ({ x: camera.x + x / camera.scale, y: camera.y + y / camera.scale });
    const place = { width: 60 / camera.scale, height: 40 / camera.scale };
    const map = { x: 8, y: 460, width: 176, height: 136 };
    const { x, y } = camera;
    camera.uncover({ ...at(300, 480), ...place }, [map], false);
    expect([camera.x, camera.y]).toEqual([x, y]);
    const rect = { ...at(150, 480), ...place };
    camera.uncover(rect, [map], false);
    expect((rect.x - camera.x) * camera.scale).toBeCloseTo(184 + 24);
    expect(camera.y).toBe(y);
  });

  it('stays where nothing of the view is free', () => {
    const { x, y } = camera;
    camera.uncover(
      { x: camera.x + 10, y: camera.y + 10, width: 50, height: 50 },
      [{ x: 0, y: 0, width: 800, height: 600 }],
      false,
    );
    expect([camera.x, camera.y]).toEqual([x, y]);
  });

  it('leaves no blank side while something is drawn beyond the other', () => {
    rect = { x: 0, y: 0, width: 400, height: 3000 };
    drawn = { x: 0, y: 0, width: 400, height: 700 };
    camera.goHome(false);
    // 600 pixels show 750 units at 0.8, and the margin above and below what is drawn does not fit too.
    expect(camera.y + 750).toBeCloseTo(730);
    drawn = { ...drawn, height: 1000 };
    camera.ensureVisible({ x: 0, y: 950, width: 50, height: 50 }, false);
    expect(camera.y + 750).toBeCloseTo(1030);
    drawn = { ...drawn, height: 500 };
    camera.ensureVisible(null, false);
    expect(camera.y).toBeCloseTo(-30);
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

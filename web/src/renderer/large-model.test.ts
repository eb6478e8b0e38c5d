// @vitest-environment happy-dom
// Protects: a large model is shown nearer at steps at which as boxes one would see a line, and as it opened from then on.

import { expect, it } from 'vitest';
import { model } from '../layout/rehearsal';
import { buildScene } from '../scene/scene';
import { opened } from '../scene/walks';
import { StageRenderer } from './canvas';
import type { ThemeTokens } from './tokens';

it('shows the first steps of a large model nearer', () => {
  const { timeline, layout } = opened(model(4));
  const canvas = document.createElement('canvas');
  Object.defineProperties(canvas, { clientWidth: { value: 700 }, clientHeight: { value: 600 } });
  canvas.getContext = () => null;
  const renderer = new StageRenderer(canvas, () => ({}) as ThemeTokens);
  const { camera } = renderer;
  const show = (index: number) => {
    const scene = buildScene(timeline.stateAt(index), layout, { selection: null, hover: null });
    renderer.setScene(scene);
    return scene.drawn?.height ?? 0;
  };
  camera.opening = true;
  const end = timeline.moments.findLast(({ phase }) => phase === 'forward')?.index ?? timeline.moments.length - 1;
  show(end);
  renderer.goOn(false);
  expect(renderer.showsBoxes).toBe(true);
  const opening = camera.aim;
  const firsts: number[] = [];
  for (let index = 0; index < end; index += 1) {
    const height = show(index);
    expect(height * camera.goal, `step ${index + 1}`).toBeGreaterThanOrEqual(40);
    if (!renderer.showsBoxes) firsts.push(index);
    else expect(camera.aim).toEqual(opening);
  }
  expect(firsts[0]).toBe(0);
  expect(firsts.at(-1)).toBeLessThan(end / 2);
  renderer.refit();
  show(0);
  renderer.refit();
  show(end);
  expect(camera.aim).toEqual(opening);
  renderer.destroy();
});

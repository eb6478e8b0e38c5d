// @vitest-environment happy-dom
// Protects: a large model is shown nearer at steps at which as boxes one would see a line, and as it opened from then on; as it
// grows it stays clear of the buttons.

import { expect, it } from 'vitest';
import type { Rect } from '../layout/rect';
import { model } from '../layout/rehearsal';
import { buildScene } from '../scene/scene';
import { opened } from '../scene/walks';
import { StageRenderer } from './canvas';
import type { ThemeTokens } from './tokens';

const size = { width: 390, height: 500 };
const buttons: Rect = { x: 290, y: 455, width: 100, height: 45 };

/** A stage on which a large model is shown up to a step, of which `end` is the last of the forward pass. */
function stage(covered: readonly Rect[] = [], { width, height } = { width: 700, height: 600 }) {
  const { timeline, layout } = opened(model(4));
  const canvas = document.createElement('canvas');
  Object.defineProperties(canvas, { clientWidth: { value: width }, clientHeight: { value: height } });
  canvas.getContext = () => null;
  const renderer = new StageRenderer(
    canvas,
    () => ({}) as ThemeTokens,
    undefined,
    () => covered,
  );
  const drawnAt = (index: number): Rect | null => {
    const scene = buildScene(timeline.stateAt(index), layout, { selection: null, hover: null });
    renderer.setScene(scene);
    return scene.drawn;
  };
  const end = timeline.moments.findLast(({ phase }) => phase === 'forward')?.index ?? timeline.moments.length - 1;
  return { renderer, drawnAt, show: (index: number) => drawnAt(index)?.height ?? 0, end };
}

it('keeps boxes clear of the buttons as they grow', () => {
  const { renderer, drawnAt, end } = stage([buttons], size);
  const { camera } = renderer;
  camera.below = 52;
  camera.narrow = camera.opening = true;
  const began = Math.round(end * 0.7);
  drawnAt(began);
  renderer.goOn(false);
  expect(renderer.showsBoxes).toBe(true);
  for (let index = began + 1; index <= end; index += 1) {
    const drawn = drawnAt(index);
    expect(renderer.showsBoxes).toBe(true);
    expect(camera.shows(drawn!, [buttons]), `step ${index + 1}`).toBe(true);
  }
  renderer.destroy();
});

it('shows the first steps of a large model nearer', () => {
  const { renderer, show, end } = stage();
  const { camera } = renderer;
  camera.opening = true;
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

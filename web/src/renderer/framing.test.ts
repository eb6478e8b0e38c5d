// Protects: the view shows all that an answer is about where it fits, else the first with what is nearest to it; a step's notes
// are placed where the view can show them beside what acts.

import { beforeEach, expect, it } from 'vitest';
import { contains, type Rect } from '../layout/rect';
import { goldens } from '../protocol/goldens';
import { shapesOf, wholeOf } from '../scene/parts/shape';
import { buildScene } from '../scene/scene';
import { opened } from '../scene/walks';
import { Camera } from './camera';
import { frameNotes, frameStep, frameThings, uncut } from './framing';

const all = { x: 0, y: 0, width: 4000, height: 4000 };
const camera = new Camera(
  () => ({ rect: all, anchor: null, drawn: null }),
  () => all,
  () => {},
);
const at = (x: number, y: number): Rect => ({ x, y, width: 40, height: 20 });

beforeEach(() => {
  camera.width = 800;
  camera.height = 600;
  camera.goHome(false);
});

it('shows all things where they fit', () => {
  const framed = frameThings(camera, [at(1000, 1000), at(1500, 1300)], []);
  expect(framed?.rect).toEqual({ x: 1000, y: 1000, width: 540, height: 320 });
});

it('shows beside the first what is nearest to it, and no more than fits', () => {
  const things = [at(1000, 1300), at(1000, 2900), at(2400, 1300), at(1050, 1450), at(1000, 1100)];
  expect(frameThings(camera, things, [])?.rect).toEqual({ x: 1000, y: 1100, width: 90, height: 370 });
});

it('shows the first as large as it can where even that does not fit, and nothing where there is nothing', () => {
  const huge = { x: 100, y: 100, width: 3000, height: 50 };
  expect(frameThings(camera, [huge, at(0, 0)], [])?.rect).toEqual(huge);
  expect(frameThings(camera, [], [])).toBeNull();
});

it('shows an end of an edge that is longer than the view, with what is nearest to it', () => {
  const [to, from] = [at(1000, 1000), at(1000, 3000)];
  const edge = { x: 1000, y: 1000, width: 40, height: 2020, ends: [to, from] };
  expect(frameThings(camera, [edge, at(1100, 1100)], [])?.rect).toEqual({ x: 1000, y: 1000, width: 140, height: 120 });
  expect(frameThings(camera, [{ ...edge, height: 300 }], [])?.rect).toMatchObject({ y: 1000, height: 300 });
});

it('shows all of a ground that is too large to be read, clear of what lies over the stage', () => {
  const ground = { x: 500, y: 500, width: 900, height: 2000, isGround: true };
  const card = { x: 10, y: 440, width: 780, height: 150 };
  const { view } = frameThings(camera, [ground, at(600, 600)], [card])!;
  expect(view.scale).toBeLessThan(1);
  camera.go(view, false);
  expect(camera.shows(ground, [card])).toBe(true);
});

it('stays with a ground that it shows a part of, where its scale is not to change', () => {
  const ground = { x: camera.aim.x + 100, y: camera.aim.y + 100, width: 3000, height: 3000, isGround: true };
  expect(frameThings(camera, [ground], [], false)).toBeNull();
});

it('moves for the texts of what it shows, unless that would cut off others', () => {
  const { timeline, layout } = opened([...goldens()].find(([name]) => name === '16_hooks')![1]);
  const scene = buildScene(timeline.stateAt(timeline.moments.length - 1), layout, { selection: null, hover: null });
  const pill = layout.items
    .map((item) => scene.part(item))
    .find((part) => part.kind === 'pill' && part.chips.length > 0)!;
  const whole = wholeOf(shapesOf(pill));
  camera.width = 420;
  camera.height = 260;
  camera.go({ x: pill.rect.x + pill.rect.width + 5 - camera.width, y: whole.y - 20, scale: 1 }, false);
  expect(contains(camera.aim, whole)).toBe(false);
  const view = uncut(camera, scene, []);
  expect(view).not.toBeNull();
  camera.go(view!, false);
  expect(contains(camera.aim, whole)).toBe(true);
  expect(uncut(camera, scene, [])).toBeNull();
});

it('moves for a sum that has no room beside what acts as it is seen', () => {
  const { timeline, layout } = opened([...goldens()].find(([name]) => name === '16_hooks')![1]);
  const text = '[1, 1] × 2 × h = [1, 1] × 2 × [3, 6] = [6, 12]';
  let tried = 0;
  for (const moment of timeline.moments) {
    const state = timeline.stateAt(moment.index);
    const started = state.events.find((event) => event.kind === 'node_started');
    if (!started || layout.leafOf(started.node) !== null) continue;
    const lines = [[text]];
    const sum = { node: started.node, lines, narrow: [['[1, 1] × 2 × h'], ['  = [6, 12]']] };
    const scene = buildScene(state, layout, { selection: null, hover: null, sum });
    camera.width = 480;
    camera.height = 420;
    camera.goHome(false);
    const framed = frameStep(camera, scene, [])!;
    camera.go(framed.view, false);
    const noted = frameNotes(camera, scene, [framed.rect, framed.core], [], { rect: camera.aim, covered: [] });
    expect(noted?.isWhole).toBe(true);
    camera.go(noted!.view, false);
    for (const { rect } of scene.notes) expect(contains(camera.aim, rect)).toBe(true);
    for (const item of scene.acting) expect(contains(camera.aim, wholeOf(shapesOf(scene.part(item))))).toBe(true);
    expect(scene.notes.length).toBe(scene.remarks.length);
    tried += 1;
  }
  expect(tried).toBeGreaterThan(2);
});

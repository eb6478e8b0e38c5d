// Protects: what acts has a ring and a name where it is too small to be found, and none where its shape or a closed block shows it.

import { expect, it } from 'vitest';
import { goldens } from '../../protocol/goldens';
import { buildScene } from '../../scene/scene';
import { opened } from '../../scene/walks';
import type { Pen } from '../pen';
import { beaconOf } from './beacon';

const AFAR = { scale: 0.1, showsShapes: false } as Pen;
const { timeline, layout } = opened(goldens().find(([name]) => name === '15_in_place_error')![1]);
const sceneAt = (cursor: number) => buildScene(timeline.stateAt(cursor), layout, { selection: null, hover: null });
const acting = timeline.moments.map((_, cursor) => sceneAt(cursor)).filter((scene) => scene.acting.length > 0);

it('is around each thing that acts, and as large as can be seen', () => {
  expect(acting.length).toBeGreaterThan(3);
  for (const scene of acting) {
    const beacon = beaconOf(AFAR, scene, [], layout.bounds)!;
    expect(beacon.about).toBe(scene.acting[0]);
    expect(beacon.rect.width * AFAR.scale).toBeGreaterThanOrEqual(16);
    expect(beacon.rect.height * AFAR.scale).toBeGreaterThanOrEqual(10);
  }
});

it('says that what acts failed', () => {
  const beacon = beaconOf(AFAR, acting.find(({ state }) => state.error)!, [], layout.bounds);
  expect(beacon?.failed).toBe(true);
  expect(beacon?.names[0]).toMatch(/ error$/);
});

it('is not where shapes are drawn, in a closed block, or out of view', () => {
  const scene = acting[0]!;
  const block = { rect: layout.bounds } as Parameters<typeof beaconOf>[2][number];
  expect(beaconOf({ ...AFAR, scale: 1, showsShapes: true } as Pen, scene, [], layout.bounds)).toBeNull();
  expect(beaconOf(AFAR, scene, [block], layout.bounds)).toBeNull();
  expect(beaconOf(AFAR, scene, [], { x: -900, y: -900, width: 10, height: 10 })).toBeNull();
});

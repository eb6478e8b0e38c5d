// Protects: from afar passes have their numbers, as many as have room, and none above a block that says its own.

import { describe, expect, it } from 'vitest';
import { goldens } from '../protocol/goldens';
import type { BlockPart } from './parts/parts';
import type { Scene } from './scene';
import { farTitlesOf, titlesOf } from './titles';
import { opened } from './walks';

const SCALE = 0.1;

/** A scene of passes of a width on the screen, of which the last has not begun. */
function sceneOf(passes: number, pixels: number): Scene {
  const columns = Array.from({ length: passes + 1 }, (_, index) => {
    const pitch = pixels / SCALE;
    const rect = { x: index * pitch, y: 0, width: pitch - 10, height: 2000 };
    return { index, first: index, rect, calls: { entries: [index] } };
  });
  const calls = columns.map(({ index }) => ({ event: { call: index } }));
  return { layout: { columns, chunks: [] }, state: { seq: passes - 1, history: { calls } } } as unknown as Scene;
}

const texts = (scene: Scene, blocks: BlockPart[] = []) => farTitlesOf(scene, SCALE, blocks, []).map(({ text }) => text);

describe('titles from afar', () => {
  it('name each pass that has begun', () => {
    expect(texts(sceneOf(3, 120))).toEqual(['pass 1', 'pass 2', 'pass 3']);
    expect(texts(sceneOf(1, 120))).toEqual(['pass 1']);
  });

  it('have the numbers of the passes that began there, and none where none did', () => {
    const scene = sceneOf(3, 120);
    const columns = [[], [7, 9], [10]].map((entries, i) => ({ ...scene.layout.columns[i]!, calls: { entries } }));
    const calls = [7, 8, 9, 10].map((call) => ({ event: { call } }));
    const state = { ...scene.state, history: { calls } };
    expect(texts({ layout: { columns, chunks: [] }, state } as unknown as Scene)).toEqual(['passes 1–3', 'pass 4']);
  });

  it('are numbers, and fewer, where there is less room', () => {
    expect(texts(sceneOf(4, 40))).toEqual(['1', '2', '3', '4']);
    expect(texts(sceneOf(50, 13))).toEqual(['pass 1', '5', '10', '15', '20', '25', '30', '35', '40', '45', '50']);
  });

  it('leave out what a block says itself', () => {
    const { layout } = sceneOf(3, 120);
    const block = (wide: number) =>
      ({
        rect: { ...layout.columns[1]!.rect!, width: wide / SCALE },
        rounds: [],
        area: { frame: null },
        short: '2',
      }) as unknown as BlockPart;
    expect(texts(sceneOf(3, 120), [block(100)])).toEqual(['pass 1', 'pass 3']);
    expect(texts(sceneOf(3, 120), [block(10)])).toEqual(['pass 1', 'pass 2', 'pass 3']);
  });

  it('leave the names of grounds free', () => {
    const plate = { x: 0, y: -150, width: 300, height: 180 };
    expect(farTitlesOf(sceneOf(2, 120), SCALE, [], [plate]).map(({ text }) => text)).toEqual(['pass 2']);
  });
});

it.each([
  ['17_mlp', ['round 1', 'round 2', 'round 3']],
  ['11_accumulation', ['pass 1', 'pass 2', 'pass 3']],
])('titles of %s speak of rounds where each pass is one, else of passes', (name, first) => {
  const { layout, timeline } = opened(goldens().find(([golden]) => golden === name)![1]);
  const state = timeline.stateAt(timeline.moments.length - 1);
  expect(
    titlesOf({ layout, state })
      .map(({ text }) => text)
      .slice(0, 3),
  ).toEqual(first);
});

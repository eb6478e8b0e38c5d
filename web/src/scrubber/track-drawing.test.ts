// Protects: numbers of rounds are where they have room, at each or at every so many, so that no single one of many is told.

import { expect, it } from 'vitest';
import { wholeSpan } from '../timeline/span';
import { drawLayer, type TrackInk, type TrackPicture } from './track-drawing';

function numbers(rounds: number, length: number): string[] {
  const texts: string[] = [];
  const context = new Proxy({} as Record<string, unknown>, {
    get: (target, name: string) =>
      name === 'measureText'
        ? (text: string) => ({ width: 7 * text.length })
        : (target[name] ?? ((text: unknown) => name === 'fillText' && texts.push(String(text)))),
  });
  const picture: TrackPicture = {
    bands: [],
    marks: [],
    rounds: Array.from({ length: rounds }, (_, i) => ({
      round: i + 1,
      index: Math.round((i * length) / (2 * rounds)),
    })),
    lines: [],
    memory: { values: [], saved: [], gradients: [], count: 0, left: 0, step: 1 } as unknown as TrackPicture['memory'],
    most: 1,
    length,
    span: wholeSpan(length),
    reserved: 0,
    width: 800,
    height: 100,
  };
  drawLayer(context as unknown as CanvasRenderingContext2D, 'ground', picture, {} as TrackInk, '12px mono');
  return texts;
}

it('stands at each of a few rounds', () => {
  expect(numbers(4, 400)).toEqual(['1', '2', '3', '4']);
});

it.each([
  [20, ['1', '5', '10', '15', '20']],
  [50, ['1', '10', '20', '30', '40', '50']],
  [100, ['1', '20', '40', '60', '80', '100']],
])('stands at every fifth, tenth or twentieth of %i', (rounds, texts) => {
  expect(numbers(rounds, 40 * rounds)).toEqual(texts);
});

it('stands at none where the rounds themselves cannot be told apart, though after the last there is room', () => {
  expect(numbers(300, 4000)).toEqual([]);
});

it('stands at the only round', () => {
  expect(numbers(1, 40)).toEqual(['1']);
});

// Protects: the arrow keys go to the card that lies there, over rows that are not full, and around at the rims.

import { expect, it } from 'vitest';
import { type Direction, neighbour } from './grid';

// Two rows of three and two cards, and one of a single card below a heading.
const places = [
  [0, 0],
  [100, 0],
  [200, 0],
  [0, 80],
  [100, 80],
  [0, 200],
].map(([left, top]) => ({ left: left!, top: top! }));

it.each<[number, Direction, number]>([
  [0, 'right', 1],
  [5, 'right', 0],
  [0, 'left', 5],
  [1, 'down', 4],
  [2, 'down', 4],
  [4, 'down', 5],
  [5, 'down', 0],
  [0, 'up', 5],
  [4, 'up', 1],
])('from %i %s to %i', (from, direction, to) => {
  expect(neighbour(places, from, direction)).toBe(to);
});

it('goes from one to the next where nothing has been laid out', () => {
  const flat = [0, 1, 2].map(() => ({ left: 0, top: 0 }));
  expect(neighbour(flat, 0, 'down')).toBe(1);
  expect(neighbour(flat, 0, 'up')).toBe(2);
});

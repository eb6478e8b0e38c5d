// Finds the next card in a direction, for moving over rows of cards.

export type Direction = 'up' | 'down' | 'left' | 'right';
type Place = { left: number; top: number };

/** The index of the card that lies in a direction from one; rows are cards of one `top`.  At a rim it goes around. */
export function neighbour(places: readonly Place[], from: number, direction: Direction): number {
  const count = places.length;
  if (direction === 'right') return (from + 1) % count;
  if (direction === 'left') return (from - 1 + count) % count;
  const here = places[from]!;
  const tops = [...new Set(places.map(({ top }) => top))].sort((a, b) => a - b);
  // Where nothing has been laid out all is one row.
  if (tops.length === 1) return (from + (direction === 'down' ? 1 : -1) + count) % count;
  const row = tops.indexOf(here.top) + (direction === 'down' ? 1 : -1);
  const top = tops[(row + tops.length) % tops.length]!;
  let best = -1;
  places.forEach((place, i) => {
    if (place.top !== top) return;
    if (best < 0 || Math.abs(place.left - here.left) < Math.abs(places[best]!.left - here.left)) best = i;
  });
  return best;
}

// Which row each item of a chunk stands in: ops below their inputs, leaves right above who uses them.

import type { Item } from './graph';

/**
 * Even ranks by item, in the order of the program.  Odd ranks between them are for the numbers beside edges.  What
 * depends on leaves alone never pushes anything down: it stands as low as its first user allows.
 */
export function rank(items: readonly Item[]): Map<Item, number> {
  const ranks = new Map<Item, number>();
  const hanging = new Set<Item>();
  for (const item of items) {
    let row = 0;
    let hangs = true;
    for (const { from } of item.inputs) {
      const above = ranks.get(from);
      if (above === undefined) continue;
      row = Math.max(row, above + 2);
      if (!hanging.has(from)) hangs = false;
    }
    ranks.set(item, row);
    if (item.kind !== 'op' || hangs) hanging.add(item);
  }
  const lowest = new Map<Item, number>();
  for (let i = items.length - 1; i >= 0; i -= 1) {
    const item = items[i]!;
    const limit = lowest.get(item);
    if (hanging.has(item) && limit !== undefined) ranks.set(item, Math.max(ranks.get(item)!, limit - 2));
    const row = ranks.get(item)!;
    for (const { from } of item.inputs) {
      if (!ranks.has(from)) continue;
      lowest.set(from, Math.min(lowest.get(from) ?? Number.POSITIVE_INFINITY, row));
    }
  }
  return ranks;
}

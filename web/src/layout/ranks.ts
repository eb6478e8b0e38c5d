// Which row each item of a chunk stands in: ops below their inputs, leaves right above who uses them.

import type { Frame } from './frame';
import type { Item, Link } from './graph';

/** How often links are lengthened to part modules from what is around them. */
const TURNS = 4;

/**
 * Even ranks by item, in the order of the program.  Odd ranks between them are for the numbers beside edges.  What
 * depends on leaves alone never pushes anything down: it stands as low as its first user allows.  What comes to a
 * module from outside stands above all that is in it, and what is used after it below, as far as a few turns bring it.
 */
export function rank(items: readonly Item[], frames: readonly Frame[] = []): Map<Item, number> {
  const extra = new Map<Link, number>();
  let ranks = rankOnce(items, extra);
  for (let turn = 0; turn < TURNS && frames.length > 0; turn += 1) {
    if (!part(items, frames, ranks, extra)) break;
    ranks = rankOnce(items, extra);
  }
  return ranks;
}

function rankOnce(items: readonly Item[], extra: ReadonlyMap<Link, number>): Map<Item, number> {
  const ranks = new Map<Item, number>();
  const hanging = new Set<Item>();
  for (const item of items) {
    let row = 0;
    let hangs = true;
    for (const input of item.inputs) {
      const above = ranks.get(input.from);
      if (above === undefined) continue;
      row = Math.max(row, above + 2 + (extra.get(input) ?? 0));
      if (!hanging.has(input.from)) hangs = false;
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
    for (const input of item.inputs) {
      if (!ranks.has(input.from)) continue;
      const most = row - (extra.get(input) ?? 0);
      lowest.set(input.from, Math.min(lowest.get(input.from) ?? Number.POSITIVE_INFINITY, most));
    }
  }
  return ranks;
}

/** Lengthens the links that enter or leave a module beside other things in its rows; whether there were any. */
function part(
  items: readonly Item[],
  frames: readonly Frame[],
  ranks: ReadonlyMap<Item, number>,
  extra: Map<Link, number>,
): boolean {
  const wanted = new Map<Link, number>();
  const lengthen = (link: Link, by: number): void => {
    if (by > (wanted.get(link) ?? 0)) wanted.set(link, by);
  };
  for (const frame of frames) {
    const members = new Set(frame.items);
    const rows = frame.items.map((item) => ranks.get(item)!);
    const first = Math.min(...rows);
    const last = Math.max(...rows);
    for (const item of items) {
      for (const input of item.inputs) {
        const from = ranks.get(input.from);
        if (from === undefined || members.has(item) === members.has(input.from)) continue;
        if (members.has(item)) lengthen(input, from + 2 - first);
        else {
          for (const leaf of leavesOf(item, members)) {
            const row = ranks.get(leaf) ?? -1;
            if (row >= first) lengthen(input, last + 2 - row);
          }
        }
      }
    }
  }
  for (const [link, by] of wanted) extra.set(link, (extra.get(link) ?? 0) + by);
  return wanted.size > 0;
}

/** The leaves that an item uses besides a module's results. */
function leavesOf(item: Item, members: ReadonlySet<Item>): Item[] {
  return item.inputs.flatMap(({ from }) => (from.kind !== 'op' && !members.has(from) ? [from] : []));
}

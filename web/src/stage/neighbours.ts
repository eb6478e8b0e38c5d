// The neighbours of each thing on the stage, for walking along edges with the arrow keys.

import type { Mentions } from '../facts/mentions';
import { nodeFacts } from '../facts/node-facts';
import type { OutlineEntry } from '../scene/outline';

/** For each entry the indexes of the entries whose values it takes in. */
export function inputsOf(entries: readonly OutlineEntry[], mentions: Mentions, seq: number): number[][] {
  const places = new Map<string, number>();
  entries.forEach(({ target }, index) => {
    if (target.type === 'tensor') places.set(`tensor:${target.tensor}`, index);
    else if (target.type === 'node') places.set(`node:${target.node}`, index);
  });
  return entries.map(({ target }) => {
    if (target.type === 'saved') return [places.get(`node:${target.node}`) ?? -1].filter((index) => index >= 0);
    if (target.type !== 'node') return [];
    const found = new Set<number>();
    for (const edge of nodeFacts(mentions, target.node, seq)?.edges ?? []) {
      if (!edge) continue;
      const leaf = nodeFacts(mentions, edge.node, seq)?.leaf ?? null;
      const place = places.get(leaf === null ? `node:${edge.node}` : `tensor:${leaf}`);
      if (place !== undefined) found.add(place);
    }
    return [...found];
  });
}

/**
 * The entry that an arrow leads to: up to what it takes in, down to what takes it in, sideways along the list.
 * What `isAside`, a saved tensor on its node, takes the way down only where nothing else does.
 */
export function neighbour(
  inputs: readonly number[][],
  from: number,
  key: string,
  isAside: (index: number) => boolean = () => false,
): number | null {
  switch (key) {
    case 'ArrowUp':
      return inputs[from]?.[0] ?? null;
    case 'ArrowDown': {
      const takers = inputs.flatMap((taken, index) => (taken.includes(from) ? [index] : []));
      return takers.find((index) => !isAside(index)) ?? takers[0] ?? null;
    }
    case 'ArrowRight':
      return from + 1 < inputs.length ? from + 1 : null;
    case 'ArrowLeft':
      return from > 0 ? from - 1 : null;
    default:
      return null;
  }
}

// Saved tensors whose memory was written after they were saved: who saved, and which event wrote.

import { isStale, type RunState, type SavedState } from './state';

/** A save and the first write after it, by their events; what version was saved, and what it is now. */
export type Overwritten = { saved: number; savedVersion: number; wrote: number; version: number };

/** What a step overwrites that a node still needs, and what the error of a step stopped at. */
export function overwrittenIn(state: RunState): Overwritten[] {
  const found: Overwritten[] = [];
  for (const event of state.events) {
    if (event.kind === 'tensor_mutated') {
      for (const { node, saved } of state.stale(event.storage)) found.push(...writeOf(node.node, saved, state));
    } else if (event.kind === 'error_raised' && event.node !== null) {
      const { node } = event;
      for (const saved of state.node(node)?.saved.filter(isStale) ?? []) found.push(...writeOf(node, saved, state));
    }
  }
  return found;
}

function writeOf(node: number, saved: SavedState, { history }: RunState): Overwritten[] {
  const born = history.nodes.get(node)?.born;
  const versions = history.versionsOf(saved.tensor, saved.storage);
  const at = versions?.entries.findIndex((version) => version > saved.version) ?? -1;
  if (born === undefined || at < 0) return [];
  return [{ saved: born, savedVersion: saved.version, wrote: versions!.seqs[at]!, version: versions!.entries[at]! }];
}

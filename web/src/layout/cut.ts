// Cuts of the graph: ops that record no node although one of their inputs is tracked.

import type { OpApplied } from '../protocol/events';
import type { Homes } from './draft';
import type { NamesSoFar } from './program/names-so-far';
import type { Passes } from './program/passes';

/** Return whether an op without a node is placed, so that a reader sees where the graph ends. */
export function isCut(
  event: OpApplied,
  known: NamesSoFar,
  homes: Pick<Homes, 'tensors'>,
  passes: Pick<Passes, 'depth' | 'isRecorded'>,
): boolean {
  // What forward() of a custom Function computes is inside the op that the Function is.
  if (known.modeNow === 'function' || event.in_place) return false;
  // Of a backward pass only what it records belongs to a graph.
  if (passes.depth > 0 && (event.during === null || !passes.isRecorded)) return false;
  return event.inputs.some(({ tensor }) => {
    if (tensor === null) return false;
    if (known.isTracked(tensor)) return true;
    const home = homes.tensors.get(tensor)?.item;
    return home?.kind === 'op' && home.node === null;
  });
}

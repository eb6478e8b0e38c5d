// Whether what is selected in a run is the same thing in another run of nearly the same program.

import type { Target } from '../scene/target';
import type { Run } from './run.svelte';

/** Whether a target is in both runs under one number, of the same name and line. */
export function isSameThing(target: Target | null, from: Run, to: Run): boolean {
  if (!target) return true;
  const [before, after] = [from.timeline.history, to.timeline.history];
  switch (target.type) {
    case 'tensor': {
      const [one, other] = [before.tensors.get(target.tensor), after.tensors.get(target.tensor)];
      return one?.line === other?.line && one?.names.entries[0] === other?.names.entries[0];
    }
    case 'node':
    case 'saved':
    case 'edge': {
      const [one, other] = [before.nodes.get(target.node), after.nodes.get(target.node)];
      return one?.line === other?.line && one?.name === other?.name;
    }
    case 'op': {
      const [one, other] = [from.log.at(target.seq), to.log.at(target.seq)];
      return one?.kind === other?.kind && one?.line === other?.line;
    }
    default:
      // Calls and loops are counted as they come.
      return from.length === to.length;
  }
}

// The sum of the step that is shown, computed once for the stage and the caption; what computes it comes after the first picture.

import type { stepSum } from '../formulas/step-sum';
import type { Origin } from '../origins/origin.svelte';
import type { Provenance } from '../origins/provenance';
import type { OpEntry } from '../run/api';
import type { StepSum } from '../scene/parts';
import type { RunState } from '../timeline/state';

type Computing = typeof stepSum;

/** A sum and what it was computed from: `revision` counts what is known of the origin of the element that is followed. */
type Computed = {
  state: RunState;
  ops: readonly OpEntry[];
  origin: Origin | null;
  revision: number;
  sum: StepSum | null;
};

let compute = $state.raw<Computing | null>(null);
let isFetched = false;
let last: Computed | null = null;

/**
 * What the step of a state computes, with the numbers of the element that the reader follows; null where it computes nothing, or
 * nothing is known of it yet.
 */
export function sumNow(state: RunState, ops: readonly OpEntry[], asked: Provenance | null): StepSum | null {
  const origin = asked?.about === 'gradient' ? asked.origin : null;
  const revision = origin?.revision ?? 0;
  if (!compute) {
    if (!isFetched) fetchComputing();
    return null;
  }
  const isSame =
    last?.ops === ops &&
    last.origin === origin &&
    last.revision === revision &&
    last.state.seq === state.seq &&
    last.state.history === state.history;
  if (!last || !isSame || last.state.events.length !== state.events.length)
    last = { state, ops, origin, revision, sum: compute(state, ops, origin?.tree.sentBy.bind(origin.tree)) };
  return last.sum;
}

/** What fails is tried again with the next step. */
function fetchComputing(): void {
  isFetched = true;
  import('../formulas/step-sum').then(
    ({ stepSum }) => {
      compute = stepSum;
    },
    () => {
      isFetched = false;
    },
  );
}

// The sum of the step that is shown, computed once for the stage and the caption; what computes it comes after the first picture.

import type { followedSum } from '../formulas/followed-sum';
import type { Provenance } from '../origins/provenance';
import type { OpEntry } from '../run/api';
import type { StepSum } from '../scene/parts/parts';
import type { RunState } from '../timeline/state';

type Computing = typeof followedSum;

/** A sum and what it was computed from: `revision` counts what is known of the origin of an element of a gradient. */
type Computed = {
  state: RunState;
  ops: readonly OpEntry[];
  asked: Provenance | null;
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
  const revision = asked?.about === 'gradient' ? asked.origin.revision : 0;
  if (!compute) {
    if (!isFetched) fetchComputing();
    return null;
  }
  const isSame =
    last?.ops === ops &&
    last.asked === asked &&
    last.revision === revision &&
    last.state.seq === state.seq &&
    last.state.history === state.history;
  if (!last || !isSame || last.state.events.length !== state.events.length)
    last = { state, ops, asked, revision, sum: compute(state, ops, asked) };
  return last.sum;
}

/** What fails is tried again with the next step. */
function fetchComputing(): void {
  isFetched = true;
  import('../formulas/followed-sum').then(
    ({ followedSum }) => {
      compute = followedSum;
    },
    () => {
      isFetched = false;
    },
  );
}

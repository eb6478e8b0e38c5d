// The sum of the step that is shown, computed once for the stage and the caption; what computes it comes after the first picture.

import type { OpEntry } from '../run/api';
import type { StepSum } from '../scene/parts';
import type { RunState } from '../timeline/state';

type Computing = (state: RunState, ops: readonly OpEntry[]) => StepSum | null;

let compute = $state.raw<Computing | null>(null);
let isFetched = false;
let last: { state: RunState; ops: readonly OpEntry[]; sum: StepSum | null } | null = null;

/** What the step of a state computes; null where it computes nothing, or nothing is known of it yet. */
export function sumNow(state: RunState, ops: readonly OpEntry[]): StepSum | null {
  if (!compute) {
    if (!isFetched) fetchComputing();
    return null;
  }
  const isSame = last?.ops === ops && last.state.seq === state.seq && last.state.history === state.history;
  if (!last || !isSame || last.state.events.length !== state.events.length)
    last = { state, ops, sum: compute(state, ops) };
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

// The sum of the step that is shown, computed once for the stage and the caption; what computes it comes after the first picture.

import type { stepSum } from '../formulas/step-sum';
import type { Provenance } from '../origins/provenance';
import type { OpEntry } from '../run/api';
import type { StepSum } from '../scene/parts';
import type { RunState } from '../timeline/state';

type Computing = typeof stepSum;

let compute = $state.raw<Computing | null>(null);
let isFetched = false;
let last: { state: RunState; ops: readonly OpEntry[]; followed: string; sum: StepSum | null } | null = null;

/**
 * What the step of a state computes, with the numbers of the element that the reader follows; null where it computes nothing, or
 * nothing is known of it yet.
 */
export function sumNow(state: RunState, ops: readonly OpEntry[], asked: Provenance | null): StepSum | null {
  const origin = asked?.about === 'gradient' ? asked.origin : null;
  const followed = origin ? `${origin.subject.name} ${origin.subject.element} ${origin.revision}` : '';
  if (!compute) {
    if (!isFetched) fetchComputing();
    return null;
  }
  const isSame =
    last?.ops === ops &&
    last.followed === followed &&
    last.state.seq === state.seq &&
    last.state.history === state.history;
  if (!last || !isSame || last.state.events.length !== state.events.length)
    last = {
      state,
      ops,
      followed,
      sum: compute(state, ops, origin ? origin.tree.sentBy.bind(origin.tree) : undefined),
    };
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

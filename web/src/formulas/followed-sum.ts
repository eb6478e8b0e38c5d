// The sum of a step with the numbers of the elements that a question of the reader is about.

import type { Provenance } from '../origins/provenance';
import type { OpApplied } from '../protocol/events';
import type { OpEntry } from '../run/api';
import type { StepSum } from '../scene/parts/parts';
import type { RunState } from '../timeline/state';
import { type Following, stepSum } from './step-sum';

/** The sum of the step of a state; null where it computes nothing. */
export function followedSum(state: RunState, ops: readonly OpEntry[], asked: Provenance | null): StepSum | null {
  return stepSum(state, ops, followingOf(asked));
}

/** The elements on the way of what was asked about: of an element of a gradient or of a tensor, or of a value that is not finite. */
export function followingOf(asked: Provenance | null): Following | undefined {
  if (asked?.about === 'gradient') {
    const { tree } = asked.origin;
    return {
      sent: tree.sentBy.bind(tree),
      made: ({ node }) => (node ? tree.elementOf(node.node) : null),
    };
  }
  if (asked?.about === 'element') {
    const { tensor, element } = asked;
    return { sent: () => null, made: ({ outputs }) => (outputs[0]?.tensor === tensor ? element : null) };
  }
  if (asked?.about !== 'value') return undefined;
  const { links } = asked.chain;
  const made = ({ seq }: OpApplied) => links.find((link) => link.seq === seq)?.element ?? null;
  return { sent: () => null, made };
}

// The sum of a step with the numbers of the elements that a question of the reader is about.

import type { Provenance } from '../origins/provenance';
import type { OpApplied } from '../protocol/events';
import type { OpEntry } from '../run/api';
import type { StepSum } from '../scene/parts/parts';
import type { RunState } from '../timeline/state';
import { factorsIn } from './forward-element';
import type { Made } from './forward-op';
import { reducedTo } from './reduction';
import { type Following, stepSum } from './step-sum';
import { type Laid, viewedAt } from './viewed';

/** The sum of the step of a state; null where it computes nothing. */
export function followedSum(state: RunState, ops: readonly OpEntry[], asked: Provenance | null): StepSum | null {
  const following = followingOf(asked);
  if (asked?.about !== 'element' || !following) return stepSum(state, ops, following);
  const { tensor, element } = asked;
  const made = (op: OpApplied) => {
    const value = state.tensorAt(tensor, op.seq)?.value;
    return following.made(op) ?? (value ? usedIn(op, ops, { tensor, element, value }) : null);
  };
  return stepSum(state, ops, { ...following, made });
}

/** An element of a tensor, and what is known of that. */
type Followed = { tensor: number; element: readonly number[]; value: Laid };

/**
 * The first element of the result of an op that an element of its operand goes into; null where the op does not take the
 * tensor, or the place of what it makes of it does not follow from that of the element.
 */
export function usedIn(op: OpApplied, ops: readonly OpEntry[], { tensor, element, value }: Followed): Made | null {
  const { shape } = value;
  const out = op.outputs[0]?.value.shape;
  const name = op.op.replace(/(?<=.)_$/, '');
  const nr = op.inputs.findIndex((input) => input.tensor === tensor);
  if (!out || nr < 0) return null;
  if (op.is_view) {
    const place = viewedAt(op, element, value);
    return place && { place, term: null, seen: { tensor, element } };
  }
  const missing = out.length - shape.length;
  const broadcast = { place: out.map((_, i) => (i < missing ? 0 : element[i - missing]!)), term: null };
  if (ops.some((entry) => entry.elementwise && entry.name === name)) return broadcast;
  const factors = factorsIn({ op: name, event: op });
  if (!factors) return reducedTo({ ...op, op: name }, element, shape);
  // What is added to a product has the place of the sum; an element of a dim of one goes to the first of its results.
  if (!factors.includes(nr)) return broadcast;
  if (nr === factors[0]) {
    const row = element.slice(0, -1);
    return { place: out.map((_, dim) => row[dim] ?? 0), term: element.at(-1)! };
  }
  if (shape.length === 1) return { place: out.map(() => 0), term: element[0]! };
  return { place: [...element.slice(0, -2), 0, element.at(-1)!], term: element.at(-2)! };
}

/** The elements on the way of what was asked about: of an element of a gradient or of a tensor, or of a value that is not finite. */
export function followingOf(asked: Provenance | null): Following | undefined {
  if (asked?.about === 'gradient') {
    const { tree } = asked.origin;
    return {
      sent: tree.sentBy.bind(tree),
      made: ({ node }) => madeAt(node ? tree.elementOf(node.node) : null),
      leaf: (_, node) => (node === null ? null : tree.elementOf(node)),
    };
  }
  if (asked?.about === 'element') {
    const { tensor, element } = asked;
    return {
      sent: () => null,
      made: ({ outputs }) => madeAt(outputs[0]?.tensor === tensor ? element : null),
      leaf: (leaf) => (leaf === tensor ? element : null),
    };
  }
  if (asked?.about !== 'value') return undefined;
  const { links } = asked.chain;
  const made = ({ seq }: OpApplied) => madeAt(links.find((link) => link.seq === seq)?.element ?? null);
  return { sent: () => null, made };
}

function madeAt(place: readonly number[] | null): Made | null {
  return place && { place, term: null };
}

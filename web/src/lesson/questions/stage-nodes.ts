// The nodes on the stage that a question may be about, and their names in words.

import type { MirrorLayout } from '../../layout/mirror';
import * as say from '../../messages/lesson/questions';
import type { Target } from '../../scene/target';
import { nameAt, type RunState } from '../../timeline/state';

/** More are not offered in a list; they can be pointed at. */
const MOST_LISTED = 200;

/** The nodes that are on the stage in a state, in the order in which they were made. */
export function nodesOn(layout: MirrorLayout, state: RunState): number[] {
  const nodes: number[] = [];
  for (const [node, { born, released }] of state.history.nodes) {
    if (born <= state.seq && released > state.seq && layout.itemOfNode(node)) nodes.push(node);
  }
  return nodes.sort((a, b) => a - b).slice(-MOST_LISTED);
}

/** The node that a thing on the stage belongs to: its own, that which made a tensor, or that of a leaf. */
export function nodeAt(target: Target, state: RunState): number | null {
  switch (target.type) {
    case 'node':
    case 'saved':
      return target.node;
    case 'tensor':
      return state.tensor(target.tensor)?.gradFn ?? nodeOfLeaf(target.tensor, state);
    default:
      return null;
  }
}

function nodeOfLeaf(tensor: number, { history, seq }: RunState): number | null {
  let found: number | null = null;
  for (const [node, { leaf, born, released }] of history.nodes) {
    if (leaf === tensor && born <= seq && released > seq) found = node;
  }
  return found;
}

/** A node in words: its class with the variable that it made, or the leaf that it belongs to. */
export function nodeName(node: number, state: RunState): string {
  const known = state.history.nodes.get(node);
  if (!known) return say.aNode;
  const own = known.leaf === null ? known.made : [known.leaf];
  const names = own.flatMap((tensor) => {
    const history = state.history.tensors.get(tensor);
    return (history && nameAt(history, state.seq)) ?? [];
  });
  return names.length === 0 ? known.name : say.nodeOf(known.name, names.join(', '));
}

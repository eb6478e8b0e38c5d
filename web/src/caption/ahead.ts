// The caption right before a backward pass: it says what the pass starts from, as the step before, such as a print, says little.

import type { BackwardStarted } from '../protocol/events';
import type { RunState } from '../timeline/state';
import { Naming } from './naming';
import { list, say } from './say';

/** Nodes that are looked through for the leaves that a pass reaches. */
const MOST_NODES = 500;
const MOST_LEAVES = 3;

/** `y = 7. Next, y.backward() sends a gradient back to w and b.` */
export function beforeBackward(state: RunState, started: BackwardStarted): string {
  const naming = new Naming(state);
  const roots = started.roots.flatMap((root) => naming.variable(root) ?? []);
  const held = started.roots.flatMap((root) => (naming.variable(root) === null ? [] : [naming.valued(root)]));
  const call =
    started.api === 'grad'
      ? say('before_backward.call_grad')
      : roots.length === 1
        ? say('backward_started.call', { roots: roots[0]! })
        : say('backward_started.call_unnamed');
  const done = held.length > 0 ? say('before_backward.values', { values: list(held) }) : say('before_backward.done');
  const leaves = leavesOf(state, started.root_nodes, naming);
  return leaves ? say('before_backward.next_to', { done, call, leaves }) : say('before_backward.next', { done, call });
}

/** The leaves behind some nodes, as `w and b`; empty where there are too many nodes to look through. */
function leavesOf(state: RunState, roots: readonly number[], naming: Naming): string {
  const { nodes } = state.history;
  const seen = new Set(roots);
  const leaves: number[] = [];
  for (const node of seen) {
    if (seen.size > MOST_NODES) return '';
    const known = nodes.get(node);
    if (known?.leaf != null) leaves.push(known.leaf);
    for (const edge of known?.info?.next_functions ?? []) if (edge) seen.add(edge.node);
  }
  // In the order in which the program made them.
  const names = leaves.sort((a, b) => a - b).flatMap((leaf) => naming.variable(leaf) ?? []);
  return names.length > MOST_LEAVES ? say('before_backward.leaves', { count: names.length }) : list(names);
}

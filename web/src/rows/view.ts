// What the inspector's pages share: the index of the log, the moment, and the ways to point somewhere else.

import type { Mentions } from '../facts/mentions';
import { symbolOf } from '../layout/symbol';
import type { Subject } from '../origins/origin.svelte';
import type { OpEntry } from '../run/api';
import type { Target } from '../scene/target';
import type { History } from '../timeline/history';
import { nameAt, type RunState } from '../timeline/state';
import type { Source } from './looks.svelte';

/** The context in which the number of the step that is shown is found. */
export const STEP = Symbol('step');

export type View = {
  mentions: Mentions;
  history: History;
  state: RunState;
  /** The last event that has happened. */
  seq: number;
  /** The session of the run, where the server has it. */
  session: string | null;
  ops: readonly OpEntry[];
  select: (target: Target) => void;
  /** Shows where an element of a gradient comes from. */
  trace: (subject: Subject) => void;
  /** Shows where an element that is not finite comes from; null for an element that is not known. */
  follow: (name: string, tensor: number, element: readonly number[] | null) => void;
  /** Goes to the step `seq` that computed a tensor, where its sum is that of the element. */
  compute: (tensor: number, element: readonly number[], seq: number) => void;
  /** Shows who holds a storage. */
  holders: (storage: number) => void;
  /** The last event of the run so far. */
  end: number;
  /** Shows an expression over the run, under the timeline. */
  watch: (expression: string) => void;
  goTo: (seq: number) => void;
  stepOf: (seq: number) => number;
};

/** The reader's name for a tensor: its first variable name, as on the stage, else what made it. */
export function tensorName(view: View, tensor: number): string {
  const history = view.history.tensors.get(tensor);
  const name = history ? nameAt(history, view.seq) : null;
  if (name !== null) return name;
  const events = view.mentions.ofTensor(tensor, Number.POSITIVE_INFINITY);
  for (const event of events) {
    if (event.kind === 'op_applied' && event.outputs.some((output) => output.tensor === tensor))
      return symbolOf(event.op);
    if (event.kind === 'tensor_created' && event.info.tensor === tensor) return event.origin;
  }
  return `tensor ${tensor}`;
}

/** What the catalogue of ops says of a node's. */
export function entryOf({ ops }: Pick<View, 'ops'>, { op, name }: { op: string | null; name: string }): OpEntry | null {
  const named = ops.filter((one) => one.grad_fn === name);
  // An op that is there in place alone has its underscore in the catalogue.
  return named.find((one) => one.name === op || one.name === `${op}_`) ?? named[0] ?? null;
}

/** Whether the program has bound the tensor to a variable by now. */
export function isNamed(view: View, tensor: number): boolean {
  return view.mentions.ofTensor(tensor, view.seq).some((event) => event.kind === 'tensor_named');
}

/** The node's name, such as MulBackward0. */
export function nodeName(view: View, node: number): string {
  for (const event of view.mentions.ofNode(node, Number.POSITIVE_INFINITY)) {
    if ((event.kind === 'op_applied' || event.kind === 'graph_rebased') && event.node?.node === node)
      return event.node.name;
    if (event.kind === 'node_created' && event.node === node) return event.name;
  }
  return `node ${node}`;
}

/** Where all elements of a gradient are read that went to a leaf whose `.grad` it became; null for any other. */
export function landingOf(view: View, toNode: number, call: number, parts: number): Source | null {
  const leaf = view.history.nodes.get(toNode)?.leaf ?? null;
  if (leaf === null || parts !== 1) return null;
  const landed = view.history.tensors
    .get(leaf)
    ?.grads.entries.find(
      ({ event }) => event.kind === 'grad_accumulated' && event.call === call && event.node === toNode,
    );
  if (landed?.event.kind !== 'grad_accumulated' || landed.event.before !== null) return null;
  return sourceOf(view, leaf, 'grad', landed.event.seq);
}

/** Where elements of a tensor are read that the log does not have; null where it is gone, or the program cannot be run. */
export function sourceOf(view: View, tensor: number, of: 'data' | 'grad', seq = view.seq): Source | null {
  if (!view.session) return null;
  const isGone = view.mentions.ofTensor(tensor, seq).some((event) => event.kind === 'tensor_released');
  return isGone ? null : { session: view.session, seq, tensor, of };
}

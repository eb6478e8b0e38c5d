// The facts about one node at a moment: its op, what it saved and what became of it, each time it ran.

import type { Argument, Edge, Event, NodeInfo, SavedTensor, Summary, TensorInfo } from '../protocol/events';
import type { Mentions } from './mentions';
import { without } from './tensor-facts';

type Of<K extends Event['kind']> = Extract<Event, { kind: K }>;

export type NodeRun = {
  call: number;
  seq: number;
  gradients: (Summary | null)[];
  sent: Of<'gradient_sent'>[];
  accumulated: Of<'grad_accumulated'> | null;
  finished: boolean;
};
export type SavedSlot = SavedTensor & {
  freed: { seq: number; line: number | null } | null;
  packed: Of<'saved_tensor_packed'> | null;
  unpacked: Of<'saved_tensor_unpacked'> | null;
};
export type NodeFacts = {
  node: number;
  name: string;
  born: { seq: number; line: number | null };
  op: string | null;
  inputs: Argument[];
  outputs: TensorInfo[];
  attributes: Record<string, string>;
  sequenceNr: number | null;
  edges: (Edge | null)[];
  saved: SavedSlot[];
  runs: NodeRun[];
  hooks: Of<'hook_ran'>[];
  /** The hooks that hang on it or its result by now. */
  hung: Of<'hook_registered'>[];
  /** The node whose backward this node was recorded in. */
  during: number | null;
  /** The module that its op ran in. */
  modulePath: string | null;
  /** The leaf that an AccumulateGrad node adds to. */
  leaf: number | null;
  releasedAt: number | null;
};

function fromInfo(info: NodeInfo, event: Event): NodeFacts {
  return {
    node: info.node,
    name: info.name,
    born: { seq: event.seq, line: event.line },
    op: event.kind === 'op_applied' ? event.op : null,
    inputs: event.kind === 'op_applied' ? event.inputs : [],
    outputs: event.kind === 'op_applied' ? event.outputs : [],
    attributes: info.attributes,
    sequenceNr: info.sequence_nr,
    edges: info.next_functions,
    saved: info.saved.map((saved) => ({ ...saved, freed: null, packed: null, unpacked: null })),
    runs: [],
    hooks: [],
    hung: [],
    during: event.kind === 'op_applied' ? event.during : null,
    modulePath: event.kind === 'op_applied' ? event.module_path : null,
    leaf: null,
    releasedAt: null,
  };
}

function beginning(event: Event, node: number): NodeFacts | null {
  if ((event.kind === 'op_applied' || event.kind === 'graph_rebased') && event.node?.node === node) {
    return fromInfo(event.node, event);
  }
  if (event.kind !== 'node_created' || event.node !== node) return null;
  const info = { node, name: event.name, sequence_nr: 0, next_functions: [], saved: [], attributes: {} };
  return { ...fromInfo(info, event), sequenceNr: null, leaf: event.tensor };
}

/** The facts of a node after event `seq`; null when it is not there yet. */
export function nodeFacts(mentions: Mentions, node: number, seq: number): NodeFacts | null {
  let facts: NodeFacts | null = null;
  for (const event of mentions.ofNode(node, seq)) {
    facts ??= beginning(event, node);
    if (facts) apply(facts, event);
  }
  return facts;
}

function apply(facts: NodeFacts, event: Event): void {
  const run = facts.runs.at(-1);
  switch (event.kind) {
    case 'node_started':
      facts.runs.push({
        call: event.call,
        seq: event.seq,
        gradients: event.gradients,
        sent: [],
        accumulated: null,
        finished: false,
      });
      break;
    case 'gradient_sent':
      if (run && event.node === facts.node) {
        // One that was changed takes the place of the first.
        const at = run.sent.findIndex((one) => one.input_nr === event.input_nr);
        run.sent.splice(at < 0 ? run.sent.length : at, at < 0 ? 0 : 1, event);
      }
      break;
    case 'node_finished':
      if (run) run.finished = true;
      break;
    case 'grad_accumulated':
      if (run) run.accumulated = event;
      break;
    case 'buffer_freed': {
      const slot = facts.saved.find((saved) => saved.slot === event.slot && saved.freed === null);
      if (slot) slot.freed = { seq: event.seq, line: event.line };
      break;
    }
    case 'saved_tensor_packed':
    case 'saved_tensor_unpacked': {
      const slot = facts.saved.find((saved) => saved.slot === event.slot);
      if (slot && event.kind === 'saved_tensor_packed') slot.packed = event;
      else if (slot && event.kind === 'saved_tensor_unpacked') slot.unpacked = event;
      break;
    }
    case 'hook_registered':
      facts.hung.push(event);
      break;
    case 'hook_removed':
      facts.hung = without(facts.hung, event);
      break;
    case 'hook_ran':
      facts.hooks.push(event);
      break;
    case 'node_released':
      facts.releasedAt = event.seq;
      break;
  }
}

/** The argument whose gradient a node sends as input number `inputNr`. */
export function argumentOf(
  { inputs, edges }: { inputs: readonly Argument[]; edges: readonly (Edge | null)[] },
  inputNr: number,
): Argument | null {
  const tensors = inputs.filter((input) => input.tensor !== null);
  return (edges.length === inputs.length ? inputs[inputNr] : tensors[inputNr]) ?? null;
}

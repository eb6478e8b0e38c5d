// Sentences on what becomes of saved tensors between their op and its backward (hooks, checkpoints), and on tangents.

import type {
  CheckpointEntered,
  Event,
  RecomputationFinished,
  RecomputationStarted,
  SavedTensorPacked,
  TangentComputed,
} from '../protocol/events';
import { nodeRan } from './backward';
import { hookSubject } from './hooks';
import { content, list, type Naming } from './naming';
import type { OpSentence } from './template';

/** What a pack hook keeps: the thing itself where it is plain, else its type with an article. */
export function packedText(packed: string): string {
  if (!/^[A-Za-z_]\w*$/.test(packed)) return packed;
  return `${/^[aeiou]/i.test(packed) ? 'an' : 'a'} ${packed}`;
}

export function savedTensorPacked(event: SavedTensorPacked, naming: Naming): string {
  const what = `what ${naming.node(event.node)} saves in ${event.slot}`;
  return `${hookSubject('pack hook', event.hook)} is given ${content(event.value)}, ${what}, and keeps ${packedText(event.packed)}.`;
}

export function checkpointEntered(event: CheckpointEntered): string {
  if (event.selective) {
    return `checkpoint runs ${event.function}: its policy says which results are kept, the others are computed again.`;
  }
  return `checkpoint runs ${event.function} without keeping the tensors that its backward needs.`;
}

export function recomputationStarted(event: RecomputationStarted, naming: Naming): string {
  const who = event.node === null ? 'The backward pass' : naming.node(event.node);
  const slots = naming.state.history.nodes.get(event.node ?? -1)?.info?.saved.map(({ slot }) => slot) ?? [];
  const what = slots.length > 0 ? list(slots) : 'tensors';
  const verb = slots.length === 1 ? 'was' : 'were';
  const { checkpoints } = naming.state.history;
  const block = checkpoints.get(event.checkpoint)?.function ?? 'the function';
  if (checkpoints.get(event.checkpoint)?.reentrant) {
    return `${who} has no graph of what ${block} did: checkpoint runs ${block} again, recorded this time.`;
  }
  if (checkpoints.get(event.checkpoint)?.selective) {
    return `${who} needs ${what}: checkpoint runs ${block} again, for what its policy did not keep.`;
  }
  return `${who} needs ${what}, which ${verb} not kept: checkpoint runs ${block} again.`;
}

/** What the node that waited for a recomputation does now that it is there. */
export function recomputationFinished(
  event: RecomputationFinished,
  events: readonly Event[],
  naming: Naming,
  ops: readonly OpSentence[],
): string {
  const { history } = naming.state;
  const block = history.checkpoints.get(event.checkpoint)?.function ?? 'The function';
  const node = history.recomputations.at(event.seq - 1)?.node ?? null;
  const started = node === null ? undefined : history.nodes.get(node)?.starts.at(event.seq);
  const ran = events.some((other) => other.kind === 'gradient_sent' && other.node === node);
  if (started?.kind !== 'node_started' || !ran) return `${block} has run again.`;
  return `${block} has run again. ${nodeRan(started, events, naming, ops, false)}`;
}

export function tangentComputed(event: TangentComputed, naming: Naming): string {
  const name = naming.valued(event.tensor);
  if (event.op !== null) return `${name} gets the tangent ${content(event.value)} from ${event.op}.`;
  return `${name} is given the tangent ${content(event.value)}: it travels forward with the value.`;
}

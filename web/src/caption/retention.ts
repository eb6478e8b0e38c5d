// Sentences of pack hooks and checkpoints, which replace saved tensors until backward, and of tangents.

import { nameOf } from '../format/op-name';
import type {
  CheckpointEntered,
  Event,
  RecomputationFinished,
  RecomputationStarted,
  SavedTensorPacked,
  TangentComputed,
} from '../protocol/events';
import { nodeRan } from './backward';
import type { OpSentence } from './effect';
import { hookSubject } from './hook-sentences';
import { content, type Naming } from './naming';
import { list, say, text } from './say';

/** What a pack hook keeps: the thing itself where it is plain, else its type with an article. */
export function packedText(packed: string): string {
  if (!/^[A-Za-z_]\w*$/.test(packed)) return packed;
  return say(/^[aeiou]/i.test(packed) ? 'recorded.packed_an' : 'recorded.packed_a', { type: packed });
}

export function savedTensorPacked(event: SavedTensorPacked, naming: Naming): string {
  return say('saved_tensor_packed', {
    hook: hookSubject(say('hook.pack'), event.hook),
    value: content(event.value),
    node: naming.node(event.node),
    slot: event.slot,
    kept: packedText(event.packed),
  });
}

export function checkpointEntered(event: CheckpointEntered): string {
  const { function: called } = event;
  return say(event.selective ? 'checkpoint_entered.selective' : 'checkpoint_entered.plain', { function: called });
}

export function recomputationStarted(event: RecomputationStarted, naming: Naming): string {
  const who = event.node === null ? say('recomputation.pass') : naming.node(event.node);
  const slots = naming.state.history.nodes.get(event.node ?? -1)?.info?.saved.map(({ slot }) => slot) ?? [];
  const what = slots.length > 0 ? list(slots) : say('word.tensors');
  const checkpoint = naming.state.history.checkpoints.get(event.checkpoint);
  const block = checkpoint?.function ?? say('recomputation.function');
  if (checkpoint?.reentrant) return say('recomputation.reentrant', { who, function: block });
  if (checkpoint?.selective) return say('recomputation.selective', { who, what, function: block });
  return say(slots.length === 1 ? 'recomputation.one' : 'recomputation.several', { who, what, function: block });
}

/** What the node that waited for a recomputation does now that it is there. */
export function recomputationFinished(
  event: RecomputationFinished,
  events: readonly Event[],
  naming: Naming,
  ops: readonly OpSentence[],
): string {
  const { history } = naming.state;
  const block = history.checkpoints.get(event.checkpoint)?.function ?? say('recomputation.function_first');
  const again = say('recomputation_finished', { function: block });
  const node = history.recomputations.at(event.seq - 1)?.node ?? null;
  const started = node === null ? undefined : history.nodes.get(node)?.starts.at(event.seq);
  const ran = events.some((other) => other.kind === 'gradient_sent' && other.node === node);
  if (started?.kind !== 'node_started' || !ran) return again;
  return text(again, nodeRan(started, events, naming, ops, false));
}

export function tangentComputed(event: TangentComputed, naming: Naming): string {
  const tensor = naming.valued(event.tensor);
  const value = content(event.value);
  if (event.op !== null) return say('tangent_computed.by_op', { tensor, value, op: nameOf(event.op) });
  return say('tangent_computed.given', { tensor, value });
}

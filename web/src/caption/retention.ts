// Sentences on what becomes of saved tensors between their op and its backward (hooks, checkpoints), and on tangents.

import type {
  CheckpointEntered,
  RecomputationStarted,
  SavedTensorPacked,
  SavedTensorUnpacked,
  TangentComputed,
} from '../protocol/events';
import { hookSubject } from './hooks';
import { content, type Naming } from './naming';

/** What a pack hook keeps: the thing itself where it is plain, else its type with an article. */
export function packedText(packed: string): string {
  if (!/^[A-Za-z_]\w*$/.test(packed)) return packed;
  return `${/^[aeiou]/i.test(packed) ? 'an' : 'a'} ${packed}`;
}

export function savedTensorPacked(event: SavedTensorPacked, naming: Naming): string {
  const what = `what ${naming.node(event.node)} saves in ${event.slot}`;
  return `${hookSubject('pack hook', event.hook)} is given ${content(event.value)}, ${what}, and keeps ${packedText(event.packed)}.`;
}

export function savedTensorUnpacked(event: SavedTensorUnpacked, naming: Naming): string {
  const back = `gives ${naming.node(event.node)} its ${event.slot} back`;
  return `${hookSubject('unpack hook', event.hook)} ${back}: ${content(event.value)}.`;
}

export function checkpointEntered(event: CheckpointEntered): string {
  return `checkpoint runs ${event.function} without keeping the tensors that its backward needs.`;
}

export function recomputationStarted(event: RecomputationStarted, naming: Naming): string {
  const who = event.node === null ? 'Its backward' : naming.node(event.node);
  return `${who} needs tensors that were not kept: checkpoint runs the function again.`;
}

export function tangentComputed(event: TangentComputed, naming: Naming): string {
  const name = naming.valued(event.tensor);
  if (event.op !== null) return `${name} gets the tangent ${content(event.value)} from ${event.op}.`;
  return `${name} is given the tangent ${content(event.value)}: it travels forward with the value.`;
}

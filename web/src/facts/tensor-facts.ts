// The facts about one tensor at a moment: its origin, its value and versions, its gradient and the nodes that saved it.

import * as say from '../messages/breakpoints';
import type { Event, NodeInfo, Summary, TensorInfo } from '../protocol/events';
import type { GradChange as Held } from '../timeline/gradients';
import type { Series } from '../timeline/series';
import type { Mentions } from './mentions';

type Of<K extends Event['kind']> = Extract<Event, { kind: K }>;

export type Version = { version: number; seq: number; line: number | null; by: string };
export type Accumulation = Of<'grad_accumulated'>;
export type GradChange =
  | { how: 'added'; event: Accumulation }
  | { how: 'changed'; event: Of<'tensor_mutated'>; value: Summary }
  | { how: 'captured'; event: Of<'gradient_captured'> }
  | { how: 'cleared'; event: Of<'grad_cleared'> };
export type SavedUse = { node: number; slot: string; version: number; seq: number; freed: number | null };
export type TensorFacts = {
  tensor: number;
  names: string[];
  info: TensorInfo;
  born: { seq: number; line: number | null; by: string };
  value: Summary;
  version: number;
  versions: Version[];
  requiresGrad: boolean;
  gradFn: { node: number; name: string } | null;
  grad: Summary | null;
  gradChanges: GradChange[];
  saved: SavedUse[];
  tangent: Of<'tangent_computed'> | null;
  hooks: Of<'hook_registered'>[];
  releasedAt: number | null;
};

function infoIn(event: Event, tensor: number): TensorInfo | null {
  if (event.kind === 'tensor_created') return event.info.tensor === tensor ? event.info : null;
  if (event.kind !== 'op_applied') return null;
  return event.outputs.find((output) => output.tensor === tensor) ?? null;
}

/** The value that an event gave to a tensor which was there; null where it gave none. */
function given(event: Event, tensor: number): Summary | null {
  if (event.kind === 'tensor_mutated') return event.value;
  if (event.kind !== 'optimizer_stepped') return null;
  return event.updates.find((one) => one.tensor === tensor)?.after ?? null;
}

/** The value of a tensor after event `seq`; null when it is not there yet. */
export function tensorValue(mentions: Mentions, tensor: number, seq: number): Summary | null {
  let first: TensorInfo | null = null;
  for (const event of mentions.lastOfTensor(tensor, seq)) {
    const value = given(event, tensor);
    if (value) return value;
    first = infoIn(event, tensor) ?? first;
  }
  return first?.value ?? null;
}

function savedUses(event: Event, tensor: number, mentions: Mentions, seq: number): SavedUse[] {
  if (event.kind !== 'op_applied' && event.kind !== 'graph_rebased') return [];
  const node = event.node;
  if (!node) return [];
  return node.saved
    .filter((saved) => saved.tensor === tensor)
    .map((saved) => {
      const freed = mentions
        .ofNode(node.node, seq)
        .find((later) => later.kind === 'buffer_freed' && later.slot === saved.slot && later.seq > event.seq);
      return { node: node.node, slot: saved.slot, version: saved.version, seq: event.seq, freed: freed?.seq ?? null };
    });
}

/** The facts of a tensor after event `seq`, with what `grads` has of its `.grad`; null when it is not there yet. */
export function tensorFacts(mentions: Mentions, tensor: number, seq: number, grads?: Series<Held>): TensorFacts | null {
  let facts: TensorFacts | null = null;
  let renewed: NodeInfo | null = null;
  for (const event of mentions.ofTensor(tensor, seq)) {
    const info = infoIn(event, tensor);
    if (info && !facts) {
      const by = event.kind === 'tensor_created' ? event.origin : event.kind === 'op_applied' ? event.op : '';
      facts = {
        tensor,
        names: [],
        info,
        born: { seq: event.seq, line: event.line, by },
        value: info.value,
        version: info.version,
        versions: [{ version: info.version, seq: event.seq, line: event.line, by }],
        requiresGrad: info.requires_grad,
        gradFn: null,
        grad: null,
        gradChanges: [],
        saved: [],
        tangent: null,
        hooks: [],
        releasedAt: null,
      };
    }
    if (!facts) continue;
    if (info && event.kind === 'op_applied' && event.node) {
      // A view that was changed in place got a node of its own right before, which leads to the op's.
      const isOwn = renewed?.next_functions.some((next) => next?.node === event.node?.node) === true;
      if (!isOwn) facts.gradFn = { node: event.node.node, name: event.node.name };
      facts.requiresGrad = info.requires_grad;
    }
    if (event.kind === 'graph_rebased') renewed = event.node;
    facts.saved.push(...savedUses(event, tensor, mentions, seq));
    apply(facts, event);
  }
  if (facts && grads) tellChangesInPlace(facts, grads, seq);
  return facts;
}

/** Adds what was done to the gradient, which is a tensor of its own, in place. */
function tellChangesInPlace(facts: TensorFacts, grads: Series<Held>, seq: number): void {
  const last = grads.at(seq);
  const change = facts.gradChanges.at(-1);
  if (last && (!change || last.event.seq >= change.event.seq)) facts.grad = last.value;
  const changes = grads.entries
    .slice(0, grads.count(seq))
    .flatMap(({ event, value }) =>
      event.kind === 'tensor_mutated' && value ? [{ how: 'changed' as const, event, value }] : [],
    );
  if (changes.length > 0)
    facts.gradChanges = [...facts.gradChanges, ...changes].sort((a, b) => a.event.seq - b.event.seq);
}

/** Who changed a tensor in place, in words. */
function changerOf(op: string): string {
  return op === 'assignment' ? say.youInTheDebugger : op;
}

function apply(facts: TensorFacts, event: Event): void {
  facts.value = given(event, facts.tensor) ?? facts.value;
  switch (event.kind) {
    case 'tensor_named':
      if (!facts.names.includes(event.name)) facts.names.push(event.name);
      break;
    case 'tensor_mutated':
      facts.version = event.version;
      facts.versions.push({ version: event.version, seq: event.seq, line: event.line, by: changerOf(event.op) });
      break;
    case 'requires_grad_changed':
      facts.requiresGrad = event.requires_grad;
      break;
    case 'graph_rebased':
      facts.gradFn = { node: event.node.node, name: event.node.name };
      break;
    case 'grad_accumulated':
      facts.grad = event.after;
      facts.gradChanges.push({ how: 'added', event });
      break;
    case 'gradient_captured':
      if (event.into === 'grad') {
        facts.grad = event.value;
        facts.gradChanges.push({ how: 'captured', event });
      }
      break;
    case 'grad_cleared':
      facts.grad = event.how === 'none' ? null : event.value;
      facts.gradChanges.push({ how: 'cleared', event });
      break;
    case 'tangent_computed':
      facts.tangent = event;
      break;
    case 'hook_registered':
      facts.hooks.push(event);
      break;
    case 'hook_removed':
      facts.hooks = without(facts.hooks, event);
      break;
    case 'tensor_released':
      facts.releasedAt = event.seq;
      break;
  }
}

/** The hooks that hang there when the first one like `removed` is gone. */
export function without(hooks: Of<'hook_registered'>[], removed: Of<'hook_removed'>): Of<'hook_registered'>[] {
  const gone = hooks.find((hook) => hook.where === removed.where && hook.hook === removed.hook);
  return hooks.filter((hook) => hook !== gone);
}

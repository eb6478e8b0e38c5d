// Sentences of the forward pass: new tensors, ops and in-place changes.

import { bytes, heldBytes, values } from '../format/number';
import { nameOf } from '../format/op-name';
import type {
  Event,
  NodeInfo,
  OpApplied,
  RequiresGradChanged,
  SavedTensor,
  Summary,
  TensorCreated,
  TensorInfo,
  TensorMutated,
} from '../protocol/events';
import { isBad } from '../protocol/finite';
import { heldOutputs } from '../protocol/outputs';
import { askedInfinity } from '../timeline/asked-infinities';
import { type Fate, fateOf, isDropped } from '../timeline/state';
import { type OpSentence, tangentEffect } from './effect';
import { hookSubject } from './hook-sentences';
import { content, type Naming, shapedTensor } from './naming';
import { making, placeWords } from './nan-cause';
import { packedText } from './retention';
import { list, say, text } from './say';
import { numeral } from './written-op';

/** A result with its variable: `y = 7`, `h, an [8, 4] tensor`; without one its value alone. */
function held({ tensor, value }: TensorInfo, naming: Naming): string {
  const name = naming.variable(tensor);
  const elements = values(value, 28);
  if (!name) return elements ?? shapedTensor(value);
  return elements
    ? say('held.elements', { name, value: elements })
    : say('held.shape', { name, value: shapedTensor(value) });
}

export function tensorCreated({ info, origin }: TensorCreated, naming: Naming): string {
  const name = naming.variable(info.tensor);
  const made = held(info, naming);
  // The engine itself hands these over; no function of the program made them.
  if (origin === 'alias' && !naming.state.call) {
    const value = content(info.value);
    return name ? say('tensor_created.alias', { name, value }) : say('tensor_created.alias_unnamed', { value });
  }
  if (['alias', 'grad', 'gradient'].includes(origin))
    return say(name ? 'tensor_created.gradient' : 'tensor_created.gradient_unnamed', { made });
  if (origin === 'data') return say('tensor_created.data', { made });
  if (origin === 'dropout') return say('tensor_created.dropout', { made });
  const tracked = name ? say('tensor_created.tracked', { name }) : say('tensor_created.tracked_unnamed');
  return text(say('tensor_created.made', { origin, made }), info.requires_grad ? tracked : '');
}

export function opApplied(
  event: OpApplied,
  events: readonly Event[],
  naming: Naming,
  ops: readonly OpSentence[],
  foretells: boolean,
): string {
  const expression = naming.expression(event.op, event.inputs);
  const repeated = repeatedBy(naming);
  if (repeated !== null) {
    const isKept = naming.state.history.selective.givenBack.has(event.seq);
    const places = { function: repeated, expression, results: outputsOf(event, naming) };
    return say(isKept ? 'op_applied.given_back' : 'op_applied.again', places);
  }
  if (event.in_place) return inPlace(event, events, naming, foretells);
  if (event.op === 'BackwardHookFunction') return say('op_applied.backward_hooks', { expression });
  const tangent = tangentOf(event, events, naming, ops);
  const fate = tangent && !event.node ? '' : tape(event, events, naming);
  const gives = say('op_applied.gives', { expression, results: outputsOf(event, naming) });
  return text(gives, tangent, fate, begins(event, naming));
}

/** The function by which a checkpoint computes again what its graph already has. */
function repeatedBy({ state }: Naming): string | null {
  const checkpoint = state.history.checkpoints.get(state.recomputation?.checkpoint ?? -1);
  return checkpoint?.reentrant === false ? checkpoint.function : null;
}

function outputsOf(event: OpApplied, naming: Naming): string {
  return list(heldOutputs(event).map((output) => held(output, naming))) || say('word.nothing');
}

/** The tangent of the result, and what it was made from where that can be said. */
function tangentOf(event: OpApplied, events: readonly Event[], naming: Naming, ops: readonly OpSentence[]): string {
  const output = event.outputs[0];
  const made = events.find((other) => other.kind === 'tangent_computed' && other.tensor === output?.tensor);
  if (!output || made?.kind !== 'tangent_computed') return '';
  const carriers = event.inputs.flatMap(({ name, tensor }) => {
    const tangent = tensor === null ? undefined : naming.state.history.tensors.get(tensor)?.tangents.at(event.seq);
    return tangent ? [{ name, tangent: tangent.value }] : [];
  });
  const clauses = carriers.map(({ name, tangent }) => {
    const fits = tangent.shape.length === 0 || tangent.shape.join() === output.value.shape.join();
    return fits ? tangentEffect(ops, event, name, tangent, naming) : null;
  });
  const result = { tangent: content(made.value) };
  if (clauses.length === 0 || clauses.includes(null)) return say('op_applied.tangent', result);
  const places = { ...result, op: nameOf(event.op), verbs: [...new Set(clauses)].join(say('join.and')) };
  return say(clauses.length > 1 ? 'op_applied.tangent_of_several' : 'op_applied.tangent_of_one', places);
}

/** Where a NaN or an infinity comes from finite numbers, that is said. */
function begins(event: OpApplied, naming: Naming): string {
  const bad = event.outputs.find(({ value }) => isBad(value))?.value;
  if (!bad || event.inputs.length === 0) return '';
  const wasFinite = event.inputs.every(({ tensor }) => {
    const value = tensor === null ? null : naming.state.tensor(tensor)?.value;
    return !value || !isBad(value);
  });
  if (!wasFinite) return '';
  const asked = bad.nan_count > 0 ? null : askedInfinity(event);
  if (asked !== null) return say('non_finite.asked', { value: asked });
  const places = { what: say(bad.nan_count > 0 ? 'word.nan' : 'word.inf'), at: placeWords(bad) };
  const made = making(event, bad, naming.state);
  return made === null ? say('non_finite.op', places) : say('non_finite.op_made', { ...places, making: made });
}

function tape(event: OpApplied, events: readonly Event[], naming: Naming): string {
  if (!event.node) {
    const cut = event.inputs.some(({ tensor }) => tensor !== null && naming.state.tensor(tensor)?.requiresGrad);
    if (event.op === 'detach') return say('unrecorded.detach');
    const { mode } = naming.state;
    if (mode === 'function') return say('unrecorded.function');
    if (!cut) return say('unrecorded.no_input');
    if (mode === 'grad') return say('unrecorded.cut');
    return say(mode === 'inference' ? 'unrecorded.inference' : 'unrecorded.no_grad');
  }
  const { name: node, saved } = event.node;
  if (saved.length === 0) return say('recorded.plain', { node });
  const called = ({ slot, tensor }: SavedTensor): string => {
    const own = slot.replace('_saved_', '');
    const argument = event.inputs.find((input) => input.name === own)?.text ?? null;
    if (tensor !== null && tensor === event.outputs[0]?.tensor)
      return naming.variable(tensor) ?? say('recorded.result');
    // What an op computes beside its result goes by its slot: described by how it was made, it would be the result.
    const isBeside = event.outputs.some((output) => output.tensor === tensor);
    if (tensor === null || (isBeside && !naming.variable(tensor)))
      return numeral(argument) ?? argument ?? say('recorded.slot', { slot: own });
    return naming.tensor(tensor);
  };
  const slots = saved.map(called);
  const packs = events.flatMap((other) =>
    other.kind === 'saved_tensor_packed' && other.node === event.node?.node ? [other] : [],
  );
  const pack = packs[0];
  if (packs.length > 0 && packs.every(isDropped)) {
    return say('recorded.dropped', { node, fates: outcomes(event.node, called, naming) });
  }
  if (pack && packs.length === saved.length) {
    const kept = [...new Set(packs.map((other) => packedText(other.packed)))];
    const hook = hookSubject(say('hook.pack'), pack.hook);
    return say('recorded.packed', { node, hook, saved: list([...new Set(slots)]), kept: list(kept) });
  }
  return say('recorded.saves', { node, saved: list([...new Set(slots)]), bytes: bytes(heldBytes(saved)) });
}

/** What becomes of what a node saves under a checkpoint: the policy keeps it, it is given again, or computed again. */
function outcomes({ node, saved }: NodeInfo, called: (saved: SavedTensor) => string, { state }: Naming): string {
  const packs = state.history.nodes.get(node)?.packs;
  const names: Record<Fate, Set<string>> = { kept: new Set(), given: new Set(), computed: new Set() };
  for (const one of saved) {
    const pack = packs?.get(one.slot);
    names[pack ? fateOf(state.history, pack, one.tensor) : 'computed'].add(called(one));
  }
  const { kept, given, computed } = names;
  return list([
    ...(kept.size > 0 ? [say('recorded.kept', { saved: list([...kept]) })] : []),
    ...(given.size > 0
      ? [say(given.size === 1 ? 'recorded.given_one' : 'recorded.given_several', { saved: list([...given]) })]
      : []),
    ...(computed.size > 0 ? [say('recorded.computed', { saved: list([...computed]) })] : []),
  ]);
}

function inPlace(event: OpApplied, events: readonly Event[], naming: Naming, foretells: boolean): string {
  const output = event.outputs[0];
  const op = nameOf(event.op);
  if (!output) return text(say('in_place.unknown', { op }), rebased(events, naming));
  // By `x.data`, or a part of it, it is x that a reader knows.
  const isData = [output.tensor, output.base].some(
    (tensor) => tensor != null && naming.state.history.tensors.get(tensor)?.origin === 'data',
  );
  const through = events.find((one) => one.kind === 'tensor_mutated' && one.through === output.tensor);
  if (isData && through?.kind === 'tensor_mutated' && !naming.variable(through.through ?? -1)) {
    const value = toValue(through.value);
    const changed = say('in_place.data', { op, tensor: naming.tensor(through.tensor), value });
    return text(changed, foretells ? outdated(through.storage, naming) : '');
  }
  const changed = say('in_place.changes', {
    op,
    tensor: naming.tensor(output.tensor),
    value: naming.variable(output.tensor) ? toValue(output.value) : '',
    version: output.version,
    base: output.base == null ? '' : say('in_place.base', { base: naming.tensor(output.base) }),
  });
  return text(changed, rebased(events, naming), foretells ? outdated(output.storage, naming) : '');
}

function toValue(after: Summary): string {
  const value = values(after, 28);
  return value ? say('in_place.value', { value }) : '';
}

/** Which tensors got another grad_fn, and what it was before. */
function rebased(events: readonly Event[], naming: Naming): string {
  const { history } = naming.state;
  const changes = events.flatMap((event) => {
    if (event.kind !== 'graph_rebased') return [];
    const before = history.tensors.get(event.tensor)?.gradFn.at(event.seq - 1) ?? null;
    const places = { tensor: naming.tensor(event.tensor), node: event.node.name };
    return [
      before === null
        ? say('in_place.grad_fn', places)
        : say('in_place.grad_fn_instead', { ...places, before: naming.node(before) }),
    ];
  });
  return changes.length === 0 ? '' : say('in_place.rebased', { changes: list(changes) });
}

/** Who saved what has changed since and can no longer run. */
export function outdated(storage: number, naming: Naming): string {
  const stale = naming.state.stale(storage);
  const [first] = stale;
  if (!first) return '';
  // A node may have saved it in several slots.
  const more = new Set(stale.map(({ node }) => node.node)).size - 1;
  const places = { node: first.node.name, version: first.saved.version };
  return more > 0 ? say('in_place.outdated_more', { ...places, count: more }) : say('in_place.outdated', places);
}

export function tensorMutated(event: TensorMutated, naming: Naming, foretells: boolean): string {
  const { op, version } = event;
  const name = naming.tensor(event.tensor);
  if (op === 'data') {
    const value = values(event.value, 28);
    if (value) return say('tensor_mutated.data_value', { name, value, version });
    return say('tensor_mutated.data', { name, version });
  }
  const changed = say('tensor_mutated.by_op', { op: nameOf(op), tensor: name, version });
  return text(changed, foretells ? outdated(event.storage, naming) : '');
}

export function requiresGradChanged(event: RequiresGradChanged, naming: Naming): string {
  const tensor = naming.tensor(event.tensor);
  return say(event.requires_grad ? 'requires_grad_changed.on' : 'requires_grad_changed.off', { tensor });
}

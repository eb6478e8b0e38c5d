// Sentences of the forward pass: tensors that come to be, ops that are applied, changes in place.

import { bytes, heldBytes, shaped, values } from '../format/number';
import type {
  Event,
  NodeInfo,
  OpApplied,
  RequiresGradChanged,
  SavedTensor,
  TensorCreated,
  TensorMutated,
} from '../protocol/events';
import { isBad } from '../protocol/finite';
import { heldOutputs } from '../protocol/outputs';
import { type Fate, fateOf, isDropped } from '../timeline/state';
import { making, placeWords } from './first-nan';
import { hookSubject } from './hooks';
import { content, list, type Naming } from './naming';
import { packedText } from './retention';
import { type OpSentence, tangentVerb } from './template';
import { nameOf, numeral } from './written';

export function tensorCreated(event: TensorCreated, naming: Naming): string {
  const { info, origin } = event;
  const name = naming.variable(info.tensor);
  const text = values(info.value, 28);
  const made = name
    ? text
      ? `${name} = ${text}`
      : `${name}, ${shaped(info.value.shape, 'tensor')}`
    : content(info.value);
  const wants = info.requires_grad
    ? ` It requires grad, so a backward pass will fill ${name ? `${name}.grad` : 'its .grad'}.`
    : '';
  // The engine itself hands these over; no function of the program made them.
  if (origin === 'alias' && !naming.state.call)
    return `${name ?? 'A tensor'} is ${text ?? shaped(info.value.shape, 'tensor')}.`;
  if (['alias', 'grad', 'gradient'].includes(origin))
    return `${name ? `${made} is the gradient that came back` : made}.`;
  if (origin === 'data') return `.data gives ${made}: the same memory, off the tape.`;
  if (origin === 'dropout') return `Dropout draws what it keeps: ${made}.`;
  return `${origin}() makes ${made}.${wants}`;
}

export function opApplied(
  event: OpApplied,
  events: readonly Event[],
  naming: Naming,
  ops: readonly OpSentence[],
): string {
  const expression = naming.expression(event.op, event.inputs);
  const repeated = repeatedBy(naming);
  if (repeated !== null && naming.state.history.givenBack.has(event.seq)) {
    return `${repeated} runs again for the checkpoint: ${expression} is not computed, as the policy kept ${outputsOf(event, naming)}.`;
  }
  if (repeated !== null)
    return `${repeated} runs again for the checkpoint: ${expression} gives ${outputsOf(event, naming)}.`;
  if (event.in_place) return inPlace(event, events, naming);
  if (event.op === 'BackwardHookFunction') {
    return `${expression} hands on what it is given: here the backward hooks of the module see the gradient.`;
  }
  const tangent = tangentOf(event, events, naming, ops);
  const fate = tangent && !event.node ? '' : tape(event, events, naming);
  return [`${expression} gives ${outputsOf(event, naming)}.`, tangent, fate, begins(event, naming)]
    .filter(Boolean)
    .join(' ');
}

/** The function by which a checkpoint computes again what its graph already has. */
function repeatedBy({ state }: Naming): string | null {
  const checkpoint = state.history.checkpoints.get(state.recomputation?.checkpoint ?? -1);
  return checkpoint?.reentrant === false ? checkpoint.function : null;
}

function outputsOf(event: OpApplied, naming: Naming): string {
  const outputs = heldOutputs(event).map(({ tensor, value }) => {
    const name = naming.variable(tensor);
    const text = values(value, 28);
    if (name && text) return `${name} = ${text}`;
    return name ? `${name}, ${shaped(value.shape, 'tensor')}` : (text ?? shaped(value.shape, 'tensor'));
  });
  return list(outputs) || 'nothing';
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
    return fits ? tangentVerb(ops, event, name, tangent, naming) : null;
  });
  const how = clauses.length > 0 && clauses.every((clause) => clause !== null);
  const said = [...new Set(clauses)].join(' and ');
  const sum = clauses.length > 1 ? ', and adds' : '';
  return `Its tangent is ${content(made.value)}${how ? `: ${nameOf(event.op)} ${said}${sum}` : ''}.`;
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
  const begun = `The ${bad.nan_count > 0 ? 'NaN' : 'Inf'} begins here${placeWords(bad)}`;
  const made = making(event, bad, naming.state);
  return made === null ? `${begun}: every input was finite.` : `${begun}: ${made}. Every input was finite.`;
}

function tape(event: OpApplied, events: readonly Event[], naming: Naming): string {
  if (!event.node) {
    const cut = event.inputs.some(({ tensor }) => tensor !== null && naming.state.tensor(tensor)?.requiresGrad);
    if (event.op === 'detach') return 'detach() cuts it from the graph: no gradient flows back through it.';
    const { mode } = naming.state;
    if (mode === 'function') return 'It is inside a custom Function, which is recorded as a whole.';
    if (cut && mode !== 'grad') {
      const under = mode === 'inference' ? 'inference mode' : 'no_grad()';
      return `Under ${under} it is not recorded: no gradient will flow back through it.`;
    }
    return cut
      ? 'It is not recorded: no gradient will flow back through it.'
      : 'No input requires grad, so it is not recorded.';
  }
  const { name, saved } = event.node;
  if (saved.length === 0) return `${name} joins the graph; it needs no saved tensors.`;
  const called = ({ slot, tensor }: SavedTensor): string => {
    const own = slot.replace('_saved_', '');
    const text = event.inputs.find((input) => input.name === own)?.text;
    if (tensor !== null && tensor === event.outputs[0]?.tensor) return naming.variable(tensor) ?? 'its result';
    // What an op computes beside its result goes by its slot: described by how it was made, it would be the result.
    const isBeside = event.outputs.some((output) => output.tensor === tensor);
    if (tensor === null || (isBeside && !naming.variable(tensor))) return numeral(text ?? null) ?? text ?? `its ${own}`;
    return naming.tensor(tensor);
  };
  const slots = saved.map(called);
  const packs = events.flatMap((other) =>
    other.kind === 'saved_tensor_packed' && other.node === event.node?.node ? [other] : [],
  );
  const pack = packs[0];
  if (packs.length > 0 && packs.every(isDropped)) {
    return `${name} joins the graph. Under checkpoint it keeps nothing: ${outcomes(event.node, called, naming)}.`;
  }
  if (pack && packs.length === saved.length) {
    const kept = [...new Set(packs.map((other) => packedText(other.packed)))];
    return `${name} joins the graph. ${hookSubject('pack hook', pack.hook)} is given ${list([...new Set(slots)])} and keeps ${list(kept)} instead.`;
  }
  const total = heldBytes(saved);
  return `${name} joins the graph and saves ${list([...new Set(slots)])} for the backward pass: ${bytes(total)}.`;
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
    ...(kept.size > 0 ? [`the policy keeps ${list([...kept])}`] : []),
    ...(given.size > 0 ? [`${list([...given])} ${given.size === 1 ? 'is' : 'are'} given again`] : []),
    ...(computed.size > 0 ? [`${list([...computed])} will be computed again`] : []),
  ]);
}

function inPlace(event: OpApplied, events: readonly Event[], naming: Naming): string {
  const output = event.outputs[0];
  const name = output ? naming.tensor(output.tensor) : 'a tensor';
  const after = output ? values(output.value, 28) : null;
  const value = after && output && naming.variable(output.tensor) ? ` to ${after}` : '';
  // By `x.data`, or a part of it, it is x that a reader knows.
  const isData = [output?.tensor, output?.base].some(
    (tensor) => tensor != null && naming.state.history.tensors.get(tensor)?.origin === 'data',
  );
  const through = events.find((one) => one.kind === 'tensor_mutated' && one.through === output?.tensor);
  if (isData && through?.kind === 'tensor_mutated' && !naming.variable(through.through ?? -1)) {
    const held = values(through.value, 28);
    const changed = `${nameOf(event.op)} changes ${naming.tensor(through.tensor)} in place through its .data`;
    return [`${changed}${held ? ` to ${held}` : ''}.`, outdated(through.storage, naming)].filter(Boolean).join(' ');
  }
  const base = output?.base != null ? `, and so is ${naming.tensor(output.base)}, which it is a view of` : '';
  const version = output ? `: it is now at version ${output.version}${base}` : '';
  const first = `${nameOf(event.op)} changes ${name} in place${value}${version}.`;
  return [first, rebased(events, naming), output ? outdated(output.storage, naming) : ''].filter(Boolean).join(' ');
}

/** Which tensors got another grad_fn, and what it was before. */
function rebased(events: readonly Event[], naming: Naming): string {
  const { history } = naming.state;
  const told = events.flatMap((event) => {
    if (event.kind !== 'graph_rebased') return [];
    const before = history.tensors.get(event.tensor)?.gradFn.at(event.seq - 1) ?? null;
    const instead = before === null ? '' : ` instead of ${naming.node(before)}`;
    return [`the grad_fn of ${naming.tensor(event.tensor)} is ${event.node.name}${instead}`];
  });
  return told.length === 0 ? '' : `Now ${list(told)}.`;
}

/** Who saved what has changed since and can no longer run. */
export function outdated(storage: number, naming: Naming): string {
  const [first, ...more] = naming.state.stale(storage);
  if (!first) return '';
  const others = more.length > 0 ? `, and so did ${more.length} more` : '';
  return `${first.node.name} saved it at version ${first.saved.version}${others}: running backward there would be an error.`;
}

export function tensorMutated(event: TensorMutated, naming: Naming): string {
  if (event.op === 'data') {
    const name = naming.tensor(event.tensor);
    const to = values(event.value, 28);
    return `${name}.data is replaced${to ? `: ${name} is ${to}` : ''}. Its version stays ${event.version}, so autograd does not see the change.`;
  }
  const first = `${nameOf(event.op)} changes ${naming.tensor(event.tensor)} in place: it is now at version ${event.version}.`;
  return [first, outdated(event.storage, naming)].filter(Boolean).join(' ');
}

export function requiresGradChanged(event: RequiresGradChanged, naming: Naming): string {
  const name = naming.tensor(event.tensor);
  return event.requires_grad ? `${name} requires grad from here on.` : `${name} requires grad no longer.`;
}

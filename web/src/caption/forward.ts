// Sentences of the forward pass: tensors that come to be, ops that are applied, changes in place.

import type { Event, OpApplied, RequiresGradChanged, TensorCreated, TensorMutated } from '../protocol/events';
import { content, list, type Naming } from './naming';
import { bytes, shaped, values } from './number';

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
  if (['alias', 'grad', 'gradient'].includes(origin))
    return `${name ? `${made} is the gradient that came back` : made}.`;
  return `${origin}() makes ${made}.${wants}`;
}

export function opApplied(event: OpApplied, events: readonly Event[], naming: Naming): string {
  const expression = naming.expression(event.op, event.inputs);
  if (event.in_place) return inPlace(event, events, naming);
  const outputs = event.outputs.map(({ tensor, value }) => {
    const name = naming.variable(tensor);
    const text = values(value, 28);
    if (name && text) return `${name} = ${text}`;
    return name ? `${name}, ${shaped(value.shape, 'tensor')}` : (text ?? shaped(value.shape, 'tensor'));
  });
  return [`${expression} gives ${list(outputs) || 'nothing'}.`, tape(event, naming), begins(event, naming)]
    .filter(Boolean)
    .join(' ');
}

/** Where a NaN or an infinity comes from finite numbers, that is said. */
function begins(event: OpApplied, naming: Naming): string {
  const bad = event.outputs.find(({ value }) => value.nan_count + value.inf_count > 0)?.value;
  if (!bad || event.inputs.length === 0) return '';
  const wasFinite = event.inputs.every(({ tensor }) => {
    const value = tensor === null ? null : naming.state.tensor(tensor)?.value;
    return !value || value.nan_count + value.inf_count === 0;
  });
  return wasFinite ? `The ${bad.nan_count > 0 ? 'NaN' : 'Inf'} begins here: every input was finite.` : '';
}

function tape(event: OpApplied, naming: Naming): string {
  if (!event.node) {
    const cut = event.inputs.some(({ tensor }) => tensor !== null && naming.state.tensor(tensor)?.requiresGrad);
    if (event.op === 'detach') return 'detach() cuts it from the graph: no gradient flows back through it.';
    return cut
      ? 'It is not recorded: no gradient will flow back through it.'
      : 'No input requires grad, so it is not recorded.';
  }
  const { name, saved } = event.node;
  if (saved.length === 0) return `${name} joins the graph; it needs no saved tensors.`;
  const slots = saved.map(({ slot, tensor }) => {
    const own = slot.replace('_saved_', '');
    const text = event.inputs.find((input) => input.name === own)?.text;
    if (tensor !== null && tensor === event.outputs[0]?.tensor) return naming.variable(tensor) ?? 'its result';
    return tensor === null ? (text ?? `its ${own}`) : naming.tensor(tensor);
  });
  const total = saved.reduce((sum, slot) => sum + slot.nbytes, 0);
  return `${name} joins the graph and saves ${list([...new Set(slots)])} for the backward pass: ${bytes(total)}.`;
}

function inPlace(event: OpApplied, events: readonly Event[], naming: Naming): string {
  const output = event.outputs[0];
  const name = output ? naming.tensor(output.tensor) : 'a tensor';
  const after = output ? values(output.value, 28) : null;
  const rebased = events.some((other) => other.kind === 'graph_rebased');
  const value = after && output && naming.variable(output.tensor) ? ` to ${after}` : '';
  const version = output ? `: it is now at version ${output.version}` : '';
  const base = rebased ? ' What it is a view of gets a new grad_fn.' : '';
  return `${event.op} changes ${name} in place${value}${version}.${base}`;
}

export function tensorMutated(event: TensorMutated, naming: Naming): string {
  return `${event.op} changes ${naming.tensor(event.tensor)} in place: it is now at version ${event.version}.`;
}

export function requiresGradChanged(event: RequiresGradChanged, naming: Naming): string {
  const name = naming.tensor(event.tensor);
  return event.requires_grad ? `${name} requires grad from here on.` : `${name} requires grad no longer.`;
}

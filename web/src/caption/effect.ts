// Fills the sentences of the op catalogue, such as `multiplies the incoming {g} by the saved {other}`, with a run's names and numbers.

import { shape, values } from '../format/number';
import { power } from '../layout/symbol';
import type { NodeInfo, OpApplied, Summary } from '../protocol/events';
import { own } from '../protocol/own';
import type { Naming } from './naming';
import { numeral } from './written-op';

/** An entry of the op catalogue, as far as sentences need it. */
export type OpSentence = {
  name: string;
  grad_fn: string | null;
  conjugates: boolean;
  summary: Record<string, string>;
};

const PLACE = /\{(\w+)\}/g;
const NUMBER_CHARS = 14;

/** The catalogue's entry for a node: ops that share a grad_fn are distinguished by the op that was called. */
export function entryOf(ops: readonly OpSentence[], event: OpApplied, node: NodeInfo): OpSentence | undefined {
  const called = event.op.replace(/_$/, '');
  const same = ops.filter((op) => op.grad_fn === node.name);
  return same.find((op) => op.name === called) ?? same[0] ?? ops.find((op) => op.name === called);
}

/** The op's name for its input number `inputNr`, counted as in `next_functions`. */
export function inputName(event: OpApplied, inputNr: number, known: Record<string, string>): string | null {
  const candidates = event.inputs.filter((input) => input.tensor !== null || Object.hasOwn(known, input.name));
  return candidates[inputNr]?.name ?? null;
}

/** What a node does to the gradient of one input, with values; null where the catalogue has no sentence. */
export function effect(
  entry: OpSentence | undefined,
  event: OpApplied,
  node: NodeInfo,
  inputNr: number,
  incoming: Summary | null,
  naming: Naming,
): string | null {
  if (!entry) return null;
  const name = inputName(event, inputNr, entry.summary);
  const template = name === null ? undefined : own(entry.summary, name);
  if (!template) return null;
  return fill(entry.conjugates ? conjugated(template, event, naming) : template, event, node, incoming, naming);
}

const SAVED = /the saved (?:result )?\{(\w+)\}/g;

/** A template with the conjugate of each saved value that is complex, unless the op makes real numbers. */
function conjugated(template: string, event: OpApplied, naming: Naming): string {
  const result = event.outputs[0]?.value;
  if (!result?.dtype.includes('complex')) return template;
  return template.replace(SAVED, (saved, name: string) => {
    const tensor = event.inputs.find((input) => input.name === name)?.tensor;
    const value = name === 'result' ? result : tensor == null ? null : naming.state.tensor(tensor)?.value;
    return value?.dtype.includes('complex') ? `the conjugate of ${saved}` : saved;
  });
}

const ELEMENTWISE = /^(multiplies|divides|negates|passes) the incoming \{g\}/;

/** What an op does to the tangent of one input: as in backward, if the op is elementwise; else null. */
export function tangentEffect(
  ops: readonly OpSentence[],
  event: OpApplied,
  input: string,
  tangent: Summary,
  naming: Naming,
): string | null {
  const entry = ops.find((op) => op.name === event.op);
  const template = entry && own(entry.summary, input);
  if (!template || !ELEMENTWISE.test(template)) return null;
  const shortened = template
    .replace('the incoming', 'the tangent')
    .replace('the saved ', 'the ')
    .replace(/ (on to|for) \{\w+\}$/, '');
  return fill(shortened.replace(/the \{(\w+)\}/, '{$1}'), event, null, tangent, naming);
}

function fill(
  template: string,
  event: OpApplied,
  node: NodeInfo | null,
  incoming: Summary | null,
  naming: Naming,
): string {
  const bare = new Set<number>();
  const text = shared(template, event, node, naming).replace(PLACE, (_, place: string, at: number) => {
    const isSaved = template.slice(0, at).endsWith('saved ') || template.slice(0, at).endsWith('saved result ');
    const input = isSaved ? undefined : event.inputs.find((candidate) => candidate.name === place);
    if (input?.tensor == null) return filled(place, event, node, incoming, naming);
    bare.add(input.tensor);
    const name = naming.tensor(input.tensor);
    return name.includes(' ') && !name.startsWith('[') ? `(${name})` : name;
  });
  const values = [...bare].map((tensor) => naming.valued(tensor)).filter((value) => value.includes(' = '));
  return values.length > 0 ? `${withExponents(text)} (${values.join(', ')})` : withExponents(text);
}

/** The value of an op's argument `reduction` for the mean of a loss. */
export const MEAN = '1';

const SHARE = / \/ n$/;

/** A template with the number of elements that a loss is the mean of; without it for other losses. */
function shared(template: string, event: OpApplied, node: NodeInfo | null, naming: Naming): string {
  const reduction = node?.attributes.reduction;
  if (reduction === undefined || !SHARE.test(template)) return template;
  if (reduction !== MEAN) return template.replace(SHARE, '');
  const self = event.inputs.find(({ name }) => name === 'self')?.tensor;
  const held = self == null ? null : naming.state.tensor(self)?.value;
  if (!held) return template;
  return template.replace(SHARE, ` / ${held.shape.reduce((product, dim) => product * dim, 1)}`);
}

/** Computes exponents such as `x^(3 − 1)` and leaves out the exponent 1. */
function withExponents(text: string): string {
  return text.replace(/(\S+|\(.*?\))\^\((\d+) − 1\)/g, (_, base: string, exponent: string) =>
    exponent === '2' ? base : power(String(Number(exponent) - 1), base),
  );
}

function filled(
  place: string,
  event: OpApplied,
  node: NodeInfo | null,
  incoming: Summary | null,
  naming: Naming,
): string {
  if (place === 'g') return (incoming && values(incoming, NUMBER_CHARS)) ?? 'gradient';
  const input = event.inputs.find((candidate) => candidate.name === place);
  if (input?.tensor != null) return naming.valued(input.tensor);
  if (place === 'dim') return dims(input?.text ?? node?.attributes.dim ?? place);
  if (input?.text != null) return numeral(input.text) ?? input.text.replace(/^-/, '−');
  if (place === 'result' && event.outputs[0]) return naming.valued(event.outputs[0].tensor);
  const [, owner, what] = /^(\w+)_(shape|numel|dtype)$/.exec(place) ?? [];
  const value = event.inputs.find((candidate) => candidate.name === owner)?.tensor;
  const held = value == null ? null : naming.state.tensor(value)?.value;
  if (held && what === 'shape') return shape(held.shape);
  if (held && what === 'numel') return String(held.shape.reduce((product, dim) => product * dim, 1));
  if (held && what === 'dtype') return held.dtype;
  return (node && own(node.attributes, place)) ?? place;
}

/** Dims as people write them: `0, 1` and not `(0, 1)`. */
function dims(text: string): string {
  return text.replace(/^\((.*?),?\)$/, '$1').replaceAll('-', '−');
}

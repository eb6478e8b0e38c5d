// The backward formulas of a node, one for each input that gets a gradient: in the reader's names, and with the numbers of a run.

import { argumentOf } from '../facts/node-facts';
import { mostExtreme } from '../origins/element-place';
import { foldedDims } from '../protocol/broadcast';
import type { Argument, Edge, GradientSent, OpApplied, Summary } from '../protocol/events';
import { own } from '../protocol/own';
import type { OpEntry } from '../run/api';
import { at, elementAt, matrix, numeral } from './arithmetic';
import { elementFilled, exactAt, INDEX, isNear } from './element-formula';
import { evaluated, inlined } from './evaluation';
import {
  type Binding,
  bindingOf,
  bracketed,
  conjugated,
  INCOMING,
  named,
  nameLatex,
  numbered,
  plain,
  type Writing,
} from './formula';

/** A node that ran, or is yet to run: what it was made of, what came to it and what it sent. */
export type Ran = {
  inputs: readonly Argument[];
  outputs: OpApplied['outputs'];
  edges: readonly (Edge | null)[];
  saved: readonly { slot: string; tensor: number | null }[];
  /** Null before its first run. */
  run: { gradients: readonly (Summary | null)[]; sent: readonly GradientSent[] } | null;
};

/** What a tensor held when the node was made, and the variable that it is bound to. */
export type Known = { value(tensor: number): Summary | null; variable(tensor: number): string | null };

/** The numbers of a formula: of all of it, or of the element at `place`. */
export type Figures = {
  filled: string;
  /** The same with its sums, or all that the incoming gradient is multiplied by, as what they come to. */
  brief?: string | null;
  result: string | null;
  place: number[] | null;
};

/** What a node sends to one of its inputs. */
export type NodeLine = {
  /** The input: the name of its variable, else of its slot. */
  to: string;
  left: string;
  /** The rule of the catalogue, and the same in the reader's names. */
  latex: string;
  formula: string;
  general: string;
  indexed: boolean;
  argument: Argument;
  sent: GradientSent | undefined;
  /** The shape before a broadcast was folded back. */
  from: readonly number[] | null;
  figures: Figures | null;
};

/** The incoming gradient as it is, or a multiple of it: what an input gets that an op spreads and adds. */
const PASSED = /^(?:\\beta\\, )?g$/;
/** Factors in a row, some of them transposed: what products of matrices have. */
export const PRODUCT = /^(?:\\(?:alpha|beta)\\, ?)?(?:(?:g|\\text\{\w+\})(?:\^T)?(?: ?\\,)? ?){2,}$/;

/** The values that the names in a node's formulas have. */
export function bindingsOf({ inputs, outputs, saved }: Ran, known: Known): Map<string, Binding> {
  const made = new Map<string, Binding>();
  for (const { name, tensor } of inputs) {
    if (tensor !== null) made.set(name, bindingOf(name, known.variable(tensor), known.value(tensor)));
  }
  const output = outputs[0];
  if (output) made.set('result', bindingOf('result', known.variable(output.tensor), output.value));
  for (const { slot, tensor } of saved) {
    const name = slot.replace(/^_saved_/, '');
    if (tensor !== null && !made.has(name)) made.set(name, bindingOf(name, null, known.value(tensor)));
  }
  return made;
}

/** Returns the catalogue's entry of an argument; for an element of a list, that of the list. */
export function ruleFor({ latex }: Pick<OpEntry, 'latex'>, argument: string): string | undefined {
  return own(latex, argument.replace(/\[\d+\]$/, ''));
}

/**
 * A line for each input that gets a gradient and that the catalogue has a formula for; `chosen` gives the element of which the numbers
 * are, where it is not the one that says most.
 */
export function nodeLines(
  entry: OpEntry,
  ran: Ran,
  bindings: ReadonlyMap<string, Binding>,
  chosen: (inputNr: number) => readonly number[] | null = () => null,
): NodeLine[] {
  // What makes a real number of complex ones, as a norm does, has no complex derivative to conjugate.
  const isReal = ran.outputs[0] !== undefined && !ran.outputs[0].value.dtype.includes('complex');
  return ran.edges.flatMap((edge, inputNr) => {
    const argument = argumentOf(ran, inputNr);
    const rule = argument ? ruleFor(entry, argument.name) : undefined;
    const latex = rule && (isReal || !entry.conjugates ? rule : conjugated(rule, bindings));
    if (!edge || !argument || !latex) return [];
    const bound = bindings.get(argument.name);
    const to = bound?.name ?? argument.name;
    const left = `\\nabla ${nameLatex(bound ?? { name: to, isVariable: false })}`;
    const sent = ran.run?.sent.find((one) => one.input_nr === inputNr);
    const formula = named(latex, bindings, ran.inputs);
    const g = ran.run?.gradients[0] ?? null;
    // Some formulas add up themselves what is not of the input's shape.
    const spread = PASSED.test(latex) && sent && g?.shape.join() !== sent.value.shape.join() ? g?.shape : null;
    const from = sent?.reduced_from ?? spread ?? null;
    const dims = from && sent ? foldedDims(from, sent.value.shape).join(',\\,') : null;
    const whole = dims !== null && !sent?.reduced_from ? `\\textstyle\\sum ${latex}` : latex;
    return [
      {
        to,
        left,
        latex,
        formula,
        general: `${left} = ${dims === null ? formula : `\\sum_{\\text{dim }${dims}} ${formula === 'g' ? formula : `\\left(${formula}\\right)`}`}`,
        indexed: latex.search(INDEX) >= 0,
        argument,
        sent,
        from,
        figures: ran.run ? figuresOf(whole, entry, ran, bindings, sent, chosen(inputNr)) : null,
      },
    ];
  });
}

/** A formula with its numbers: single ones, small matrices, or the element that says most. */
function figuresOf(
  latex: string,
  entry: OpEntry,
  ran: Ran,
  bindings: ReadonlyMap<string, Binding>,
  sent: GradientSent | undefined,
  chosen: readonly number[] | null,
): Figures | null {
  const g = ran.run?.gradients[0] ?? null;
  const value = sent && !sent.reduced_from ? sent.value : null;
  const written = (pick: Writing, place: number[] | null = null): Figures | null => {
    const whole = numbered(latex, bindings, g, ran.inputs, pick);
    const filled = whole && inlined(whole, numeral);
    if (filled === null) return null;
    // What all elements come from may have more to it than numbers.
    if (pick === plain && value && value.values.length !== 1 && evaluated(filled) === null) return null;
    return { filled, result: pick(value) ?? (value && matrix(value)), place };
  };
  // A hook may have changed what the formula gave.
  const isSent = (exactly: Writing): boolean => {
    const [computed, given, own] = [numbered(latex, bindings, g, ran.inputs, exactly), exactly(value), exactly(g)].map(
      (text) => evaluated(text ?? '?'),
    );
    return computed == null || given == null || isNear(computed, given, own ?? 0, value!.dtype);
  };
  const single = written(plain);
  if (single !== null && value?.values.length === 1) return isSent(exactAt(null)) ? single : null;
  if (single !== null || !value) return single;
  if (PRODUCT.test(latex)) return chosen ? null : written((summary) => summary && matrix(summary));
  if (!g || value.values.length === 0) return null;
  const place = chosen ? [...chosen] : mostExtreme(value);
  if (entry.elementwise && g.shape.join() === value.shape.join()) {
    const found = isSent(exactAt(place)) ? written(elementAt(place), place) : null;
    return found && { ...found, brief: multipleOf(latex, g, place, bindings, ran.inputs) };
  }
  const filled = elementFilled(latex, { bindings, incoming: g, args: ran.inputs }, value, place);
  return filled && { ...filled, result: elementAt(place)(value), place };
}

/** `0.5 \cdot 1.2`: a formula as a multiple of an element of the incoming gradient; null where it is none. */
function multipleOf(
  latex: string,
  g: Summary,
  place: readonly number[],
  bindings: ReadonlyMap<string, Binding>,
  args: readonly Argument[],
): string | null {
  const factor = /^g \\cdot (.+)$/.exec(latex)?.[1];
  if (factor === undefined || factor.search(INCOMING) >= 0) return null;
  const value = evaluated(numbered(factor, bindings, g, args, exactAt(place)) ?? '?');
  const came = elementAt(place)(g);
  return value === null || came === null ? null : `${bracketed(came)} \\cdot ${bracketed(numeral(value))}`;
}

/** A line with its numbers as one formula. */
export function figuresLatex(left: string, { filled, result, place }: Figures): string {
  const here = place ? at(left, place) : `\\phantom{${left}}`;
  return `${here} = ${filled}${result === null || filled === result ? '' : ` = ${result}`}`;
}

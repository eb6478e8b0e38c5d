// The sum of a backward step: what its node sends to each of its inputs, from the catalogue's formulas.

import type { Naming } from '../caption/naming';
import { asOperand } from '../caption/written-op';
import { elementCount, ravel, unravel } from '../facts/elements';
import { isolated } from '../format/bidi';
import { gradient, number, shape, values } from '../format/number';
import { mostExtreme } from '../origins/element-place';
import type { Arrival, NodeStarted, Summary } from '../protocol/events';
import { entryOf } from '../rows/view';
import type { OpEntry } from '../run/api';
import type { RunState } from '../timeline/state';
import { elementAt, foldedFrom, numeral } from './arithmetic';
import { exactAt, isNear } from './element-formula';
import { evaluated, isDefining } from './evaluation';
import { type Binding, numbered, plain } from './formula';
import { lineText, TRUTHS } from './line-text';
import { elided, termOf } from './mixed/elision';
import { bindingsOf, type NodeLine, nodeLines, PRODUCT, type Ran } from './node-formula';
import { operandName } from './operand-name';
import { added } from './reduction';
import {
  fits,
  holds,
  isReadable,
  isShownAs,
  Marks,
  MOST_ELEMENTS,
  MOST_RULE,
  MOST_SIZED,
  placed,
  type Sum,
  sized,
} from './sum-text';
import { unfolded } from './unfolded';

/** The element of what a node sends to an input that the reader follows, and what it is the sum of; null for none. */
export type Followed = (
  node: number,
  inputNr: number,
  call: number,
) => { element: readonly number[]; arrival: Arrival } | null;

/** What all lines of a node are made from. */
type Sending = {
  ran: Ran;
  bindings: ReadonlyMap<string, Binding>;
  naming: Naming;
  entry: OpEntry;
  isOne: boolean;
  followed(inputNr: number): ReturnType<Followed>;
};

const MOST_RECEIVER = 14;
const MOST_TERMS = 4;
/** Elements of tensors are computed one by one for up to so many of them. */
const MOST_COUNT = 4;
/** A gradient is computed before its broadcast is folded back for up to so many elements. */
const MOST_FOLDED = 64;
/** Commands and words of LaTeX, which may have a g. */
const WORD = /\\text\{[^}]*\}|\\(?!sum)[A-Za-z]+/g;

/** The sums of what a node that ran sent; none where the catalogue has no formula for it. */
export function backwardSums(
  started: NodeStarted,
  state: RunState,
  ops: readonly OpEntry[],
  naming: Naming,
  follow: Followed = () => null,
): readonly Sum[] {
  const known = state.history.nodes.get(started.node);
  if (!known?.info || !known.op) return [];
  const entry = entryOf({ ops }, { op: known.op.op.replace(/_$/, ''), name: known.name });
  if (!entry) return [];
  const sent = state.events.flatMap((event) =>
    event.kind === 'gradient_sent' && event.node === started.node ? [event] : [],
  );
  const ran: Ran = {
    inputs: known.op.inputs,
    outputs: known.op.outputs,
    edges: known.info.next_functions,
    saved: known.info.saved,
    run: { gradients: started.gradients, sent },
  };
  const bindings = bindingsOf(ran, {
    value: (tensor) => state.tensorAt(tensor, known.born)?.value ?? null,
    variable: (tensor) => {
      const name = naming.variable(tensor);
      return name === null ? null : isolated(name);
    },
  });
  const followed = (inputNr: number) => follow(started.node, inputNr, started.call);
  const all = nodeLines(entry, ran, bindings, (inputNr) => followed(inputNr)?.element ?? null);
  const lines = all.filter((line) => line.sent);
  const sending = { ran, bindings, naming, entry, isOne: lines.length === 1, followed };
  const failed = state.events.some((event) => event.kind === 'error_raised' && event.node === started.node);
  if (failed && lines.length === 0) return all.map((line) => unsent(line, { ...sending, isOne: all.length === 1 }));
  return lines.map((line) => sumOf(line, sending));
}

/** `1 × w = ?`: what a node that failed would have sent. */
function unsent(line: NodeLine, sending: Sending): Sum {
  const { parts } = normParts(line, sending);
  return { parts: [...parts, '?'], arrow: null, to: receiverOf(line, sending) };
}

function receiverOf({ argument: { name, tensor }, to, sent }: NodeLine, { naming }: Sending): string {
  const text = tensor === null ? '' : naming.tensor(tensor);
  // What would be named by its numbers or shape alone goes by the node that gets the gradient.
  const isNamed = [...text].length <= MOST_RECEIVER && !/^[[−\d]/.test(text);
  if (isNamed) return isolated(text);
  return sent && to === name ? naming.receiver(sent.to_node, sent.output_nr) : to;
}

function sumOf(line: NodeLine, sending: Sending): Sum {
  const to = receiverOf(line, sending);
  const followed = sending.followed(line.sent!.input_nr);
  const parts = followed
    ? (numberParts(line, sending) ?? sharedParts(line, followed))
    : (foldedParts(line, sending) ??
      elementParts(line, sending) ??
      passedParts(line, sending) ??
      numberParts(line, sending));
  return parts ? { parts, arrow: null, to } : { ...normParts(line, sending), to };
}

/** `1 × x`, `1 × 3`, `3`: the rule with what came, with all numbers, and what it comes to; null where that is not what was sent. */
function numberParts(line: NodeLine, sending: Sending): string[] | null {
  const { figures, sent } = line;
  const { ran, bindings } = sending;
  const g = ran.run?.gradients[0] ?? null;
  if (!figures || !sent || line.from || !g) return null;
  const { filled, brief, place } = figures;
  const result = (place ? elementAt(place) : plain)(sent.value);
  const given = sent.value.values[place ? ravel(place, sent.value.shape) : 0];
  if (result === null || given === undefined || Array.isArray(given)) return null;
  // The numbers have been compared with what was sent, but not as they are shown.
  if (place) {
    for (const text of brief && brief !== filled ? [filled, brief] : [filled]) {
      const parts = holds(text, Number(given)) ? placed(place, lineText(text), lineText(result)) : null;
      if (parts) return parts;
    }
    return null;
  }
  if (!holds(filled, Number(given))) return null;
  const whole = numbered(line.latex, bindings, g, ran.inputs, exactAt(null));
  const value = whole === null ? null : evaluated(whole);
  if (value === null || !isNear(value, Number(given), Number(g.values[0] ?? 0), sent.value.dtype)) return null;
  const opened = isDefining(line.latex) ? null : openFormula(line, sending, g);
  const texts = [opened, lineText(filled), lineText(result)].filter((text): text is string => text !== null);
  return fits(texts.filter((text, i) => i === 0 || text !== texts[i - 1]));
}

/** `‖0.5‖`: a gradient of many elements that is passed on as it is; null for any other. */
function passedParts({ formula, from, sent }: NodeLine, { ran }: Sending): string[] | null {
  const g = ran.run?.gradients[0];
  if (formula !== 'g' || from || !g || g.values.length === 1 || !sent) return null;
  const [came, left] = [g, sent.value].map((one) => sized(one, false));
  return came === left && g.shape.join() === sent.value.shape.join() ? [came!] : null;
}

/** `[1, 1] × x`, `[1, 1] × [3, 4]`, `[3, 4]`: all elements of small tensors that are computed alike; null for any other. */
function elementParts(line: NodeLine, { ran, bindings, entry }: Sending): string[] | null {
  const { sent, latex } = line;
  const g = ran.run?.gradients[0] ?? null;
  if (!entry.elementwise || isDefining(latex) || !sent || line.from || !g || sent.value.shape.join() !== g.shape.join())
    return null;
  const count = sent.value.values.length;
  const result = values(sent.value, MOST_ELEMENTS);
  if (count < 2 || count > MOST_COUNT || result === null || sent.value.shape.length !== 1) return null;
  for (let at = 0; at < count; at += 1) {
    const given = Number(sent.value.values[at]);
    const value = evaluated(numbered(latex, bindings, g, ran.inputs, exactAt([at])) ?? '?');
    if (value === null || !isNear(value, given, Number(g.values[at]), sent.value.dtype)) return null;
    if (!holds(numbered(latex, bindings, g, ran.inputs, elementAt([at])) ?? '?', given)) return null;
  }
  const marks = new Marks();
  const filled = numbered(latex, bindings, g, ran.inputs, (summary) => {
    const text = summary && (plain(summary) ?? values(summary, MOST_ELEMENTS));
    return text && summary.values.length > 1 ? marks.of(text) : text;
  });
  const variables = variablesOf(bindings);
  const opened = numbered(latex, bindings, g, ran.inputs, (summary) => {
    const name = summary === g ? undefined : variables.get(summary);
    const text = name ?? (summary && (plain(summary) ?? values(summary, MOST_ELEMENTS)));
    return text && (name !== undefined || summary!.values.length > 1) ? marks.of(text) : text;
  });
  if (filled === null || opened === null) return null;
  const texts = [opened, filled].map((text) => marks.filled(lineText(text)).replace(TRUTHS, '$1'));
  if (texts[0] === texts[1]) texts.shift();
  if (texts.at(-1) === result) texts.pop();
  return fits([...texts, result]);
}

function variablesOf(bindings: ReadonlyMap<string, Binding>): Map<Summary | null, string> {
  return new Map([...bindings.values()].flatMap((one) => (one.isVariable ? [[one.value, one.name]] : [])));
}

/** The rule with variables for all but the incoming gradient: `1 × x`. */
function openFormula(line: NodeLine, { ran, bindings }: Sending, g: Summary): string | null {
  const marks = new Marks();
  const variables = variablesOf(bindings);
  const filled = numbered(line.latex, bindings, g, ran.inputs, (summary) => {
    const name = summary === g ? undefined : variables.get(summary);
    return name === undefined ? plain(summary) : marks.of(name);
  });
  return filled === null ? null : marks.filled(lineText(filled));
}

/** `1 + 1 + 1 + 1`, `4`: the element of a gradient that was broadcast which says most, as the sum that it is. */
function foldedParts(line: NodeLine, sending: Sending): string[] | null {
  const { from, sent, latex } = line;
  const { ran, bindings, entry } = sending;
  if (!from || !sent) return null;
  const argumentValue = (name: string): Summary | number | null => {
    const argument = ran.inputs.find((input) => input.name === name);
    if (argument?.tensor != null) return bindings.get(name)?.value ?? null;
    return argument?.text == null || !Number.isFinite(Number(argument.text)) ? null : Number(argument.text);
  };
  const incoming = ran.run?.gradients[0] ?? null;
  const before = unfolded(latex, incoming, from, argumentValue) ?? (entry.elementwise ? computed(line, sending) : null);
  const terms = before && foldedFrom(before, sent.value);
  if (!terms) return null;
  const place = mostExtreme(sent.value);
  const flat = ravel(place, sent.value.shape);
  const own = terms[flat]!;
  const given = sent.value.values[flat] as number;
  const ways = elided(
    own.map((value) => termOf(value)),
    added,
    MOST_TERMS,
  );
  const way = ways.find(({ shown }) => isShownAs(added(shown), given, shown));
  if (!way) return null;
  const sum = way.texts.join(' + ').replaceAll('+ −', '− ');
  return placed(terms.length > 1 ? place : [], sum, lineText(numeral(given)));
}

/** `[0, 1]: 2 × 0.5 + 3 × 0.1`, `0.7`: an element that is followed, as the sum of what elements of the incoming gradient give to it. */
function sharedParts(
  { sent }: NodeLine,
  { element: place, arrival }: NonNullable<ReturnType<Followed>>,
): string[] | null {
  const given = elementAt(place)(sent!.value);
  if (given === null) return null;
  const result = lineText(given);
  if (!arrival.adds_up) return placed(place, result, result);
  const { shares, more } = arrival;
  const [only] = shares;
  if (shares.length === 1 && more === 0 && only!.factor === 1)
    return placed(place, only!.element.length > 0 ? `g${shape(only!.element)}` : 'g', result);
  const terms = shares.map(({ incoming, factor, amount }) => {
    const [g, f] = [incoming, factor].map((one) => (typeof one === 'number' ? bracketed(number(one)) : null));
    return g !== null && f !== null ? `${g} × ${f}` : typeof amount === 'number' ? bracketed(number(amount)) : null;
  });
  if (terms.includes(null)) return placed(place, result, result);
  for (let count = Math.min(terms.length, MOST_TERMS); count > 0; count -= 1) {
    const isCut = more > 0 || count < terms.length;
    const parts = placed(place, [...terms.slice(0, count), ...(isCut ? ['…'] : [])].join(' + '), result);
    if (parts) return parts;
  }
  return placed(place, result, result);
}

function bracketed(text: string): string {
  return text.startsWith('−') ? `(${text})` : text;
}

/** A gradient before a broadcast was folded back, each element by the formula; null where one of them has no number. */
function computed({ latex, from }: NodeLine, { ran, bindings }: Sending): { shape: number[]; values: number[] } | null {
  const count = elementCount(from!);
  if (count > MOST_FOLDED) return null;
  const g = ran.run!.gradients[0] ?? null;
  const all = Array.from({ length: count }, (_, flat) =>
    evaluated(numbered(latex, bindings, g, ran.inputs, exactAt(unravel(flat, from!))) ?? '?'),
  );
  return all.includes(null) ? null : { shape: [...from!], values: all as number[] };
}

/** The number of a tensor of one element, without the brackets of its dims. */
function onlyNumber(summary: Summary): string {
  return gradient({ ...summary, shape: [] }, MOST_ELEMENTS);
}

/** `‖0.5‖ · Wᵀ [4, 3]`, which leads to `[8, 4] ‖1.02‖`: the rule with the norm of what came, and the shapes of its factors. */
function normParts(line: NodeLine, { ran, bindings, naming, isOne }: Sending): Omit<Sum, 'to'> {
  const sent = line.sent?.value ?? null;
  const { gradients } = ran.run!;
  const came = gradients.filter((one) => one !== null);
  const incoming = came[0] ?? null;
  const whole = sent && sized(sent, true);
  if (!incoming) return { parts: [], arrow: whole };
  const bare = { parts: [sized(incoming, true)], arrow: whole };
  if (line.latex === '0' || isDefining(line.latex)) return bare;
  const marks = new Marks();
  const isProduct = PRODUCT.test(line.latex);
  const names = new Map(
    [...bindings].map(([slot, { name, isVariable, value }]) => {
      const tensor = isVariable ? null : (ran.inputs.find((input) => input.name === slot)?.tensor ?? null);
      const elements = tensor === null || value === null ? null : values(value, MOST_SIZED);
      return [value, elements ?? (tensor === null ? null : operandName(naming, tensor)) ?? name];
    }),
  );
  const variables = variablesOf(bindings);
  const size = incoming.values.length === 1 ? asOperand(onlyNumber(incoming)) : gradient(incoming, MOST_ELEMENTS);
  const bareLatex = line.latex.replace(WORD, '');
  // A formula of several gradients says which by their subscripts; one of the elements of a single one has a letter for them.
  const isOfSeveral = came.length > 1 || gradients[0] !== incoming || /g_(?![ijt](?![A-Za-z])|\{ij\})/.test(bareLatex);
  // Where it is in a formula more than once, or in a sum, a norm would look as if it were computed with.
  const isFactor =
    !isOfSeveral && !bareLatex.includes('g_') && (incoming.values.length === 1 || !/g.*g|g\[|sum/.test(bareLatex));
  const latex = line.latex.replaceAll('\\mathbf{1}', marks.of('ones'));
  const filled = numbered(latex, bindings, incoming, ran.inputs, (summary) => {
    if (summary === incoming) return marks.of(isFactor ? size : 'g');
    // What a node lacks that has sent nothing goes by its name.
    const number = sent ? plain(summary) : null;
    if (number !== null || !summary) return number;
    const isBareNumber = summary.values.length === 1 && !variables.has(summary);
    if (isBareNumber) return marks.of(onlyNumber(summary));
    return marks.of(names.get(summary) ?? '', isProduct ? summary.shape : null);
  });
  if (filled === null) return bare;
  const text = lineText(line.from && !/\\sum/.test(latex) ? `\\sum ${filled}` : filled);
  const rule = marks.filled(text);
  const written = [isFactor || isOfSeveral ? rule : `g ${size}: ${rule}`, rule].find(
    (one) => [...one].length <= MOST_RULE,
  );
  // An option that was not given has no place in a formula.
  if (!isReadable(text) || text.includes('None') || written === undefined || written === size) return bare;
  return {
    parts: [written],
    arrow: sent && sized(sent, isOne && sent.shape.join() !== incoming.shape.join()),
  };
}

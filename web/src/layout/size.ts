// The sizes of texts, cards, pills and chips.  All text on the stage is monospaced, so widths are exact.

import { brief, bytes, constant, typedShape } from '../format/number';
import type { OpApplied, SavedTensor, Summary } from '../protocol/events';
import { power, roundingOf, symbolOf } from './symbol';

/** Sizes in CSS pixels at scale 1. */
export const SMALL = 12;
export const TEXT = 13;
export const LARGE = 15;
/** A line of a node's sum, and what there is above and below its lines together. */
export const SUM_LINE = 18;
export const SUM_PAD = 8;
export const PILL_HEIGHT = 24;
export const CHIP_HEIGHT = 18;
export const CHIP_GAP = 2;
export const SHOULDER = 8;
export const ROW_HEIGHT = 22;
/** The middle of the texts in that row, below the pill's rim: clear of the rings around the pill. */
export const ROW_MIDDLE = 11;
/** The name and value of a card in one line, where they are short, and in two. */
export const CARD_LINE = 24;
export const CARD_BODY = 44;
export const GRAD_HEIGHT = 20;
export const DECK_STEP = 3;
export const DECK_MOST = 3;
export const AGAIN_HEIGHT = 24;
export const PORT_GAP = 28;
/** Half the distance between the value's lane and the gradient's lane of an edge. */
export const LANE = 4;
export const LABEL_GAP = 8;
export const SEED_HEIGHT = 24;
export const HOOK_HEIGHT = 20;
/** Room in a hook's chip for its sign, before its text. */
export const HOOK_SIGN = 18;
/** What a row below a pill or card takes, such as that of a hook or a tangent. */
export const SUB_ROW = 24;
export const TANGENT_HEIGHT = 20;
/** The longest number with four significant digits: −1.234e−12. */
export const NUMBER_CHARS = 9;
/** Characters that the name and value beside an edge may take; what is longer is cut. */
export const LABEL_CHARS = 22;
export const CARD_CHARS = 20;
/** Characters of a leaf's name on its card that is no path, where there is width enough. */
export const NAME_CHARS = 28;
/** What a value on a card keeps from the version before it. */
const VERSION_GAP = 5;
const LINE_CHARS = 18;
/** Characters of a version beside a name: ` v12`. */
export const VERSION_CHARS = 4;
const PACKED_CHARS = 14;
/** Characters of an op's name, and of its node's, on a pill: with chips beside both the stage of a laptop has room. */
const OP_CHARS = 20;
const NODE_CHARS = 28;
const SHORT_CHIP_CHARS = 14;
const HOOK_NAME_CHARS = 14;
/** Characters of a gradient's number beside an edge, and of one among several results of an op. */
export const GRADIENT_CHARS = 11;
export const BUS_GRADIENT_CHARS = 10;

const ADVANCE = 0.6;

/** The width of a text in JetBrains Mono. */
export function width(text: string | number, size: number): number {
  return (typeof text === 'number' ? text : [...text].length) * size * ADVANCE;
}

/** What a tensor without a name is called where it enters: its value, or its shape. */
export function constantText(value: Summary, isGradient: boolean): string {
  const text = brief(value, 12);
  return isGradient ? `g = ${text}` : text;
}

/** The text, cut with an ellipsis where it is longer than `most` characters. */
export function cut(text: string, most: number): string {
  const letters = [...text];
  return letters.length <= most ? text : `${letters.slice(0, Math.max(1, most - 1)).join('')}…`;
}

/** A name, cut at its beginning where it is a path: its end distinguishes it from others. */
export function cutName(name: string, most: number): string {
  const letters = [...name];
  if (letters.length <= most || !/^[\w[\]'"]+(\.\w+)+$/.test(name)) return cut(name, most);
  const tail = letters.slice(letters.length - Math.max(1, most - 1)).join('');
  const dot = tail.indexOf('.');
  return `…${dot >= 0 && dot < tail.length - 1 && tail.length - dot >= 4 ? tail.slice(dot + 1) : tail}`;
}

/** A text in which each name of what a module has, as `model.fc.weight`, is cut. */
export function cutPaths(text: string, most: number): string {
  return text.replace(/[A-Za-z_]\w*(?:\.\w+)+/g, (path) => cutName(path, most));
}

/** Whether a value is shown as a single number. */
export function isScalar(value: Summary): boolean {
  return value.shape.length === 0;
}

/** Characters that the value of a leaf takes now and later, when an optimizer has changed its digits. */
export function valueChars(value: Summary): number {
  if (isScalar(value)) return NUMBER_CHARS - 2;
  return Math.max([...brief(value, CARD_CHARS)].length, [...typedShape(value)].length);
}

/** Whether the name and value of a leaf have room in one line, with a version between them. */
export function isShort(name: string, value: Summary): boolean {
  return [...name].length + Math.min(CARD_CHARS, valueChars(value)) <= LINE_CHARS;
}

/** The width of a leaf's card with `most` characters of its name; where it is one that `changes`, with room for a version beside that. */
export function cardWidth(
  name: string,
  value: Summary,
  requiresGrad: boolean,
  changes = requiresGrad,
  most = NAME_CHARS,
): number {
  const chars = Math.min(CARD_CHARS, valueChars(value));
  const grad = requiresGrad ? width('.grad ', SMALL) + width(Math.max(NUMBER_CHARS, chars), SMALL) : 0;
  const title = width(cutName(name, most), LARGE) + width(changes ? VERSION_CHARS : 1, SMALL);
  const line = isShort(name, value) ? title + (changes ? VERSION_GAP : 0) + width(chars, TEXT) : title;
  return Math.ceil(Math.max(56, line, width(chars, TEXT), grad) + 24);
}

/** The height of a leaf's card whose name, value and tangent take `body`; its stack of gradients grows out of it. */
export function cardHeight(body: number, requiresGrad: boolean): number {
  return body + (requiresGrad ? GRAD_HEIGHT : 0);
}

/** A saved tensor's slot without what all slots begin with. */
export function slotText(slot: string): string {
  return slot
    .replace(/^saved_tensors/, 'saved')
    .replace(/^_saved_/, '')
    .replace(/^_raw_saved_/, '');
}

/**
 * The text on a saved tensor's chip: its slot, what the program calls it where that says more, its bytes; or what a hook
 * keeps instead.  Where there is little width, a chip that would be long says no name.
 */
export function chipText(
  saved: SavedTensor,
  name: string | null,
  packed: string | null = null,
  isNarrow = false,
): string {
  const slot = slotText(saved.slot);
  if (packed !== null) return `${slot} → ${cut(packed, PACKED_CHARS)}`;
  const size = bytes(saved.nbytes);
  const says = name !== null && name !== slot && !name.endsWith(`.${slot}`);
  const text = says ? `${slot} = ${cutName(name, 10)}  ${size}` : `${slot}  ${size}`;
  return isNarrow && [...text].length > SHORT_CHIP_CHARS ? `${slot}  ${size}` : text;
}

/** The width of a chip. */
export function chipWidth(text: string): number {
  return Math.ceil(width(text, SMALL) + 16);
}

/** What is beside the first op of a checkpoint. */
export function regionText(name: string, again: boolean): string {
  return again ? `↻ ${cut(name, 12)} again` : `checkpoint ${cut(name, 12)}`;
}

/** What a hook is called on its chip. */
export function hookName(where: string, hook: string): string {
  return (
    cut(hook === '<lambda>' ? 'hook' : hook, HOOK_NAME_CHARS) + (where === 'post accumulate' ? ' after .grad' : '')
  );
}

/** The width of a hook's chip, with room for a gradient of this kind before and after it. */
export function hookWidth(name: string, value: Summary | null, changes: boolean): number {
  const chars = value && !isScalar(value) ? Math.min(GRADIENT_CHARS, [...brief(value, GRADIENT_CHARS)].length + 2) : 7;
  return Math.ceil(HOOK_SIGN + width([...name].length + (changes ? 5 + 2 * chars : 0), SMALL) + 8);
}

/** What is in the left half of an op's pill: its symbol and the plain numbers that it was given. */
export function opText(event: OpApplied): string {
  const symbol = symbolOf(event.op, event.inputs);
  const rounding = roundingOf(event.inputs);
  if (rounding !== null) return `${symbol} ${rounding}`;
  const tensors = event.inputs.filter((input) => input.tensor !== null).length;
  const numbers = event.inputs.filter((input) => input.text !== null && /^-?[\d.]+(e-?\d+)?$/.test(input.text));
  const first = numbers[0];
  if (symbol === '^' && first?.name === 'exponent') return power(first.text!);
  if (tensors === 1 && first && ['self', 'other', 'exponent'].includes(first.name) && symbol.length <= 2) {
    const text = constant(Number(first.text));
    return first.name === 'self' || event.op === 'rsub' ? `${text} ${symbol}` : `${symbol} ${text}`;
  }
  return cut(symbol, OP_CHARS);
}

/** The name of a node on its pill: of a long one the end stays, which says that it is one and which of its kind. */
export function nodeText(name: string): string {
  if ([...name].length <= NODE_CHARS) return name;
  const end = /(?:Backward\d*)?$/.exec(name)![0];
  return cut(name.slice(0, name.length - end.length), NODE_CHARS - end.length) + end;
}

/** Room to the left of an edge's start for the name and value of its tensor. */
export function labelChars(name: string | null, value: Summary): number {
  const text = [...brief(value, 14)].length;
  return Math.min(LABEL_CHARS, name ? [...name].length + 3 + text : text);
}

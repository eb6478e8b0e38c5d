// Gives items their texts and sizes, once what they are called is known.

import type { OpApplied, Summary } from '../protocol/events';
import type { HungHook } from '../timeline/hooks';
import type { Item } from './graph';
import {
  AGAIN_HEIGHT,
  BUS_GRADIENT_CHARS,
  CARD_BODY,
  CARD_CHARS,
  CARD_LINE,
  CHIP_GAP,
  CHIP_HEIGHT,
  cardHeight,
  cardWidth,
  chipText,
  chipWidth,
  constantText,
  cutName,
  GRADIENT_CHARS,
  HOOK_HEIGHT,
  hookName,
  hookWidth,
  isShort,
  LABEL_GAP,
  LANE,
  LARGE,
  labelChars,
  NAME_CHARS,
  nodeText,
  opText,
  PILL_HEIGHT,
  PORT_GAP,
  ROW_HEIGHT,
  regionText,
  SEED_HEIGHT,
  SHOULDER,
  SMALL,
  SUB_ROW,
  slotText,
  TANGENT_HEIGHT,
  TEXT,
  VERSION_CHARS,
  width,
} from './size';

/** What is known of tensors when a chunk is placed. */
export type Knowledge = {
  name(tensor: number): string | null;
  value(tensor: number): Summary | null;
  origin(tensor: number): string;
  version(tensor: number): number;
  /** Whether a leaf is one that programs change in place: a parameter or a buffer, or one that was changed. */
  mayChange(tensor: number): boolean;
  hasTangent(tensor: number): boolean;
  /** What a pack hook keeps in place of what a node saves in a slot. */
  packed(node: number, slot: string): string | null;
  /** The grad mode that an op ran under. */
  mode(seq: number): string;
  hooksOfNode(node: number): readonly HungHook[];
  hooksOfTensor(tensor: number): readonly HungHook[];
};

const CHIPS_IN_A_STACK = 2;
/** More chips than in so many stacks are in taller ones, so that an op remains narrow enough to be seen whole. */
const MOST_STACKS = 2;
/** On a narrow page, an op that would be wider than this with two stacks of chips has one. */
const MOST_WIDTH = 480;
const OUTPUT_GAP = 16;
const BUS_END = 24;
/** Characters of the text of each of more than two outputs. */
const BUS_CHARS = 10;
/** How far below their names and values the gradients of such outputs are, and what a text keeps from the next line. */
const BUS_DROP = 18;
const BUS_GAP = LANE + 4;
/** The distance of the chips of hooks from the card above them. */
const HOOKS_BELOW = 4;
/** How far the chips below an op are from its spine: clear of two parallel lines. */
const CHIPS_RIGHT = LANE + 2 * LABEL_GAP;

/** Their distance from what is below, which has a ring. */
const CHIPS_FOOT = 4;

/** A place on either side of the line that leaves an item. */
type Sides = { value: number; gradient: number };

/**
 * How much width there is: in a narrow window chips of saved tensors are short, in a slim one they are below their op too,
 * and in an upright one, which is slim and high, also what a pass recorded is below its graph.
 */
export type Breadth = 'wide' | 'narrow' | 'slim' | 'upright';

/** Sets an item's texts and extents. */
export function label(item: Item, known: Knowledge, breadth: Breadth = 'wide'): void {
  for (const output of item.outputs) output.spread = output.drop = 0;
  if (item.kind === 'op') labelOp(item, known, breadth);
  else labelCard(item, known, breadth);
}

function labelCard(item: Item, known: Knowledge, breadth: Breadth): void {
  const value = known.value(item.tensor);
  item.text = known.name(item.tensor) ?? '';
  // Of a path the ground around the card says the beginning.
  const most = breadth === 'wide' && !item.text.includes('.') ? NAME_CHARS : CARD_CHARS;
  if (item.kind === 'leaf' && !item.text && !item.requiresGrad) item.kind = 'constant';
  if (item.kind !== 'leaf') {
    if (!item.text) item.text = value ? constantText(value, known.origin(item.tensor) === 'gradient') : 'tensor';
    item.text = cutName(item.text, 20);
    item.pillLeft = item.pillRight = Math.ceil(width(item.text, TEXT) / 2 + 20);
    item.height = AGAIN_HEIGHT;
  } else {
    const wide = value ? cardWidth(item.text, value, item.requiresGrad, known.mayChange(item.tensor), most) : 80;
    item.pillLeft = item.pillRight = Math.ceil(wide / 2);
    item.tangent = known.hasTangent(item.tensor);
    item.body = (value && isShort(item.text, value) ? CARD_LINE : CARD_BODY) + (item.tangent ? TANGENT_HEIGHT : 0);
    item.height = cardHeight(item.body, item.requiresGrad);
  }
  item.left = item.pillLeft;
  item.right = item.pillRight;
  if (item.kind !== 'leaf') return;
  const top = item.height + HOOKS_BELOW;
  item.height = labelHooks(item, known.hooksOfTensor(item.tensor), { value: top, gradient: top }, known) - HOOKS_BELOW;
}

/** Places the chips of hooks in rows from `tops` on, beside the line that they sit on; returns where the last row ends. */
function labelHooks(item: Item, hooks: readonly HungHook[], tops: Sides, known: Knowledge): number {
  const rows = { ...tops };
  const value = known.value(item.tensor);
  for (const hung of hooks) {
    if (hung.where === 'node post') continue;
    const side = hung.where.startsWith('module forward') ? 'value' : 'gradient';
    const name = hookName(hung.where, hung.hook);
    const wide = hookWidth(name, value, hung.where !== 'post accumulate');
    const x = side === 'gradient' ? LANE + LABEL_GAP : -LANE - LABEL_GAP - wide;
    item.hooks.push({ hung, side, name, x, y: rows[side], width: wide });
    rows[side] += SUB_ROW;
    item.left = Math.max(item.left, -x);
    item.right = Math.max(item.right, x + wide);
  }
  return Math.max(rows.value, rows.gradient);
}

/** Places the chips of hooks that see what a node sends on at its shoulder. */
function labelPostHooks(item: Item, zone: number, known: Knowledge): void {
  if (item.node === null) return;
  for (const hung of known.hooksOfNode(item.node)) {
    if (hung.where !== 'node post') continue;
    const name = hookName(hung.where, hung.hook);
    const wide = hookWidth(name, known.value(item.inputs[0]?.from.tensor ?? item.tensor), true);
    const x = item.right + SHOULDER;
    item.hooks.push({ hung, side: 'gradient', name, x, y: (zone - HOOK_HEIGHT) / 2, width: wide });
    item.right = x + wide;
  }
}

function labelOp(item: Item, known: Knowledge, breadth: Breadth): void {
  const event = item.event;
  if (event) item.text = opText(event);
  if (event && !event.node) item.reason = reasonOf(event, known);
  const ports = new Set(item.inputs).size;
  const half = width(item.text, LARGE);
  if (item.node === null) {
    item.pillLeft = item.pillRight = Math.ceil(Math.max(24, half / 2 + 16, ((ports - 1) * PORT_GAP) / 2 + 12));
  } else {
    // Its sign is in the middle of the narrow pill, and left of the spine once the name of its node is at the right.
    item.pillLeft = Math.ceil(Math.max(32, half + 18, ((ports - 1) * PORT_GAP) / 2 + 12));
    item.pillRight = Math.ceil(
      Math.max(44, width(nodeText(item.nodeName), SMALL) + 20, ((ports - 1) * PORT_GAP) / 2 + 12),
    );
  }
  item.pillNarrow = Math.min(item.pillLeft, item.pillRight);
  labelChips(item, known, breadth !== 'wide');
  // Below an op with several results their lines would run through the chips.
  const isSlim = breadth === 'slim' || breadth === 'upright';
  const isBelow = isSlim && item.outputs.length === 1 && item.chips.length > 0;
  if (!isBelow) chipsBeside(item, breadth !== 'wide');
  item.pillTop = 0;
  item.left = item.pillLeft;
  item.right = item.pillRight;
  for (const chip of item.chips) if (!isBelow) item.right = Math.max(item.right, chip.x + chip.width);
  labelOutputs(item, known);
  labelPostHooks(item, PILL_HEIGHT, known);
  if (item.checkpoint?.items[0] === item) {
    item.left = Math.max(
      item.left,
      item.pillLeft + SHOULDER + width(regionText(item.checkpoint.function, false), SMALL),
    );
  }
  if (item.reason) item.right = Math.max(item.right, item.pillRight + SHOULDER + width(item.reason, SMALL));
  item.tangent = item.outputs.some(({ tensor }) => known.hasTangent(tensor));
  const hooks = [
    ...(item.node === null ? [] : known.hooksOfNode(item.node)),
    ...item.outputs.flatMap(({ tensor }) => known.hooksOfTensor(tensor)),
  ];
  const drop = item.outputs[0]?.drop ?? 0;
  const row = PILL_HEIGHT + ROW_HEIGHT + drop;
  const top = row + 2;
  const tops = {
    value: item.tangent ? top + SUB_ROW : top,
    gradient: isBelow ? chipsUnder(item, top) : footOf(item, top),
  };
  const bottom = labelHooks(item, hooks, tops, known);
  item.height = (bottom > top ? bottom : row) + (item.seed ? SEED_HEIGHT : 0);
}

/** Why an op is not recorded, where that is not plain from its inputs. */
function reasonOf(event: OpApplied, known: Knowledge): string {
  if (event.op === 'detach') return '';
  const mode = known.mode(event.seq);
  return mode === 'grad' ? '' : mode === 'inference' ? 'inference_mode' : mode;
}

/** Sets the texts and widths of the chips of what a node saves. */
function labelChips(item: Item, known: Knowledge, isNarrow: boolean): void {
  for (const chip of item.chips) {
    const { tensor, slot } = chip.saved;
    const packed = item.node === null ? null : known.packed(item.node, slot);
    chip.text = chipText(chip.saved, tensor === null ? null : known.name(tensor), packed, isNarrow);
    chip.width = Math.max(chipWidth(chip.text), packed === null ? 0 : chipWidth(`${slotText(slot)} ← [1, 2, 3]`));
  }
}

/** Places chips at the shoulder of a pill; two above each other reach somewhat beyond its rims, more go on below it. */
function chipsBeside(item: Item, isNarrow: boolean): void {
  let x = item.pillRight + SHOULDER;
  const most = Math.max(0, ...item.chips.map((chip) => chip.width));
  const isOne = isNarrow && item.pillLeft + x + MOST_STACKS * most > MOST_WIDTH;
  const stack = Math.max(CHIPS_IN_A_STACK, Math.ceil(item.chips.length / (isOne ? 1 : MOST_STACKS)));
  for (let first = 0; first < item.chips.length; first += stack) {
    const column = item.chips.slice(first, first + stack);
    const beside = Math.min(column.length, CHIPS_IN_A_STACK);
    const high = beside * CHIP_HEIGHT + (beside - 1) * CHIP_GAP;
    let widest = 0;
    column.forEach((chip, i) => {
      chip.x = x;
      chip.y = (PILL_HEIGHT - high) / 2 + i * (CHIP_HEIGHT + CHIP_GAP);
      widest = Math.max(widest, chip.width);
    });
    x += widest + SHOULDER / 2;
  }
}

/** Returns where the item below chips at a shoulder begins: at `top` or further down. */
function footOf({ chips }: Item, top: number): number {
  return chips.reduce((most, { y }) => Math.max(most, y + CHIP_HEIGHT + CHIP_GAP), top);
}

/** Places chips in rows from `top` on at the right of the line that leaves an op; returns where the last row ends. */
function chipsUnder(item: Item, top: number): number {
  item.chips.forEach((chip, i) => {
    chip.x = CHIPS_RIGHT;
    chip.y = top + i * (CHIP_HEIGHT + CHIP_GAP);
    item.right = Math.max(item.right, chip.x + chip.width);
  });
  return top + item.chips.length * (CHIP_HEIGHT + CHIP_GAP) + CHIPS_FOOT;
}

function labelOutputs(item: Item, known: Knowledge): void {
  const right = LANE + LABEL_GAP + (item.node === null ? 0 : width(GRADIENT_CHARS, SMALL));
  const lefts = item.outputs.map((output) => {
    const value = known.value(output.tensor);
    output.chars = value ? labelChars(known.name(output.tensor), value) : 0;
    // A view shares the version of what it is a view of, which an optimizer may yet change.
    if (known.version(output.tensor) > 0 || item.event?.is_view) output.chars += VERSION_CHARS;
    if (item.outputs.length > 2) output.chars = Math.min(output.chars, BUS_CHARS);
    return LANE + LABEL_GAP + width(output.chars, SMALL);
  });
  if (item.outputs.length === 1) {
    item.left = Math.max(item.left, lefts[0]!);
    item.right = Math.max(item.right, right);
    return;
  }
  const total = placeOutputs(item, lefts, known);
  // The pill reaches over all of its outputs, like a bus.
  item.pillLeft = Math.max(item.pillLeft, BUS_END - item.outputs[0]!.x);
  const reach = Math.max(item.pillRight, item.outputs.at(-1)!.x + BUS_END);
  for (const chip of item.chips) chip.x += reach - item.pillRight;
  item.pillNarrow = reach;
  item.right += reach - item.pillRight;
  item.pillRight = reach;
  item.left = Math.max(item.left, item.pillLeft, total / 2);
  item.right = Math.max(item.right, item.pillRight, total / 2);
}

/**
 * Places the outputs of an op with several, centred: the gradient of each below the name of the next one, so that they are as
 * close as the longer of both lets them be.  Returns what they and their texts take.
 */
function placeOutputs(item: Item, lefts: readonly number[], known: Knowledge): number {
  // Tangents take the row below the names.
  const isDropped = !item.outputs.some(({ tensor }) => known.hasTangent(tensor));
  const chars = item.node === null ? 0 : width(BUS_GRADIENT_CHARS, SMALL);
  const right = LANE + LABEL_GAP + chars;
  let x = 0;
  item.outputs.forEach((output, i) => {
    if (i > 0) x += isDropped ? Math.max(lefts[i]!, right) + BUS_GAP : right + OUTPUT_GAP + lefts[i]!;
    output.x = x;
    output.drop = isDropped && item.node !== null ? BUS_DROP : 0;
  });
  const total = lefts[0]! + x + right;
  for (const output of item.outputs) output.x += lefts[0]! - total / 2;
  return total;
}

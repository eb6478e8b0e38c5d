// Gives items their texts and sizes, once what they are called is known.

import type { Summary } from '../protocol/events';
import type { Item } from './graph';
import {
  AGAIN_HEIGHT,
  CHIP_GAP,
  CHIP_HEIGHT,
  cardHeight,
  cardWidth,
  chipText,
  chipWidth,
  constantText,
  cut,
  GRADIENT_CHARS,
  LABEL_GAP,
  LANE,
  LARGE,
  labelChars,
  opText,
  PILL_HEIGHT,
  PORT_GAP,
  ROW_HEIGHT,
  SEED_HEIGHT,
  SHOULDER,
  SMALL,
  TEXT,
  width,
} from './size';

/** What is known of tensors when a chunk is placed. */
export type Knowledge = {
  name(tensor: number): string | null;
  value(tensor: number): Summary | null;
  origin(tensor: number): string;
};

const CHIPS_IN_A_STACK = 2;
const OUTPUT_GAP = 16;
const BUS_END = 24;

/** Sets an item's texts and extents. */
export function dress(item: Item, known: Knowledge): void {
  if (item.kind === 'op') dressOp(item, known);
  else dressCard(item, known);
}

function dressCard(item: Item, known: Knowledge): void {
  const value = known.value(item.tensor);
  item.text = known.name(item.tensor) ?? '';
  if (item.kind === 'leaf' && !item.text && !item.requiresGrad) item.kind = 'constant';
  if (item.kind !== 'leaf') {
    if (!item.text) item.text = value ? constantText(value, known.origin(item.tensor) === 'gradient') : 'tensor';
    item.text = cut(item.text, 20);
    item.pillLeft = item.pillRight = Math.ceil(width(item.text, TEXT) / 2 + 20);
    item.height = AGAIN_HEIGHT;
  } else {
    const wide = value ? cardWidth(item.text, value, item.requiresGrad) : 80;
    item.pillLeft = item.pillRight = Math.ceil(wide / 2);
    item.height = cardHeight(item.requiresGrad);
  }
  item.left = item.pillLeft;
  item.right = item.pillRight;
}

function dressOp(item: Item, known: Knowledge): void {
  const event = item.event;
  if (event) item.text = opText(event);
  const ports = new Set(item.inputs).size;
  const half = width(item.text, LARGE);
  if (item.node === null) {
    item.pillLeft = item.pillRight = Math.ceil(Math.max(24, half / 2 + 16, ((ports - 1) * PORT_GAP) / 2 + 12));
  } else {
    item.pillLeft = Math.ceil(Math.max(44, half + 24, ((ports - 1) * PORT_GAP) / 2 + 12));
    item.pillRight = Math.ceil(Math.max(44, width(item.nodeName, SMALL) + 24, ((ports - 1) * PORT_GAP) / 2 + 12));
  }
  const zone = dressChips(item, known);
  item.pillTop = (zone - PILL_HEIGHT) / 2;
  item.left = item.pillLeft;
  item.right = item.pillRight;
  for (const chip of item.chips) item.right = Math.max(item.right, chip.x + chip.width);
  dressOutputs(item, known);
  item.height = zone + ROW_HEIGHT + (item.seed ? SEED_HEIGHT : 0);
}

function dressChips(item: Item, known: Knowledge): number {
  const saved = item.chips.map((chip) => chip.saved);
  const inStack = Math.min(CHIPS_IN_A_STACK, saved.length);
  const stack = inStack * CHIP_HEIGHT + Math.max(0, inStack - 1) * CHIP_GAP;
  const zone = Math.max(PILL_HEIGHT, stack);
  let x = item.pillRight + SHOULDER;
  for (let first = 0; first < saved.length; first += CHIPS_IN_A_STACK) {
    const column = item.chips.slice(first, first + CHIPS_IN_A_STACK);
    const high = column.length * CHIP_HEIGHT + (column.length - 1) * CHIP_GAP;
    let widest = 0;
    column.forEach((chip, i) => {
      chip.text = chipText(chip.saved, chip.saved.tensor === null ? null : known.name(chip.saved.tensor));
      chip.width = chipWidth(chip.text);
      chip.x = x;
      chip.y = (zone - high) / 2 + i * (CHIP_HEIGHT + CHIP_GAP);
      widest = Math.max(widest, chip.width);
    });
    x += widest + CHIP_GAP;
  }
  return zone;
}

function dressOutputs(item: Item, known: Knowledge): void {
  const right = LANE + LABEL_GAP + (item.node === null ? 0 : width(GRADIENT_CHARS, SMALL));
  const lefts = item.outputs.map((output) => {
    const value = known.value(output.tensor);
    output.chars = value ? labelChars(known.name(output.tensor), value) : 0;
    return LANE + LABEL_GAP + width(output.chars, SMALL);
  });
  if (item.outputs.length === 1) {
    item.left = Math.max(item.left, lefts[0]!);
    item.right = Math.max(item.right, right);
    return;
  }
  const total = lefts.reduce((sum, left) => sum + left + right + OUTPUT_GAP, -OUTPUT_GAP);
  let x = -total / 2;
  item.outputs.forEach((output, i) => {
    output.x = x + lefts[i]!;
    x += lefts[i]! + right + OUTPUT_GAP;
  });
  // The pill reaches over all of its outputs, like a bus.
  item.pillLeft = Math.max(item.pillLeft, BUS_END - item.outputs[0]!.x);
  const reach = Math.max(item.pillRight, item.outputs.at(-1)!.x + BUS_END);
  for (const chip of item.chips) chip.x += reach - item.pillRight;
  item.right += reach - item.pillRight;
  item.pillRight = reach;
  item.left = Math.max(item.left, item.pillLeft, total / 2);
  item.right = Math.max(item.right, item.pillRight, total / 2);
}

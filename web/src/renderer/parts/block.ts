// Draws modules that are too small to be looked into: their name, how much is in them, and the heat of their gradients.

import { number } from '../../format/number';
import { isNumber } from '../../layout/frame';
import { contains, overlaps, type Rect } from '../../layout/rect';
import { cut, SMALL } from '../../layout/size';
import * as say from '../../messages/pictures';
import type { BlockPart, FramePart } from '../../scene/parts/parts';
import type { Mark, Pen } from '../pen';
import type { ThemeTokens } from '../tokens';
import { type Crossing, drawArrows } from './box-arrow';
import type { Plate } from './frame';

const SHADES = 3;
/** Gradient norms that are shown as no heat and as the most, as powers of ten. */
const COLD = -6;
const HOT = 3;
/** The characters that are left at least of a name before its number: `enc….0`. */
const LEAST_BEGINNING = 3;
const LEAST_HEAT = 0.08;
const MOST_HEAT = 0.6;
/** Half the width of a cross on the screen, in pixels. */
const CROSS = 5;
/** The same where it is on the rims. */
const SMALL_CROSS = 4;

/** Draws blocks, which lie beside each other, and then their texts. */
export function drawBlocks(
  pen: Pen,
  parts: readonly BlockPart[],
  plates: readonly Plate[],
  edges: readonly Crossing[],
): void {
  for (const part of parts) drawBlock(pen, part);
  drawArrows(pen, parts, edges);
  const texts = parts.map((part) => textsOf(pen, part, plates));
  parts.forEach((part, i) => {
    if (part.mark) crossOut(pen, part.rect, texts[i]!);
  });
  pen.marks(texts.flat(), 'center');
}

/** Draws a block; one of a graph that a backward pass recorded has that graph's colour. */
function drawBlock(pen: Pen, part: BlockPart): void {
  const { tokens, scale, ctx } = pen;
  const { x, y, width, height } = part.rect;
  const radius = Math.min(6 / scale, height / 4);
  pen.box(x, y, width, height, radius);
  pen.fill(part.second ? tokens.secondSoft : (tokens.groups[part.shade % SHADES] ?? tokens.sunken));
  if (part.heat) {
    ctx.globalAlpha = shadeOf(part.heat.norm);
    pen.fill(Number.isFinite(part.heat.norm) ? tokens.gradientFill : tokens.error);
    ctx.globalAlpha = 1;
  }
  const { selected, current, hovered } = part;
  const rim = selected ? tokens.focus : current ? tokens.forward : hovered ? tokens.faint : tokens.hairlineStrong;
  pen.stroke(part.second ? tokens.second : rim, (selected || current ? 2.5 : 1) / scale);
}

/** Crosses out the opened places that are marked, but for those in which a mark is seen closer to what is wrong. */
export function crossFrames(pen: Pen, frames: readonly FramePart[], blocks: readonly BlockPart[]): void {
  const marked = [...frames, ...blocks].filter(({ mark }) => mark !== null);
  for (const { mark, rect } of frames) {
    if (mark && !marked.some((other) => other.rect !== rect && contains(rect, other.rect))) crossOut(pen, rect);
  }
}

/** A cross in the lower right corner of what holds an error or a NaN, as large at every scale. */
function crossOut(pen: Pen, rect: Rect, texts: readonly Mark[] = []): void {
  const { x, y, arm } = crossIn(pen, rect, texts);
  pen.ctx.setLineDash([]);
  drawCross(pen.ctx, pen.tokens, x, y, arm);
}

/** Where the cross of a box is: inside its corner, or where that would cover its texts on the rims that meet there. */
export function crossIn(
  { scale }: Pick<Pen, 'scale'>,
  { x, y, width, height }: Rect,
  texts: readonly Mark[],
): { x: number; y: number; arm: number } {
  const arm = Math.min(CROSS / scale, width / 4, height / 4);
  const [right, bottom] = [x + width, y + height];
  const inside = { x: right - 3.25 * arm, y: bottom - 3.25 * arm, width: 2.5 * arm, height: 2.5 * arm };
  const covers = texts.some((text) => overlaps(roomOf(text, scale), inside));
  return covers
    ? { x: right, y: bottom, arm: Math.min(arm, SMALL_CROSS / scale) }
    : { x: right - 2 * arm, y: bottom - 2 * arm, arm };
}

function roomOf({ text, x, y }: Mark, scale: number): Rect {
  const [width, height] = [([...text].length * SMALL * 0.6) / scale, SMALL / scale];
  return { x: x - width / 2, y: y - height / 2, width, height };
}

/** Draws a cross around a place, whose arms reach so far to each side, on a rim of the ground's colour. */
export function drawCross(ctx: CanvasRenderingContext2D, tokens: ThemeTokens, x: number, y: number, arm: number): void {
  for (const [colour, wide] of [
    [tokens.paper, arm],
    [tokens.error, arm / 2],
  ] as const) {
    ctx.beginPath();
    for (const side of [-1, 1]) {
      ctx.moveTo(x - arm, y - side * arm);
      ctx.lineTo(x + arm, y + side * arm);
    }
    ctx.strokeStyle = colour;
    ctx.lineWidth = wide;
    ctx.stroke();
  }
}

/**
 * A name in so many characters; of a range, as a number cut short would be another one, at least the first number or nothing,
 * and of one of several boxes that share a name which one it is.
 */
export function namedIn(name: string, chars: number): string {
  if ([...name].length <= chars) return name;
  const [end, which] = / \S (\d+\/\d+)$/.exec(name) ?? [];
  if (end && which) {
    const room = chars - end.length;
    if (room > LEAST_BEGINNING) return cut(name.slice(0, -end.length), room) + end;
    return which.length <= chars ? which : '';
  }
  const begun = name.replace(/\d+$/, '…');
  if (begun === name || !name.includes('–')) return cut(name, chars);
  return [...begun].length <= chars ? begun : '';
}

/** The name of a block in so many characters, or in a few more what is numbered; else its number with the beginning of its name, or its short name. */
export function nameIn({ name, short }: Pick<BlockPart, 'name' | 'short'>, chars: number, digits: number): string {
  const length = [...name].length;
  if (short === '' || length <= chars) return name;
  if (!isNumber(short) || length <= digits) return isNumber(short) ? name : short;
  const end = `.${short}`;
  const room = digits - end.length - 1;
  return name.endsWith(end) && room >= LEAST_BEGINNING ? `${cut(name, room + 1)}${end}` : short;
}

/** Texts of a block, in the room that plates leave it; none where there is too little. */
export function textsOf(pen: Pen, part: BlockPart, plates: readonly Plate[]): Mark[] {
  const { tokens, scale } = pen;
  const { x, y, width } = part.rect;
  const chars = Math.floor((width * scale - 8) / (SMALL * 0.6));
  // A number is written as a whole or not at all, and may reach as far as the rims, as may the name before it.
  const digits = Math.floor((width * scale - 2) / (SMALL * 0.6));
  if (digits < 1 || part.rect.height < pen.lineHeight) return [];
  // What a plate on the rim leaves free.
  const top = plates.reduce(
    (most, { rect, beside }) => (!beside && overlaps(rect, part.rect) ? Math.max(most, rect.y + rect.height) : most),
    y,
  );
  const height = y + part.rect.height - top;
  const lines = Math.floor((height * scale - 1) / (pen.lineHeight * scale));
  const name = nameIn(part, chars, digits);
  const most = isNumber(part.short) ? digits : chars;
  if (lines < 1 || (isNumber(name) ? digits < name.length : most < Math.min(3, [...name].length || 3))) return [];
  if (name === '' && chars < [...part.detail].length) return [];
  if (name !== '' && namedIn(name, most) === '') return [];
  const word = part.mark ? say.marks[part.mark] : '';
  const isSaid = word !== '' && (lines > 1 || [...name, ...word].length < chars);
  const texts = [name === '' ? part.detail : isSaid && lines === 1 ? `${name} ${word}` : name];
  if (isSaid && lines > 1) texts.push(word);
  if (part.heat && (word === '' || Number.isFinite(part.heat.norm)))
    texts.push(heatText(part.heat.norm, part.heat.given, chars));
  if (part.name !== '') {
    const both = part.shape === '' ? part.detail : `${part.detail}  ${part.shape}`;
    // Where there is room for fewer lines, the number of ops and the shape share one.
    if (lines > texts.length + 1 || [...both].length > chars) texts.push(part.detail, part.shape);
    else texts.push(both);
  }
  const shown = inLines(
    texts.filter((text, i) => i === 0 || (text !== '' && [...text].length <= chars)),
    lines,
    chars,
  );
  return shown.map((text, i) => {
    const middle = top + height / 2 + (i - (shown.length - 1) / 2) * pen.lineHeight;
    // On a ground that is warm only ink is read well.
    const colour = i === 0 || part.heat ? tokens.ink : tokens.muted;
    return {
      text: i === 0 ? namedIn(text, most) : cut(text, chars),
      x: x + width / 2,
      y: middle,
      colour,
      weight: i === 0 ? 600 : 400,
    };
  });
}

/** Texts in so many lines: those that have no line of their own are beside the one before, where they have room. */
export function inLines(texts: readonly string[], lines: number, chars: number): string[] {
  const shown: string[] = [];
  texts.forEach((text, i) => {
    const isLast = shown.length === lines;
    const beside = `${shown.at(-1)}  ${text}`;
    const isShort = shown.length > 0 && [...beside].length <= chars;
    if (isShort && (isLast || texts.length - i > lines - shown.length)) shown[shown.length - 1] = beside;
    else if (!isLast) shown.push(text);
  });
  return shown;
}

/** A gradient norm in as many words as there is room for; what a round gives to parameters has a plus sign. */
function heatText(norm: number, given: boolean, chars: number): string {
  if (!Number.isFinite(norm)) return say.nanOrInfinity;
  const text = `${given ? '+' : ''}‖grad‖ ${number(norm)}`;
  return [...text].length <= chars ? text : `${given ? '+' : ''}‖${number(norm)}‖`;
}

/** How strongly a gradient norm is shown, from 0 to 1: a decade is seen among large ones more than among small ones. */
export function shadeOf(norm: number): number {
  if (norm === 0) return 0;
  if (!Number.isFinite(norm)) return MOST_HEAT;
  const share = Math.min(1, Math.max(0, (Math.log10(norm) - COLD) / (HOT - COLD)));
  return LEAST_HEAT + (MOST_HEAT - LEAST_HEAT) * share ** 2;
}

// Draws modules that are too small to be looked into: their name, how much is in them, and the heat of their gradients.

import { number } from '../caption/number';
import { cut, SMALL } from '../layout/size';
import type { BlockPart } from '../scene/parts';
import type { Pen } from './pen';

const SHADES = 3;
/** Gradient norms that are shown as no heat and as the most, as powers of ten. */
const COLD = -6;
const HOT = 2;
const LEAST_HEAT = 0.1;
const MOST_HEAT = 0.8;
const LINE = 16;

/** Draws a block; one of a graph that a backward pass recorded has that graph's colour. */
export function drawBlock(pen: Pen, part: BlockPart): void {
  const { tokens, scale, ctx } = pen;
  const { x, y, width, height } = part.rect;
  const radius = Math.min(6 / scale, height / 4);
  const path = () => pen.box(x, y, width, height, radius);
  path();
  pen.fill(part.second ? tokens.secondSoft : (tokens.groups[part.shade % SHADES] ?? tokens.sunken));
  const { norm } = part;
  const bad = norm !== null && !Number.isFinite(norm);
  if (norm !== null) {
    ctx.globalAlpha = bad ? MOST_HEAT : heatOf(norm);
    path();
    pen.fill(bad ? tokens.error : tokens.gradientFill);
    ctx.globalAlpha = 1;
  }
  const { selected, current, hovered } = part;
  const rim = selected ? tokens.focus : current ? tokens.forward : hovered ? tokens.faint : tokens.hairlineStrong;
  path();
  pen.stroke(part.second ? tokens.second : rim, (selected || current ? 2.5 : 1) / scale);
  const chars = Math.floor((width * scale - 8) / (SMALL * 0.6));
  const lines = Math.floor((height * scale - 4) / LINE);
  const name = part.short !== '' && chars < [...part.name].length ? part.short : part.name;
  if (lines < 1 || chars < Math.min(3, [...name].length || 3)) return;
  const texts = [name === '' ? part.detail : name];
  if (norm !== null) texts.push(bad ? 'NaN or infinity' : `‖grad‖ ${number(norm)}`);
  if (part.name !== '') texts.push(part.detail);
  const shown = texts.filter((text, i) => i === 0 || [...text].length <= chars).slice(0, lines);
  shown.forEach((text, i) => {
    const middle = y + height / 2 + ((i - (shown.length - 1) / 2) * LINE) / scale;
    pen.mark(
      cut(text, chars),
      x + width / 2,
      middle,
      i === 0 ? tokens.ink : tokens.muted,
      'center',
      i === 0 ? 600 : 400,
    );
  });
}

/** How strongly a gradient norm is shown, from 0 to 1. */
export function heatOf(norm: number): number {
  if (norm === 0) return 0;
  const share = (Math.log10(norm) - COLD) / (HOT - COLD);
  return LEAST_HEAT + (MOST_HEAT - LEAST_HEAT) * Math.min(1, Math.max(0, share));
}

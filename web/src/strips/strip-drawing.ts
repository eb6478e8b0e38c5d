// Draws rows under the timeline: gradient norms as heat, lives of buffers as bars.

import { cursorX, type Span } from '../timeline/span';

export type RowInk = Record<'ink' | 'faint' | 'hairline' | 'error' | 'gradient' | 'saved', string>;

const LEAST_HEAT = 0.12;
const BAR = 8;

/** A norm in each column; `range` is what is faint and what is full. */
export function drawHeat(
  context: CanvasRenderingContext2D,
  columns: readonly (number | null)[],
  range: { least: number; most: number } | null,
  width: number,
  height: number,
  ink: RowInk,
): void {
  const step = width / Math.max(1, columns.length);
  // Neighbours of one norm are one rectangle: rims that overlap would show.
  for (let from = 0; from < columns.length; ) {
    let to = from + 1;
    while (to < columns.length && Object.is(columns[to], columns[from])) to += 1;
    const norm = columns[from]!;
    if (norm !== null && norm !== 0) {
      const bad = Number.isNaN(norm);
      context.globalAlpha = bad ? 1 : heatIn(norm, range);
      context.fillStyle = bad ? ink.error : ink.gradient;
      const left = Math.round(from * step);
      context.fillRect(left, 2, Math.max(1, Math.round(to * step) - left), height - 4);
    }
    from = to;
  }
  context.globalAlpha = 1;
  context.fillStyle = ink.hairline;
  context.fillRect(0, height - 1, width, 1);
}

function heatIn(norm: number, range: { least: number; most: number } | null): number {
  if (!range || range.least === range.most) return 1;
  const share = Math.log(norm / range.least) / Math.log(range.most / range.least);
  return LEAST_HEAT + (1 - LEAST_HEAT) * Math.min(1, Math.max(0, share));
}

/** A part of a life, between two moments; `open` where it goes on beyond the end. */
export type LifePart = { first: number; last: number; open: boolean };

/** A life in its parts; where it is freed, a part has a closed end. */
export function drawLife(
  context: CanvasRenderingContext2D,
  parts: readonly LifePart[],
  span: Span,
  width: number,
  height: number,
  ink: RowInk,
): void {
  const top = (height - BAR) / 2;
  context.fillStyle = ink.hairline;
  context.fillRect(0, height - 1, width, 1);
  for (const { first, last, open } of parts) {
    const left = Math.max(-2, cursorX(first - 1, span, width));
    const right = Math.min(width + 2, cursorX(last, span, width));
    if (right <= 0 || left >= width) continue;
    context.fillStyle = ink.saved;
    context.fillRect(left, top, Math.max(2, right - left), BAR);
    if (open) continue;
    context.fillStyle = ink.ink;
    context.fillRect(Math.max(left, right - 1.5), top - 3, 1.5, BAR + 6);
  }
}

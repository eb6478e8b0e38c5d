// The stretch of a run that the timeline shows: places count moments that are over, 0 before the first.

import type { MemorySeries } from './memory';

/** From one place to another; places may lie within a moment. */
export type Span = { from: number; to: number };

/** Fewer moments are not worth more room. */
const LEAST_MOMENTS = 12;

/** All of a run. */
export function wholeSpan(length: number): Span {
  return { from: 0, to: Math.max(1, length) };
}

/** A span that is stretched by a factor about a place; null where it shows the whole run again. */
export function zoomed(span: Span | null, factor: number, about: number, length: number): Span | null {
  const { from, to } = span ?? wholeSpan(length);
  const size = Math.max(Math.min(LEAST_MOMENTS, length), (to - from) / factor);
  if (size >= length) return null;
  const share = (about - from) / (to - from);
  return within(about - share * size, size, length);
}

/** A span moved by a number of moments, as far as the run goes. */
export function panned(span: Span | null, by: number, length: number): Span | null {
  return span && within(span.from + by, span.to - span.from, length);
}

/** A span moved as little as shows a cursor, with a rim of what comes beside it. */
export function following(span: Span | null, cursor: number, length: number): Span | null {
  if (!span) return null;
  const size = span.to - span.from;
  if (size >= length) return null;
  const rim = size / 10;
  const place = cursor + 1;
  const low = Math.min(span.from, Math.max(0, place - rim));
  const from = Math.max(low, Math.min(length, place + rim) - size);
  return from === span.from ? span : within(from, size, length);
}

function within(from: number, size: number, length: number): Span {
  const start = Math.max(0, Math.min(length - size, from));
  return { from: start, to: start + size };
}

/** The horizontal place of a cursor in a track of a width. */
export function cursorX(cursor: number, { from, to }: Span, width: number): number {
  return ((cursor + 1 - from) / (to - from)) * width;
}

/** The cursor of a span that is nearest to a horizontal place. */
export function cursorAt(x: number, { from, to }: Span, width: number): number {
  if (width <= 0) return -1;
  const place = Math.round(from + (x / width) * (to - from));
  return Math.max(Math.ceil(from), Math.min(Math.floor(to), place)) - 1;
}

/** The last event of each of the columns, at most one a pixel, of a drawing of a span. */
export function columnEnds(moments: readonly { last: number }[], { from, to }: Span, width: number): number[] {
  const count = Math.min(Math.ceil(to - from), Math.max(1, Math.floor(width)));
  return Array.from({ length: count }, (_, column) => {
    const place = Math.floor(from + ((column + 1) * (to - from)) / count);
    return moments[Math.max(0, Math.min(moments.length, place) - 1)]?.last ?? -1;
  });
}

/** The most of each kind of memory in each column of a track; `left` and `step` are where they are, in pixels. */
export type MemoryColumns = MemorySeries & { count: number; left: number; step: number };

/** Squeezes a stretch of memory into at most one column a pixel; moments from `shown` on take none. */
export function memoryColumns(
  memory: MemorySeries,
  span: Span,
  length: number,
  width: number,
  shown = length,
): MemoryColumns {
  const first = Math.max(0, Math.floor(span.from));
  const last = Math.min(length, Math.ceil(span.to));
  const moments = Math.max(0, last - first);
  const count = Math.max(0, Math.min(moments, Math.floor(width)));
  const columns = {
    values: new Float64Array(count),
    saved: new Float64Array(count),
    gradients: new Float64Array(count),
  };
  for (let column = 0; column < count; column += 1) {
    const from = first + Math.floor((column / count) * moments);
    const to = Math.max(from + 1, first + Math.floor(((column + 1) / count) * moments));
    if (from >= shown) break;
    // All kinds of one moment, so that their sum is one that was.
    let peak = from;
    for (let i = from + 1; i < Math.min(to, shown); i += 1) if (total(memory, i) > total(memory, peak)) peak = i;
    columns.values[column] = memory.values[peak] ?? 0;
    columns.saved[column] = memory.saved[peak] ?? 0;
    columns.gradients[column] = memory.gradients[peak] ?? 0;
  }
  const scale = width / (span.to - span.from);
  return { ...columns, count, left: (first - span.from) * scale, step: count === 0 ? 0 : (moments * scale) / count };
}

/** The most memory at any moment; at least 1. */
export function mostMemory(memory: MemorySeries, length: number): number {
  let most = 1;
  for (let i = 0; i < length; i += 1) most = Math.max(most, total(memory, i));
  return most;
}

function total({ values, saved, gradients }: MemorySeries, i: number): number {
  return (values[i] ?? 0) + (saved[i] ?? 0) + (gradients[i] ?? 0);
}

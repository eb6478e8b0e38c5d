// Which tensor a variable held at a moment, as the log has it.

import type { EventLog } from '../../store/log';
import { Series } from '../../timeline/series';

const known = new WeakMap<object, { read: number; names: Map<string, Series<number>> }>();

/** The tensor that was last given a name by the event `seq`; null where none was. */
export function tensorNamed(log: EventLog, name: string, seq: number): number | null {
  const found = known.get(log) ?? { read: 0, names: new Map<string, Series<number>>() };
  known.set(log, found);
  for (const event of log.of(['tensor_named'], found.read)) {
    const series = found.names.get(event.name) ?? new Series<number>();
    series.push(event.seq, event.tensor);
    found.names.set(event.name, series);
  }
  found.read = log.length;
  return found.names.get(name)?.at(seq) ?? null;
}

/** A variable that holds a tensor, its `.grad`, or an element of these: `w`, `w.grad`, `w[0, 1]`. */
export type Typed = { name: string; grad: boolean; element: number[] | null };

const TYPED = /^\s*([^\W\d]\w*(?:\.(?!grad\b)[^\W\d]\w*)*)(\.grad)?\s*(?:\[\s*(-?\d+(?:\s*,\s*-?\d+)*)\s*\])?\s*$/u;

/** Reads what was typed; null for any other expression. */
export function readTyped(text: string): Typed | null {
  const match = TYPED.exec(text);
  if (!match) return null;
  return { name: match[1]!, grad: match[2] !== undefined, element: match[3]?.split(',').map(Number) ?? null };
}

/** The number of an element in row-major order; null where the shape has no such element. */
export function elementAt(element: readonly number[], shape: readonly number[]): number | null {
  if (element.length !== shape.length) return null;
  let index = 0;
  for (const [dim, size] of shape.entries()) {
    const at = element[dim]! < 0 ? element[dim]! + size : element[dim]!;
    if (at < 0 || at >= size) return null;
    index = index * size + at;
  }
  return index;
}

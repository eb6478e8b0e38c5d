// The last write of a tensor, of its `.grad`, or of one element of these, before a moment.

import type { Summary, TensorElement } from '../../protocol/events';
import { readValues } from '../../run/past';
import type { Series } from '../../timeline/series';
import { elementAt } from './named';
import type { Recorded } from './running-lines';

/** What is looked for: a tensor or its `.grad`, and an element of it; null for all of it. */
export type Written = { tensor: number; of: 'data' | 'grad'; element: readonly number[] | null };
/** Its last write: an event, null where it was not written before, or `unknown` where neither log nor server say it. */
export type LastWrite = { seq: number | null } | { unknown: true } | { noElement: true };

/** Writes that are compared at most for one element: each may be read from a program that runs again. */
const MOST = 1000;

/** Finds the last write before the event `before`; `session` is where elements are read that the log lacks. */
export async function lastWrite(
  { timeline }: Recorded,
  { tensor, of, element }: Written,
  before: number,
  session: string | null,
): Promise<LastWrite> {
  const history = timeline.history.tensors.get(tensor);
  if (!history) return { seq: null };
  const writes =
    of === 'data' ? valuesOf(history.values) : valuesOf(timeline.history.gradients.of(tensor), (one) => one.value);
  const shape = (history.values.last as Summary).shape;
  if (element && elementAt(element, shape) === null) return { noElement: true };
  const earlier = writes.filter(({ seq }) => seq < before);
  if (!element) return { seq: earlier.at(-1)?.seq ?? null };
  const known = earlier.slice(-MOST);
  const index = elementAt(element, shape)!;
  const begin = element.map((at, dim) => (at < 0 ? at + shape[dim]! : at));
  const read = async ({ seq, value }: (typeof known)[number]): Promise<TensorElement | bigint | null | undefined> => {
    if (value === null) return null;
    if (value.values.length > index) return value.values[index];
    if (session === null) return undefined;
    const end = begin.map((at) => at + 1);
    const { values } = await readValues(session, { seq, tensor, of, begin, end });
    return values[0];
  };
  // Forward: a program that runs again goes one way.
  let found: number | null = null;
  let last: string | undefined;
  for (const one of known) {
    const now = await read(one);
    if (now === undefined) return { unknown: true };
    const text = String(JSON.stringify(typeof now === 'bigint' ? String(now) : now));
    if (text !== last) found = one.seq;
    last = text;
  }
  return { seq: found };
}

function valuesOf<T>(series: Series<T>, held: (entry: T) => Summary | null = (one) => one as Summary) {
  return series.seqs.map((seq, at) => ({ seq, value: held(series.entries[at]!) }));
}

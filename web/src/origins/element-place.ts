// Places in a tensor: which one says most, and those that a reader types.

import { unravel } from '../facts/elements';
import { shape } from '../format/number';
import * as say from '../messages/origins';
import type { Summary } from '../protocol/events';

/** The element that says most: the first that is not finite, else the largest. */
export function mostExtreme(summary: Summary): number[] {
  let best = 0;
  let most = -1;
  for (const [at, value] of summary.values.entries()) {
    const size = Array.isArray(value)
      ? Math.hypot(...value.map((part) => (typeof part === 'number' ? part : Number.POSITIVE_INFINITY)))
      : typeof value === 'number'
        ? Math.abs(value)
        : Number.POSITIVE_INFINITY;
    if (size > most) {
      best = at;
      most = size;
    }
  }
  return unravel(best, summary.shape);
}

/** A place such as `0, 5`, negative numbers counted from the end; a sentence where there is no such place. */
export function parsePlace(text: string, dims: readonly number[]): number[] | string {
  const parts = text
    .replace(/^\s*\[|\]\s*$/g, '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  if (parts.length !== dims.length || parts.some((part) => !/^[-−]?\d+$/.test(part)))
    return say.neededForTheShape(dims.length === 1 ? say.oneNumberIs : say.numbersAre(dims.length), shape(dims));
  const place = parts.map((part, dim) => {
    const at = Number(part.replace('−', '-'));
    return at < 0 ? at + dims[dim]! : at;
  });
  if (place.some((at, dim) => at < 0 || at >= dims[dim]!)) return say.noSuchElement(shape(dims));
  return place;
}

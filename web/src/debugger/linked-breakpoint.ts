// Reads breakpoints of links, as `writeBreakpoint` writes them.

import { type LinkedBreakpoint, type StopPoint, tensorMoments } from './breakpoint';

const LONGEST = 4096;

/** Reads what `writeBreakpoint` wrote; null for anything else. */
export function readBreakpoint(text: string): LinkedBreakpoint | null {
  const match = /^(!?)([^*?]+)(?:\*([1-9]\d{0,8}))?(?:\?(.+))?$/s.exec(text);
  if (!match || text.length > 2 * LONGEST) return null;
  const [, off, place, hits, condition = ''] = match;
  try {
    const point = readStopPoint(place!.split(':').map(decodeURIComponent));
    if (!point || condition.length > LONGEST) return null;
    return { point, enabled: off === '', condition, hits: hits === undefined ? 1 : Number(hits) };
  } catch {
    return null; // Not what encodeURIComponent writes.
  }
}

function readStopPoint([on, value, more, ...rest]: string[]): StopPoint | null {
  if (rest.length > 0) return null;
  const number = value !== undefined && /^\d{1,15}$/.test(value) ? Number(value) : null;
  switch (on) {
    case 'line':
      return number && more !== '' ? { on, line: number, ...(more ? { file: more } : {}) } : null;
    case 'op':
      return value && more === undefined ? { on, name: value } : null;
    case 'node':
      return number !== null && (more === 'before' || more === 'after') ? { on, node: number, when: more } : null;
    case 'tensor':
    case 'name': {
      const when = tensorMoments.find((known) => known === more);
      if (!when || !value || (on === 'tensor' && number === null)) return null;
      return { on: 'tensor', tensor: on === 'tensor' ? number! : value, when };
    }
    case 'nan':
      return value === undefined ? { on: 'non_finite' } : null;
    case 'norm':
      return value === undefined || more === undefined ? null : readNorm(value, more);
    case 'freed':
    case 'hook':
      return more === undefined ? { on, ...(value ? { name: value } : {}) } : null;
    case 'exception':
      return more === undefined ? { on, ...(value ? { type: value } : {}) } : null;
    default:
      return null;
  }
}

function readNorm(above: string, below: string): StopPoint | null {
  const bounds = [above, below].map((text) => (text.trim() === '' ? null : Number(text)));
  if (bounds.every((bound) => bound === null) || bounds.some((bound) => bound !== null && !Number.isFinite(bound))) {
    return null;
  }
  return {
    on: 'gradient_norm',
    ...(bounds[0] === null ? {} : { above: bounds[0] }),
    ...(bounds[1] === null ? {} : { below: bounds[1] }),
  };
}

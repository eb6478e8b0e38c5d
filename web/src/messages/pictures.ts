// Texts that are drawn on the canvas beside names and numbers.

import { fileOf, inFile, lineText } from '../protocol/file-lines';
import type { Said } from './said';

export const nanOrInfinity = 'NaN or infinity';
export const marks = { error: 'error', nan: 'NaN' };
export const derivative = (th: Said) => `${th} derivative, recorded`;
export const derivativeOf = (derivative: Said, of: Said) => `${derivative} from ${of}`;
export const staleVersions = (saved: Said, now: Said) => `stale: v${saved} → v${now}`;
export const staleChange = (saved: Said, now: Said) => `stale v${saved}→v${now}`;
export const round = (number: Said) => `round ${number}`;
export const fromTo = (first: number, last: number) => (first === last ? String(first) : `${first}–${last}`);
export const passes = (first: number, last: number) => `${first === last ? 'pass' : 'passes'} ${fromTo(first, last)}`;
export const rounds = (first: number, last: number) => `${first === last ? 'round' : 'rounds'} ${fromTo(first, last)}`;
/** Lines from one to another: `5–11 of scaled.py`. */
export const linesFromTo = (first: number, last: number) =>
  first === last
    ? `${lineText(first)}`
    : `${fileOf(first) === fileOf(last) ? inFile(first) : lineText(first)}–${lineText(last)}`;
/** One of several boxes of one line. */
export const partOf = (name: Said, nr: number, of: number) => `${name} · ${nr}/${of}`;
export const lines = (first: number, last: number) =>
  `${first === last ? 'line' : 'lines'} ${linesFromTo(first, last)}`;

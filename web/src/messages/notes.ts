// Texts of the notes on the stage: a few words with the numbers of a step.

import { bytes, counted, number, shape } from '../format/number';
import { lineText } from '../protocol/file-lines';
import type { Said } from './said';

export const contributions = (parts: readonly string[], total: string) =>
  `${parts.join(' + ').replaceAll('+ −', '− ')} = ${total}`;
export const addUp = (count: number) => `${counted(count, 'gradient')} added up`;
export const foldedBack = (from: readonly number[], to: readonly number[], dims: readonly number[]) =>
  `Σ dim ${dims.join(', ')}: ${shape(from)} → ${to.length > 0 ? shape(to) : 'scalar'}`;
export const foldedBriefly = (dims: readonly number[]) => `Σ dim ${dims.join(', ')}`;
export const freed = (own: number, held: number | null) =>
  held === null ? `freed ${bytes(own)}` : `freed ${bytes(own)}, ${bytes(held)} still saved`;
export const kept = (own: number) => `kept ${bytes(own)}: retain_graph`;
export const freedAt = (line: Said) => `freed at line ${lineText(line)}, needed again here`;
export const changedAt = (savedLine: Said, saved: number, changedLine: Said, now: number) =>
  `line ${lineText(savedLine)} saved v${saved}, line ${lineText(changedLine)} made v${now}`;
export const changedBriefly = (line: Said, now: number) => `line ${lineText(line)} made v${now}`;
export const stopsHere = 'the gradient stops here';
export const cutHere = 'cut: no gradient passes';
export const beginsHere = (what: Said) => `${what} begins here`;
export const recordedToo = 'this backward is recorded too';
export const descentBriefly = (rate: number, grad: string) =>
  `${rate < 0 ? '+' : '−'} ${number(Math.abs(rate))} × ${/^−|i$/.test(grad) ? `(${grad})` : grad}`;
export const descent = (before: Said, rate: number, grad: string, after: Said) =>
  `${before} ${descentBriefly(rate, grad)} = ${after}`;
export const addedBriefly = (change: number) => `${change < 0 ? '−' : '+'} ${number(Math.abs(change))}`;
export const added = (before: Said, change: number, after: Said) => `${before} ${addedBriefly(change)} = ${after}`;
export const wentBriefly = (change: number) => `by ‖${number(change)}‖`;
export const wentBy = (change: number, share: number) =>
  `moved ${wentBriefly(change)}, ${number(Number((100 * share).toPrecision(2)))} % of its norm`;
/** Stands for so many sums that are left out. */
export const more = (count: number) => `… +${count}`;

// Protects: each backward step of an op with a formula has a sum, and the numbers of sums, of forward steps too, are those of events.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ravel } from '../facts/elements';
import { argumentOf } from '../facts/node-facts';
import { element, gradient, values } from '../format/number';
import type { Summary } from '../protocol/events';
import { goldens } from '../protocol/goldens';
import { own } from '../protocol/own';
import { entryOf } from '../rows/view';
import type { OpEntry } from '../run/api';
import { EventLog } from '../store/log';
import { Timeline } from '../timeline/timeline';
import { evaluated } from './evaluation';
import { lineText } from './line-text';
import { stepSum } from './step-sum';
import { isReadable } from './sum-text';

const SENTENCES = join(import.meta.dirname, '../../../tests/golden/sentences');
const OPS = JSON.parse(readFileSync(join(SENTENCES, 'ops.json'), 'utf8')) as OpEntry[];
const written = new Map<string, string[]>();
let compared = 0;
const forward = new Set<string>();

/** The number that a text of numbers comes to; null where it has something else in it. */
function comesTo(text: string): number | null {
  const latex = text
    .replaceAll('−', '-')
    .replaceAll('×', '\\cdot ')
    .replaceAll('∞', '\\infty ')
    .replaceAll('NaN', '\\text{NaN}')
    .replaceAll('²', '^2')
    .replaceAll('³', '^3');
  return /[A-DF-Za-df-z]/.test(text.replace('NaN', '')) ? null : evaluated(latex);
}

/** The text with one element of each tensor that is written out in it. */
function elementIn(text: string, at: number): string {
  return text.replace(/\[([^[\]]*,[^[\]]*)\]/g, (_, all: string) => `(${all.split(', ')[at]})`);
}

/** The last of equal parts is what was sent, the others come to it; what an arrow leads to is the size of what was sent. */
function agree(text: string, results: readonly Summary[]): void {
  if (text.startsWith('…')) return;
  const [, place, sum] = /^(?:\[([\d, ]+)\]: )?(.*)$/.exec(text)!;
  const arrow = / → (?!.*→)(.*)$/.exec(sum!)?.[1] ?? '';
  const parts = sum!.replace(/ → (?!.*→).*$/, '').split(/ = (?![^[(]*[\])])/);
  const last = parts.at(-1)!;
  const written = results.flatMap((value) => {
    const one = place ? value.values[ravel(place.split(', ').map(Number), value.shape)] : value.values[0];
    const single =
      (place || value.values.length === 1) && one !== undefined ? [{ text: element(one, value.dtype), value }] : [];
    return [...single, ...[values(value, 14), gradient(value, 0)].flatMap((text) => (text ? [{ text, value }] : []))];
  });
  const found = written.find((one) => one.text === last.replace('∞', 'Inf'));
  const sizes = results.flatMap((value) => [values(value, 8) ?? gradient(value, 0)]);
  expect(found !== undefined || sizes.some((size) => arrow.endsWith(size)), text).toBe(true);
  if (!found || last.includes('‖')) return;
  const flat = place ? ravel(place.split(', ').map(Number), found.value.shape) : 0;
  for (const part of parts.slice(0, -1)) {
    for (let at = 0; at < (place ? 1 : found.value.values.length); at += 1) {
      const value = comesTo(elementIn(part, at));
      const given = Number(found.value.values[place ? flat : at]);
      if (value === null || Object.is(value, given)) continue;
      expect(Math.abs(value - given), text).toBeLessThanOrEqual(5e-3 * Math.abs(given));
      compared += 1;
    }
  }
}

describe.each(goldens())('%s', (name, events) => {
  it('has the sums of its steps', () => {
    const log = new EventLog();
    const timeline = new Timeline(log);
    log.append(events);
    const lines: string[] = [];
    for (const moment of timeline.moments) {
      const state = timeline.stateAt(moment.index);
      const sum = stepSum(state, OPS);
      const started = state.events.find((event) => event.kind === 'node_started');
      const known = started ? state.history.nodes.get(started.node) : undefined;
      const sent = state.events.flatMap((event) =>
        event.kind === 'gradient_sent' && event.node === started?.node ? [event] : [],
      );
      const entry = known?.op && entryOf({ ops: OPS }, { op: known.op.op.replace(/_$/, ''), name: known.name });
      const facts = { inputs: known?.op?.inputs ?? [], edges: known?.info?.next_functions ?? [] };
      if (sum && 'op' in sum) {
        const [text] = sum.lines.map((line) => line.at(-1)!);
        forward.add(sum.op.op);
        lines.push(`${sum.op.op}: ${sum.lines[0]!.join(' | ')}`);
        expect(isReadable(text!), text).toBe(true);
        agree(text!, [sum.op.outputs[0]!.value]);
        continue;
      }
      const ruled = sent.some((one) => own(entry?.latex ?? {}, argumentOf(facts, one.input_nr)?.name ?? ''));
      expect(sum !== null, `${name}, step ${moment.index}: ${known?.name}`).toBe(ruled);
      if (!sum) continue;
      for (const line of sum.lines) {
        const text = line.at(-1)!;
        lines.push(`${known!.name}: ${line.join(' | ')}`);
        expect(isReadable(text), text).toBe(true);
        expect(text).not.toMatch(/undefined|null|None|[\ue000-\uf8ff]/);
        agree(
          text,
          sent.map(({ value }) => value),
        );
      }
    }
    written.set(name, lines);
  });
});

it('compares the numbers of most kinds of sums', () => {
  expect(compared).toBeGreaterThan(60);
});

it.each([
  ['01_first_backward', 'MulBackward0: 1 × x | 1 × x = 1 × 3 | 1 × x = 1 × 3 = 3'],
  ['01_first_backward', 'AddBackward0: 1 → w × x, b'],
  ['01_first_backward', 'mul: w × x | w × x = 2 × 3 | w × x = 2 × 3 = 6'],
  ['14_broadcasting', 'AddBackward0: [0]: 1 + 1 + 1 + 1 | [0]: 1 + 1 + 1 + 1 = 4'],
  ['03_cube', 'PowBackward0: 1 × 3 × A² | 1 × 3 × A² = 1 × 3 × 5² | 1 × 3 × A² = 1 × 3 × 5² = 75'],
  ['43_nan_spreads', 'MulBackward0: [NaN, 0.25] × [0, 2] | [NaN, 0.25] × [0, 2] = [NaN, 0.5]'],
])('%s has %s', (name, line) => {
  expect(written.get(name)?.join('\n')).toContain(line);
});

it('has sums of ops on numbers, of products, and of ops in place', () => {
  expect([...forward]).toEqual(
    expect.arrayContaining(['add', 'mul', 'pow', 'sub', 'mm', 'mean', 'sum', 'tanh', 'mul_', 'sub_']),
  );
});

it('writes every formula of the catalogue as a line', () => {
  const all = JSON.parse(readFileSync(join(SENTENCES, 'formulas.json'), 'utf8')) as string[];
  expect(all.filter((latex) => !isReadable(lineText(latex))).map((latex) => `${latex} ${lineText(latex)}`)).toEqual([]);
});

// Protects: each backward step of an op with a formula has a sum, and the numbers of sums, of forward steps too, are those of events.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { argumentOf } from '../facts/node-facts';
import type { Summary } from '../protocol/events';
import { goldens } from '../protocol/goldens';
import { entryOf } from '../rows/view';
import type { OpEntry } from '../run/api';
import { EventLog } from '../store/log';
import { Timeline } from '../timeline/timeline';
import { lineText } from './line-text';
import { ruleFor } from './node-formula';
import { checked } from './shown';
import { stepSum } from './step-sum';
import { isReadable } from './sum-text';

const SENTENCES = join(import.meta.dirname, '../../../tests/golden/sentences');
const OPS = JSON.parse(readFileSync(join(SENTENCES, 'ops.json'), 'utf8')) as OpEntry[];
const written = new Map<string, string[]>();
let compared = 0;
const forward = new Set<string>();

/** What an arrow leads to is the size of what was sent; the last of equal parts is what was sent, and the others come to it. */
function agree(text: string, results: readonly Summary[]): void {
  const found = checked(text, results);
  expect(found.wrong).toBeNull();
  compared += found.compared;
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
      const ruled = sent.some((one) => entry && ruleFor(entry, argumentOf(facts, one.input_nr)?.name ?? ''));
      expect(sum !== null, `${name}, step ${moment.index}: ${known?.name}`).toBe(Boolean(ruled));
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
  const all = OPS.flatMap(({ latex }) => Object.values(latex));
  expect(all.filter((latex) => !isReadable(lineText(latex))).map((latex) => `${latex} ${lineText(latex)}`)).toEqual([]);
});

// Protects: each backward step of an op with a formula has a sum, and the numbers of sums, of forward steps too, are those of events.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { elementCount } from '../facts/elements';
import { argumentOf } from '../facts/node-facts';
import type { OpApplied, Summary } from '../protocol/events';
import { goldens } from '../protocol/goldens';
import { entryOf } from '../rows/view';
import type { OpEntry } from '../run/api';
import { EventLog } from '../store/log';
import { Timeline } from '../timeline/timeline';
import type { Followed } from './backward-sum';
import { followingOf, usedIn } from './followed-sum';
import { forwardSum } from './forward-sum';
import { lineText } from './line-text';
import { ruleFor } from './node-formula';
import { checked, checkedLeaf, joined } from './shown';
import { type Following, stepSum } from './step-sum';
import { isReadable } from './sum-text';

const SENTENCES = join(import.meta.dirname, '../../../tests/golden/sentences');
const OPS = JSON.parse(readFileSync(join(SENTENCES, 'ops.json'), 'utf8')) as OpEntry[];
const written = new Map<string, string[]>();
let compared = 0;
const forward = new Set<string>();
const failed: string[] = [];

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
        const [text] = joined(sum.lines);
        forward.add(sum.op.op);
        lines.push(`${sum.op.op}: ${sum.lines[0]!.join(' | ')}`);
        expect(isReadable(text!), text).toBe(true);
        const [first, second] = text!.split(' = ');
        expect(second, text).not.toBe(first);
        agree(text!, [sum.op.outputs[0]!.value]);
        continue;
      }
      if (sum && 'leaves' in sum) {
        for (const leaf of sum.leaves) {
          for (const line of joined(leaf.lines)) {
            lines.push(`leaf: ${line}`);
            expect(isReadable(line), line).toBe(true);
            const found = checkedLeaf(line);
            expect(found.wrong).toBeNull();
            compared += found.compared;
          }
        }
        continue;
      }
      if (sum && state.events.some((event) => event.kind === 'error_raised')) {
        failed.push(...sum.lines.map((line) => line.at(-1)!));
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

it('shows what a node that fails would have sent', () => {
  expect(failed).toEqual(expect.arrayContaining(['1 × y = ? → y, y', '[1, 1] × (1 − y) × y = ?']));
  expect(failed.every((text) => text.includes('?'))).toBe(true);
});

it('follows an element that the reader asks about', () => {
  const log = new EventLog();
  const timeline = new Timeline(log);
  log.append([...goldens()].find(([name]) => name === '05_matrix_one_by_one')![1]);
  const seen: string[] = [];
  for (const moment of timeline.moments) {
    const state = timeline.stateAt(moment.index);
    // Each element that is sent is made of two halves of it.
    const follow: Followed = (node, inputNr) => {
      const sent = state.events.find(
        (event) => event.kind === 'gradient_sent' && event.node === node && event.input_nr === inputNr,
      );
      if (sent?.kind !== 'gradient_sent') return null;
      const incoming = Number(sent.value.values.at(-1));
      const share = { output_nr: 0, element: [0, 1], incoming, factor: 0.5, amount: incoming / 2 };
      const whole = { shares: [share, share], more: 0, rest: null, adds_up: true, why: null };
      const arrival = { node, input_nr: inputNr, sent: incoming, made: incoming, ...whole };
      return { element: sent.value.shape.map((size) => size - 1), arrival };
    };
    const sum = stepSum(state, OPS, { sent: follow, made: () => null });
    if (sum && 'node' in sum) seen.push(...sum.lines.map((line) => line.at(-1)!));
  }
  expect(seen).toContain('[2, 2]: 1 × 2 × 9 = 18');
  expect(seen).toContain('[2, 2]: 1 × 0.5 + 1 × 0.5 = 1');
  expect(seen.filter((text) => !text.startsWith('[2'))).toEqual([]);
});

it('follows an element of the results of ops', () => {
  const follow = (golden: string, made: Following['made']) => {
    const log = new EventLog();
    const timeline = new Timeline(log);
    log.append([...goldens()].find(([name]) => name === golden)![1]);
    return timeline.moments.flatMap(({ index }) => {
      const sum = stepSum(timeline.stateAt(index), OPS, { sent: () => null, made });
      return sum && 'op' in sum ? sum.lines.map((line) => line.at(-1)!) : [];
    });
  };
  const last: Following['made'] = ({ outputs }) => ({
    place: outputs[0]!.value.shape.map((size) => size - 1),
    term: null,
  });
  expect(follow('05_matrix_one_by_one', last)).toEqual(['[2, 2]: 9² = 81']);
  expect(follow('17_mlp', last).slice(0, 4)).toEqual([
    '[7, 0]: 1² = 1',
    '[7, 3]: 1 × 0.5684 = 0.5684',
    '[7, 3]: 0.5684 + 0 = 0.5684',
    '[7, 3]: tanh(0.5684) = 0.5142',
  ]);
});

it('follows an element that the reader chose in a tensor at the op that computed it', () => {
  const { made } = followingOf({ about: 'element', tensor: 7, element: [1, 0] })!;
  const op = (tensor: number) => ({ outputs: [{ tensor }] }) as OpApplied;
  expect([made(op(7)), made(op(8))]).toEqual([{ place: [1, 0], term: null }, null]);
});

/** How a contiguous tensor of a shape lies in its memory. */
function laid(shape: number[]) {
  return { shape, strides: shape.map((_, dim) => elementCount(shape.slice(dim + 1))) };
}

it('follows an element of a tensor into the elementwise ops that use it', () => {
  const op = (name: string, shape: number[], tensor = 7) =>
    ({ op: name, inputs: [{ tensor }], outputs: [{ tensor: 8, value: { shape } }] }) as unknown as OpApplied;
  const followed = { tensor: 7, element: [1, 0], value: laid([2, 3]) };
  expect(usedIn(op('relu', [2, 3]), OPS, followed)).toEqual({ place: [1, 0], term: null });
  expect(usedIn(op('mul_', [4, 2, 3]), OPS, followed)).toEqual({ place: [0, 1, 0], term: null });
  expect(usedIn(op('relu', [2, 3], 6), OPS, followed)).toBeNull();
  expect(usedIn(op('matmul', [2, 2]), OPS, followed)).toBeNull();
});

describe('an element that is followed into products and reductions', () => {
  const tensor = (id: number, shape: number[], values: number[]) => ({
    tensor: id,
    value: { shape, values, dtype: 'float32' },
  });
  type Made = ReturnType<typeof tensor>;
  const x = tensor(7, [2, 3], [1, 2, 3, 4, 5, 6]);
  const followed = { tensor: 7, element: [1, 0], value: laid([2, 3]) };
  /** The sum that a step shows of an op on tensors, whose element is followed, and other arguments as texts. */
  const sumOf = (op: string, inputs: Made[], output: Made, args: Record<string, string> = {}, from = followed) => {
    const texts = Object.entries(args).map(([name, text]) => ({ name, tensor: null, text }));
    const names = op === 'addmm' ? ['self', 'mat1', 'mat2'] : ['self', 'mat2'];
    const given = inputs.map((one, i) => ({ name: names[i], tensor: one.tensor, text: null }));
    const event = { op, seq: 5, inputs: [...given, ...texts], outputs: [output], is_view: false };
    const state = { events: [{ seq: 5 }], tensorAt: (id: number) => inputs.find((one) => one.tensor === id) };
    const made = usedIn(event as unknown as OpApplied, OPS, from);
    const naming = { expression: () => '?', variable: () => null, state: { history: { tensors: new Map() } } };
    const all = [event, state, naming] as unknown as Parameters<typeof forwardSum>;
    return forwardSum(all[0], all[1], all[2], OPS, made)?.parts.join(' = ') ?? null;
  };

  it('has the row and the column of a product', () => {
    const w = tensor(9, [3, 2], [1, 0, 2, 1, 3, 2]);
    const product = tensor(8, [2, 2], [14, 8, 32, 17]);
    expect(sumOf('mm', [x, w], product)).toBe('[1, 0]: 4 × 1 + 5 × 2 + 6 × 3 = 32');
    const right = { tensor: 9, element: [2, 1], value: laid([3, 2]) };
    expect(sumOf('mm', [x, w], product, {}, right)).toBe('[0, 1]: 1 × 0 + 2 × 1 + 3 × 2 = 8');
    expect(sumOf('mv', [x, tensor(9, [3], [1, 0, 1])], tensor(8, [2], [4, 10]))).toBe(
      '[1]: 4 × 1 + 5 × 0 + 6 × 1 = 10',
    );
    const b = tensor(6, [2], [0.5, 1]);
    const sum = tensor(8, [2, 2], [14.5, 9, 32.5, 18]);
    const plain = { beta: '1', alpha: '1' };
    expect(sumOf('addmm', [b, x, w], sum, plain)).toBe('[1, 0]: 0.5 + 4 × 1 + 5 × 2 + 6 × 3 = 32.5');
    const bias = { tensor: 6, element: [1], value: laid([2]) };
    expect(sumOf('addmm', [b, x, w], sum, plain, bias)).toBe('[0, 1]: 1 + 1 × 0 + 2 × 1 + 3 × 2 = 9');
  });

  it('has what was reduced', () => {
    expect(sumOf('sum', [x], tensor(8, [2], [6, 15]), { dim: '(1,)', keepdim: 'False' })).toBe('[1]: 4 + 5 + 6 = 15');
    expect(sumOf('sum', [x], tensor(8, [1, 3], [5, 7, 9]), { dim: '(-2,)', keepdim: 'True' })).toBe(
      '[0, 0]: 1 + 4 = 5',
    );
    expect(sumOf('mean', [x], tensor(8, [3], [2.5, 3.5, 4.5]), { dim: '0' })).toBe('[0]: (1 + 4) / 2 = 2.5');
    expect(sumOf('prod', [x], tensor(8, [2], [6, 120]), { dim: '1' })).toBe('[1]: 4 × 5 × 6 = 120');
    expect(sumOf('amax', [x], tensor(8, [2], [3, 6]), { dim: '(1,)' })).toBe('[1]: max(4, 5, 6) = 6');
  });

  it('has the term that is followed among many', () => {
    const fifth = { tensor: 7, element: [1, 1], value: laid([2, 3]) };
    expect(sumOf('sum', [x], tensor(8, [], [21]), {}, fifth)).toBe('1 + 2 + (… 2 terms: 7) + 5 + 6 = 21');
    const long = tensor(7, [1, 6], [0.1234, 0.2345, 0.3456, 0.4567, 0.5678, 0.6789]);
    const there = { tensor: 7, element: [0, 3], value: laid([1, 6]) };
    expect(sumOf('sum', [long], tensor(8, [1], [2.4069]), { dim: '1' }, there)).toContain(
      '0.4567 + (… 5 terms: 1.95) = 2.407',
    );
  });

  it('has the element of a joined tensor, unless one before it is not known', () => {
    const held = [tensor(6, [1], [5]), tensor(9, [2], [0, 0])];
    const inputs = [...held.map(({ tensor: id }) => ({ tensor: id })), { name: 'dim', tensor: null, text: '0' }];
    const event = { op: 'cat', seq: 5, inputs, outputs: [tensor(8, [3], [5, 0, 0])], is_view: false };
    const history = { tensors: new Map([[9, { origin: 'zeros' }]]) };
    const naming = { expression: () => '?', variable: () => null, state: { history } };
    const joined = (known: Made[]) => {
      const state = { events: [{ seq: 5 }], tensorAt: (id: number) => known.find((one) => one.tensor === id) };
      const all = [event, state, naming] as unknown as Parameters<typeof forwardSum>;
      return forwardSum(all[0], all[1], all[2], OPS, { place: [1], term: null })?.parts.join(' = ');
    };
    expect(joined(held)).toBe('[1]: zeros(…)[0] = 0');
    expect(joined(held.slice(1))).toBeUndefined();
  });

  it('has no expression with the new number of what an op in place changes', () => {
    const inputs = [
      { name: 'self', tensor: 6, text: null },
      { name: 'other', tensor: null, text: '1' },
    ];
    const event = { op: 'add_', seq: 5, inputs, outputs: [tensor(6, [], [1])], is_view: false, in_place: true };
    const state = { events: [{ seq: 5 }], tensorAt: (id: number, seq: number) => tensor(id, [], [seq < 5 ? 0 : 1]) };
    const written = (name: string | null) => {
      const naming = { expression: () => `${name ?? 1} + 1`, variable: () => name };
      const all = [event, state, naming] as unknown as Parameters<typeof forwardSum>;
      return forwardSum(all[0], all[1], all[2], OPS)?.parts.join(' = ');
    };
    expect(written('n')).toBe('n + 1 = 0 + 1 = 1');
    expect(written(null)).toBe('0 + 1 = 1');
  });

  it('is not told where the numbers do not come to the result', () => {
    expect(sumOf('sum', [x], tensor(8, [2], [6, 14]), { dim: '1' })).not.toContain('4 + 5 + 6');
    expect(usedIn({ op: 'cumsum', inputs: [], outputs: [] } as unknown as OpApplied, OPS, followed)).toBeNull();
  });
});

it('has an element of a tensor at its other place in a view', () => {
  const x = { ...laid([2, 3]), dtype: 'float32', values: [1, 2, 3, 4, 5, 6] };
  const sumOf = (op: string, view: Partial<typeof x>, args: Record<string, number> = {}, element = [1, 0]) => {
    const outputs = [{ tensor: 8, value: { ...x, ...view } }];
    const texts = Object.entries(args).map(([name, text]) => ({ name, tensor: null, text: String(text) }));
    const event = { op, seq: 5, inputs: [{ tensor: 7 }, ...texts], outputs, is_view: true } as unknown as OpApplied;
    const made = usedIn(event, OPS, { tensor: 7, element, value: x });
    const all = [event, {}, { variable: () => 'x' }] as unknown as Parameters<typeof forwardSum>;
    const sum = forwardSum(all[0], all[1], all[2], OPS, made);
    return sum && `${sum.parts.join()} → ${sum.arrow}`;
  };
  const turned = { shape: [3, 2], strides: [1, 3], values: [1, 4, 2, 5, 3, 6] };
  expect(sumOf('t', turned)).toBe('x[1, 0] → [0, 1]: 4');
  expect(sumOf('transpose', turned)).toBe('x[1, 0] → [0, 1]: 4');
  expect(sumOf('view', laid([6]))).toBe('x[1, 0] → [3]: 4');
  expect(sumOf('unsqueeze', laid([2, 1, 3]))).toBe('x[1, 0] → [1, 0, 0]: 4');
  const twice = { shape: [2, 2, 3], strides: [0, 3, 1], values: [...x.values, ...x.values] };
  expect(sumOf('expand', twice)).toBe('x[1, 0] → [0, 1, 0]: 4');
  const row = { ...laid([3]), values: [4, 5, 6] };
  expect(sumOf('select', row, { dim: 0, index: -1 }, [1, 2])).toBe('x[1, 2] → [2]: 6');
  expect(sumOf('select', row, { dim: 0, index: 1 }, [0, 2])).toBeNull();
  const others = { shape: [2, 2], strides: [3, 2], values: [1, 3, 4, 6] };
  expect(sumOf('slice', others, { dim: 1, start: 0, step: 2 }, [1, 2])).toBe('x[1, 2] → [1, 1]: 6');
  expect(sumOf('slice', others, { dim: 1, start: 0, step: 2 }, [1, 1])).toBeNull();
  expect(sumOf('diagonal', { shape: [2], strides: [4], values: [1, 5] }, {}, [1, 1])).toBeNull();
  expect(sumOf('detach', {})).toBeNull();
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
  ['11_accumulation', 'leaf: x.grad: 4 + 4 = 8'],
  ['42_optimizer_step', 'leaf: w ← w − lr × w.grad = 2 − 0.125 × 3 = 1.625'],
  ['training', 'leaf: …cell.linear.bias[1] ← 0.1629 − 0.1 × 0.1528 = 0.1476'],
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

// Protects: the rule of an op is its derivative, in the reader's names.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Summary } from '../protocol/events';
import type { OpEntry } from '../run/api';
import { bindingOf } from './formula';
import { localRule } from './local-rule';
import { type NodeLine, nodeLines, type Ran } from './node-formula';
import { spoken } from './spoken';

const FILE = join(import.meta.dirname, '../../../tests/golden/sentences/ops.json');
const OPS = JSON.parse(readFileSync(FILE, 'utf8')) as OpEntry[];
const tensor = (name: string) => ({ name, tensor: name.length, text: null });
const option = (name: string, text: string) => ({ name, tensor: null, text });
const w = bindingOf('self', 'w', null);

function rules(grad_fn: string, inputs: ReturnType<typeof tensor | typeof option>[], names: Record<string, string>) {
  const entry = OPS.find((one) => one.grad_fn === grad_fn)!;
  const bindings = new Map(Object.entries(names).map(([slot, name]) => [slot, bindingOf(slot, name, null)]));
  const edges = inputs.map((_, node) => ({ node, output_nr: 0 }));
  const lines = nodeLines(entry, { inputs, outputs: [], edges, saved: [], run: null }, bindings);
  return lines.map((line) => localRule(entry, line, { inputs }, bindings));
}

it.each([
  ['MulBackward0', [tensor('self'), tensor('other')], { self: 'w', other: 'x' }, ['∂(w·x)/∂w = x', '∂(w·x)/∂x = w']],
  [
    'MulBackward0',
    [tensor('self'), tensor('other')],
    { self: 'x', other: 'x' },
    ['∂(self·other)/∂self = other', '∂(self·other)/∂other = self'],
  ],
  [
    'AddBackward0',
    [tensor('self'), tensor('other'), option('alpha', '2')],
    { self: 'a', other: 'b' },
    ['∂(a+2b)/∂a = 1', '∂(a+2b)/∂b = 2'],
  ],
  [
    'SubBackward0',
    [tensor('self'), tensor('other'), option('alpha', '1')],
    { self: 'a', other: 'b' },
    ['∂(a-b)/∂a = 1', '∂(a-b)/∂b = -1'],
  ],
  ['PowBackward0', [tensor('self'), option('exponent', '3')], { self: 'x' }, ['∂x^3/∂x = 3·x^{3-1}']],
  ['SumBackward0', [tensor('self')], { self: 'x' }, ['∂sum(x)/∂x_i = 1']],
  ['TanhBackward0', [tensor('self')], { self: 'h' }, ['∂tanh(h)/∂h = (1-result^2)']],
  ['MmBackward0', [tensor('self'), tensor('mat2')], { self: 'A', mat2: 'B' }, [null, null]],
])('%s of %j', (grad_fn, inputs, names, expected) => {
  const plain = rules(grad_fn, inputs, names as unknown as Record<string, string>).map((latex) =>
    latex === null
      ? null
      : latex
          .replace(/\\displaystyle \\frac\{\\partial\\,(.*)\}\{\\partial\\,(.*)\} = /, '∂$1/∂$2 = ')
          .replace(/\\(?:mathtt|text|operatorname)\{(\w+)\}/g, '$1')
          .replace(/\\cdot|\\, ?/g, (sign) => (sign === '\\cdot' ? '·' : ''))
          .replaceAll(' ', '')
          .replace('=', ' = ')
          .replace(/\^\{(\d)\}/g, '^$1'),
  );
  expect(plain).toEqual(expected);
});

it('has a rule wherever a formula of an op on each element is a product with the gradient', () => {
  const entries = OPS.filter((entry) => entry.elementwise);
  const ruled = entries.filter((entry) =>
    Object.entries(entry.latex).some(([name, latex]) => {
      const argument = tensor(name);
      const line = { latex, argument } as NodeLine;
      const rule = localRule(entry, line, { inputs: [argument] }, new Map([[name, w]]));
      if (rule) expect(spoken(rule)).not.toContain('\\');
      return rule !== null;
    }),
  );
  expect(ruled.length).toBeGreaterThan(entries.length / 2);
});

it('has the derivative itself where the gradient is multiplied by its conjugate', () => {
  const entry = OPS.find(({ grad_fn }) => grad_fn === 'MulBackward0')!;
  const value = { shape: [], values: [[1, 2]], dtype: 'complex64' } as unknown as Summary;
  const inputs = [tensor('self'), tensor('other')];
  const bindings = new Map([
    ['self', bindingOf('self', 'z', value)],
    ['other', bindingOf('other', 'w', value)],
  ]);
  const edges = inputs.map((_, node) => ({ node, output_nr: 0 }));
  const [line] = nodeLines(entry, { inputs, outputs: [], edges, saved: [], run: null }, bindings);
  expect(spoken(line!.general)).toContain('conj(w)');
  expect(spoken(localRule(entry, line!, { inputs }, bindings)!)).not.toContain('conj');
});

it('conjugates nothing of what makes a real number of complex ones', () => {
  const entry = OPS.find(({ grad_fn }) => grad_fn === 'LinalgVectorNormBackward0')!;
  const value = (dtype: string) => ({ shape: [], values: [1], dtype }) as unknown as Summary;
  const bindings = new Map([['self', bindingOf('self', 'z', value('complex64'))]]);
  const generalOf = (dtype: string) => {
    const outputs = [{ value: value(dtype) }] as unknown as Ran['outputs'];
    const ran = { inputs: [tensor('self')], outputs, edges: [{ node: 0, output_nr: 0 }], saved: [], run: null };
    return spoken(nodeLines(entry, ran, bindings)[0]!.general);
  };
  expect(generalOf('float32')).not.toContain('conj');
  expect(generalOf('complex64')).toContain('conj');
});

// Protects: examples are found by the words of their title, summary and program.

import { expect, it } from 'vitest';
import { filterExamples } from './example-filter';

const examples = [
  { name: 'a', title: 'A sum that grows', summary: 'backward() accumulates', source: 'x.relu()' },
  { name: 'b', title: 'Relu at zero', summary: 'A kink', source: 'torch.relu(x)' },
];

it.each([
  ['', ['a', 'b']],
  ['relu', ['b', 'a']],
  ['Accumulates grows', ['a']],
  ['softmax', []],
])('finds by “%s”', (query, names) => {
  expect(filterExamples(examples, query).map((example) => example.name)).toEqual(names);
});

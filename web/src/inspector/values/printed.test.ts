// Protects: elements read as PyTorch prints them.

import { expect, test } from 'vitest';
import { printed } from './printed';

test.each([
  [[1, -0], 'float32', ['1.', '−0.']],
  [[0.5, 400], 'float32', ['0.5000', '400.0000']],
  [[1, 2000], 'float32', ['1.0000e+00', '2.0000e+03']],
  [[1e-5, 1], 'float64', ['1.0000e−05', '1.0000e+00']],
  [[3, 'NaN', '-Infinity'], 'bfloat16', ['3.', 'nan', '−inf']],
  [[0, 0], 'float16', ['0.', '0.']],
  [
    [
      [1, -2],
      [0.5, 0],
    ],
    'complex64',
    ['1.0000−2.j', '0.5000+0.j'],
  ],
  [[1, 0], 'bool', ['True', 'False']],
  [[-7, 9007199254740993n], 'int64', ['−7', '9007199254740993']],
] as const)('%s of %s', (elements, dtype, texts) => {
  const write = printed(elements as never, dtype);
  expect(elements.map((element) => write(element as never))).toEqual(texts);
});

// Protects: the chosen file is taken once, none where the choice is cancelled, and no field is left behind.

import { expect, it, vi } from 'vitest';
import { chooseTrace } from './trace-choice';

const field = () => document.querySelector<HTMLInputElement>('input[type=file]');

it.each([
  ['change', 1],
  ['cancel', 0],
])('%s', (happens, times) => {
  const clicked = vi.spyOn(HTMLInputElement.prototype, 'click').mockImplementation(() => {});
  const take = vi.fn();
  chooseTrace(take);
  expect(clicked).toHaveBeenCalledOnce();
  const input = field()!;
  const file = new File([], 'run.backscope');
  Object.defineProperty(input, 'files', { value: [file] });
  input.dispatchEvent(new Event(happens));
  expect(take.mock.calls).toEqual(Array(times).fill([file]));
  expect(field()).toBeNull();
  clicked.mockRestore();
});

import { expect, test } from 'vitest';
import { match } from './fuzzy';

const best = (query: string, texts: string[]) =>
  texts.filter((text) => match(query, text) !== null).sort((a, b) => match(query, b)! - match(query, a)!)[0];

test('letters fit in order, wherever they stand', () => {
  expect(match('zin', 'Zoom in')).not.toBeNull();
  expect(match('niz', 'Zoom in')).toBeNull();
  expect(match('', 'Zoom in')).toBe(0);
});

test('what stands in the text as a whole comes first, then what begins its words', () => {
  expect(best('back', ['Next backward pass', 'Break at this block', 'Step back'])).toBe('Step back');
  expect(best('nbp', ['Unable to stop', 'Next backward pass'])).toBe('Next backward pass');
  expect(best('fit', ['Filter: it', 'Fit the graph'])).toBe('Fit the graph');
});

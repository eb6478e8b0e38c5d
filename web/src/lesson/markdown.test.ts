// Protects: the Markdown of a lesson is shown as elements, never as HTML, and is read aloud as plain words.

import { render } from '@testing-library/svelte';
import { expect, test } from 'vitest';
import Markdown from './Markdown.svelte';
import { plainOf } from './markdown';

const shown = (text: string) => render(Markdown, { text }).container;

test('paragraphs, code, emphasis and lists are elements', () => {
  const made = shown('`x.grad` is *not* **7**.\n\n- one\n- two `y`\n\n```python\nx = 1 < 2\n```');
  expect([...made.querySelectorAll('code')].map((one) => one.textContent)).toEqual(['x.grad', 'y', 'x = 1 < 2']);
  expect(made.querySelector('em')?.textContent).toBe('not');
  expect(made.querySelector('strong')?.textContent).toBe('7');
  expect([...made.querySelectorAll('li')].map((one) => one.textContent?.trim())).toEqual(['one', 'two y']);
});

test('HTML stays a text, and links lead to no script', () => {
  const made = shown('a <img src=x onerror=alert(1)> b [c](javascript:alert(1)) [d](https://pytorch.org) & <b>e</b>');
  expect(made.querySelector('img')).toBeNull();
  expect(made.querySelector('b')).toBeNull();
  expect(made.textContent).toContain('<img src=x onerror=alert(1)>');
  expect([...made.querySelectorAll('a')].map((one) => one.getAttribute('href'))).toEqual(['https://pytorch.org']);
  expect(made.textContent).toContain('c');
});

test('spoken words have no signs of Markdown', () => {
  expect(plainOf('`x.grad` is *not* **7**.\n\n- one\n- two [three](https://pytorch.org)')).toBe(
    'x.grad is not 7. one two three',
  );
});

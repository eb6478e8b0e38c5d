import { expect, it } from 'vitest';
import { readLink, writeLink } from './link';
import { isOwnLink, titleOf } from './short-link';

it('calls a run as its example, or as the comment that its program begins with', () => {
  expect(titleOf('Three x squared', '# other\nx = 1')).toBe('Three x squared');
  expect(titleOf(null, '\n\n## Why is w.grad None?  \nx = 1')).toBe('Why is w.grad None?');
  expect(titleOf(null, 'x = 1  # one')).toBe('');
  expect(titleOf(null, '#\nx = 1')).toBe('');
  expect(titleOf(null, `# ${'long '.repeat(100)}`)).toHaveLength(200);
});

it('knows a link that the server wrote, and writes none like it', async () => {
  const moment = await readLink('#run=abcdefghijklmnop&shared=&step=9&select=node%3A5');
  expect(moment).toMatchObject({ run: 'abcdefghijklmnop', shared: true, at: 8, selection: 'node:5' });
  expect(await writeLink(moment)).toBe('run=abcdefghijklmnop&step=9&select=node%3A5');
  expect((await readLink('#run=abcdefghijklmnop')).shared).toBeUndefined();
});

it('has nothing removed without a secret', () => {
  expect(isOwnLink('abcdefghijklmnop')).toBe(false);
});

// Protects: every template of captions is used on the page, and places are filled with what they are given.

import { expect, it } from 'vitest';
import { TEMPLATES } from '../protocol/sentences';
import { list, say, text } from './say';

const SOURCES = Object.values(
  import.meta.glob<string>(['./*.ts', '!./*.test.ts'], { eager: true, query: '?raw', import: 'default' }),
).join('\n');

it.each(Object.keys(TEMPLATES))('%s is said by a caption', (name) => {
  expect(SOURCES).toContain(`'${name}'`);
});

it('fills all places with what they are given, also where that looks like a place', () => {
  expect(say('tensor_named', { name: '{tensor}', tensor: '$& x' })).toBe('{tensor} is now the name of $& x.');
  expect(say('resumed')).toBe('The program goes on.');
});

it('joins texts and sentences', () => {
  expect([list([]), list(['a']), list(['a', 'b']), list(['a', 'b', 'c'])]).toEqual(['', 'a', 'a and b', 'a, b and c']);
  expect(text('One.', '', 'Two.')).toBe('One. Two.');
});

// Protects the notes that a reader writes on moments: their bounds, the link's text, and whose program they are on.

import { expect, it } from 'vitest';
import { LONGEST_MOMENT_NOTE, MOST_MOMENT_NOTES, MomentNotes } from './moment-notes.svelte';

it('is written, changed and deleted, in order of the steps', () => {
  const notes = new MomentNotes();
  notes.write(7, '  later\n on ');
  notes.write(2, 'early');
  expect(notes.texts).toEqual(['3:early', '8:later on']);
  notes.write(7, 'other');
  notes.write(2, ' ');
  expect(notes.all).toEqual([{ moment: 7, text: 'other' }]);
  expect(notes.at(7)).toBe('other');
  expect(notes.at(2)).toBe('');
});

it('is bounded in length and number', () => {
  const notes = new MomentNotes();
  for (let moment = 0; moment < MOST_MOMENT_NOTES + 5; moment += 1) notes.write(moment, 'x'.repeat(1000));
  expect(notes.all).toHaveLength(MOST_MOMENT_NOTES);
  expect(notes.at(0)).toHaveLength(LONGEST_MOMENT_NOTE);
  notes.write(3, 'changed');
  expect(notes.at(3)).toBe('changed');
  const linked = new MomentNotes();
  linked.load(
    Array.from({ length: 100 }, (_, at) => `${at + 1}:${'y'.repeat(1000)}`),
    true,
  );
  expect(linked.all).toHaveLength(MOST_MOMENT_NOTES);
  expect(linked.at(0)).toHaveLength(LONGEST_MOMENT_NOTE);
});

it('comes from a link for the run that it brings; what is damaged is left out', () => {
  const notes = new MomentNotes();
  notes.load(['5:read: this', '0:before', 'x:y', '7:', '3:first']);
  expect(notes.all).toEqual([]);
  notes.turnTo('program', false);
  expect(notes.texts).toEqual(['3:first', '5:read: this']);
});

it('stays with its program, and goes along where a number is changed', () => {
  const notes = new MomentNotes();
  notes.turnTo('one', false);
  notes.write(1, 'on one');
  notes.turnTo('two', false);
  expect(notes.all).toEqual([]);
  notes.write(1, 'on two');
  notes.turnTo('one', false);
  expect(notes.at(1)).toBe('on one');
  notes.turnTo('one with another number', true);
  expect(notes.at(1)).toBe('on one');
  notes.turnTo('two', false);
  expect(notes.at(1)).toBe('on two');
});

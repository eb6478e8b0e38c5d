// Protects: each action can be done by keyboard, is documented, and shares its keys with no other.

import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { does } from '../messages/page/actions';
import { leaveButton, press } from '../shell/keys';
import { ACTIONS, actionOf, chordOf, keysOf } from './actions';
import type { Workbench } from './workbench.svelte';

const README = readFileSync(`${import.meta.dirname}/../../README.md`, 'utf8');

test('each declared action is there once, and no two have one chord', () => {
  expect(ACTIONS.map(({ id }) => id).sort()).toEqual(Object.keys(does).sort());
  const chords = ACTIONS.flatMap(({ keys }) => keys);
  expect(new Set(chords).size).toBe(chords.length);
});

test.each(ACTIONS)('$id can be done by keyboard and stands in the README', ({ id, keys }) => {
  // What has no key of its own is in the palette, which has one.
  const palette = actionOf('Mod+k');
  expect(palette?.id).toBe('palette');
  for (const chord of keys)
    expect(README).toContain(
      keysOf(chord)
        .map((key) => `\`${key}\``)
        .join('+'),
    );
  expect(README).toContain(does[id]);
});

test('a recording can be chosen where the page opens one', () => {
  const { offered, run } = ACTIONS.find(({ id }) => id === 'open')!;
  const choose = vi.fn();
  expect(offered({ trace: { choose: null } } as unknown as Workbench)).toBe(false);
  const bench = { trace: { choose } } as unknown as Workbench;
  expect(offered(bench)).toBe(true);
  run(bench);
  expect(choose).toHaveBeenCalledOnce();
});

const press_ = (init: KeyboardEventInit & { key: string }, target: HTMLElement, bench: object) => {
  const event = new KeyboardEvent('keydown', { bubbles: true, ...init });
  target.addEventListener('keydown', () => {}, { once: true });
  document.body.append(target);
  target.dispatchEvent(event);
  const meant = press(event, bench as Workbench);
  target.remove();
  return meant;
};

test('a key does its action, but not where one types, and Space is left to a button', () => {
  const bench = { step: vi.fn(), togglePlaying: vi.fn(), debugger: { stop: null } };
  expect(press_({ key: 'ArrowRight' }, document.createElement('div'), bench)).toBe(true);
  expect(bench.step).toHaveBeenCalledWith(1);
  expect(press_({ key: 'ArrowRight' }, document.createElement('input'), bench)).toBe(false);
  expect(press_({ key: ' ' }, document.createElement('button'), bench)).toBe(false);
  expect(press_({ key: ' ' }, document.createElement('div'), bench)).toBe(true);
  expect(bench.step).toHaveBeenCalledTimes(1);
  expect(bench.togglePlaying).toHaveBeenCalledTimes(1);
});

test('a page of a lesson is turned from a field of one line, but not from a text, a list or a dialog', () => {
  const bench = { turnLesson: vi.fn() };
  expect(press_({ key: 'PageDown' }, document.createElement('input'), bench)).toBe(true);
  expect(press_({ key: 'PageUp' }, document.createElement('input'), bench)).toBe(true);
  expect(bench.turnLesson.mock.calls).toEqual([[1], [-1]]);
  for (const kind of ['textarea', 'select'])
    expect(press_({ key: 'PageDown' }, document.createElement(kind), bench)).toBe(false);
  const dialog = document.createElement('div');
  dialog.setAttribute('role', 'dialog');
  const field = dialog.appendChild(document.createElement('input'));
  document.body.append(dialog);
  const event = new KeyboardEvent('keydown', { bubbles: true, key: 'PageDown' });
  field.addEventListener('keydown', (pressed) => expect(press(pressed, bench as unknown as Workbench)).toBe(false));
  field.dispatchEvent(event);
  dialog.remove();
  expect(bench.turnLesson).toHaveBeenCalledTimes(2);
});

test('what cannot be done now leaves its key to the browser, but for the function keys of the page', () => {
  const bench = { live: false, run: null, stale: false };
  for (const key of ['F7', 'F8', 'F9', 'F10']) expect(press_({ key }, document.createElement('div'), bench)).toBe(true);
  expect(press_({ key: 'F1' }, document.createElement('div'), bench)).toBe(false);
  expect(press_({ key: 'F11' }, document.createElement('div'), bench)).toBe(false);
  expect(press_({ key: 'F12' }, document.createElement('div'), bench)).toBe(false);
  expect(press_({ key: '/' }, document.createElement('div'), bench)).toBe(false);
});

test.each([
  [{ key: 'k', ctrlKey: true }, 'Mod+k'],
  [{ key: 'K', metaKey: true, shiftKey: true }, 'Mod+k'],
  [{ key: '?', shiftKey: true }, '?'],
  [{ key: 'F7', shiftKey: true }, 'Shift+F7'],
  [{ key: ' ' }, 'Space'],
])('%o is %s', (init, chord) => {
  expect(chordOf(new KeyboardEvent('keydown', init))).toBe(chord);
});

test('keys are named as they stand on the keyboard', () => {
  expect(keysOf('Mod+Enter')).toEqual(['Ctrl', 'Enter']);
  expect(keysOf('Shift+F7')).toEqual(['Shift', 'F7']);
  expect(keysOf('+')).toEqual(['+']);
  expect(keysOf('-')).toEqual(['−']);
  expect(keysOf('Escape')).toEqual(['Esc']);
});

test('keys mean the page on what holds no text, and Space is left to a checkbox', () => {
  const bench = { step: vi.fn(), togglePlaying: vi.fn(), debugger: { stop: null } };
  const box = Object.assign(document.createElement('input'), { type: 'checkbox' });
  expect(press_({ key: 'ArrowRight' }, box, bench)).toBe(true);
  expect(press_({ key: ' ' }, box, bench)).toBe(false);
  for (const name of ['textarea', 'select']) {
    expect(press_({ key: 'ArrowRight' }, document.createElement(name), bench)).toBe(false);
  }
});

test('a button that was clicked gives the keyboard back, one reached by keys or opening a dialog keeps it', () => {
  const clicked = (detail: number, attributes: Record<string, string> = {}) => {
    const button = document.createElement('button');
    for (const [name, value] of Object.entries(attributes)) button.setAttribute(name, value);
    document.body.append(button);
    button.focus();
    button.addEventListener('click', leaveButton);
    button.dispatchEvent(new MouseEvent('click', { detail, bubbles: true }));
    const kept = document.activeElement === button;
    button.remove();
    return kept;
  };
  expect(clicked(1)).toBe(false);
  expect(clicked(0)).toBe(true);
  expect(clicked(1, { 'aria-haspopup': 'dialog' })).toBe(true);
  expect(clicked(1, { 'aria-expanded': 'false' })).toBe(false);
});

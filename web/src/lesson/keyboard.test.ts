// Protects: the keyboard stays in the lesson when what had it is gone or disabled, and is taken from nothing else.

import { afterEach, beforeEach, expect, it } from 'vitest';
import { Keyboard } from './keyboard';

let room: HTMLElement;
let keyboard: Keyboard;
const button = (name: string) => room.querySelector<HTMLButtonElement>(`#${name}`)!;

beforeEach(() => {
  document.body.innerHTML =
    '<main><button id="check"></button><button id="next"></button></main><button id="run"></button>';
  room = document.querySelector('main')!;
  keyboard = new Keyboard(() => [room]);
});
afterEach(() => {
  document.body.innerHTML = '';
});

it('goes on where what had it is gone', () => {
  button('check').focus();
  keyboard.note();
  button('check').remove();
  keyboard.restore(button('next'));
  expect(document.activeElement).toBe(button('next'));
});

it('goes on where what had it is disabled, also after a while', () => {
  button('check').focus();
  keyboard.note();
  button('check').disabled = true;
  keyboard.note();
  keyboard.restore(button('next'));
  expect(document.activeElement).toBe(button('next'));
});

it('stays where it is, and is not taken from elsewhere', () => {
  button('check').focus();
  keyboard.note();
  keyboard.restore(button('next'));
  expect(document.activeElement).toBe(button('check'));
  document.querySelector<HTMLElement>('#run')!.focus();
  keyboard.note();
  document.querySelector('#run')!.remove();
  keyboard.restore(button('next'));
  expect(document.activeElement).toBe(document.body);
});

it('leaves a button that stays for what is on another page, once', () => {
  button('next').focus();
  keyboard.note();
  keyboard.leaves(button('next'));
  keyboard.restore(button('check'));
  expect(document.activeElement).toBe(button('check'));
  button('next').focus();
  keyboard.note();
  keyboard.restore(button('check'));
  expect(document.activeElement).toBe(button('next'));
});

import { describe, expect, test, vi } from 'vitest';
import { TypedAhead } from './typed-ahead';

const press = (key: string, more = {}) =>
  ({ key, ctrlKey: false, metaKey: false, altKey: false, ...more }) as KeyboardEvent;

describe('what is typed ahead', () => {
  test('is the field’s, letter by letter, and no key’s meaning', () => {
    const ahead = new TypedAhead();
    expect(ahead.keep(press('t'))).toBe(false);
    ahead.expect(Promise.resolve(), () => {});
    for (const key of ['r', 'e', 'x', 'Backspace', 'l', 'u', ' ']) expect(ahead.keep(press(key))).toBe(true);
    expect(ahead.keep(press('k', { ctrlKey: true }))).toBe(false);
    expect(ahead.keep(press('ArrowDown'))).toBe(false);
    expect(ahead.take()).toEqual({ text: 'relu ', sent: false });
    expect(ahead.keep(press('t'))).toBe(false);
    expect(ahead.take()).toEqual({ text: '', sent: false });
  });

  test('ends with Enter, unless that is the one held down since the field was asked for', () => {
    const ahead = new TypedAhead();
    ahead.expect(Promise.resolve(), () => {});
    for (const pressed of [press('Enter', { repeat: true }), press('r'), press('Enter'), press('x')])
      expect(ahead.keep(pressed)).toBe(true);
    expect(ahead.take()).toEqual({ text: 'r', sent: true });
    ahead.expect(Promise.resolve(), () => {});
    expect(ahead.take()).toEqual({ text: '', sent: false });
  });

  test('is given up where no field comes of what was fetched', async () => {
    vi.useFakeTimers();
    const ahead = new TypedAhead();
    ahead.expect(Promise.resolve(), () => {});
    await vi.advanceTimersByTimeAsync(1000);
    expect(ahead.keep(press('a'))).toBe(true);
    await vi.advanceTimersByTimeAsync(2000);
    expect(ahead.keep(press('a'))).toBe(false);
    vi.useRealTimers();
  });

  test('is given up by Escape, and where the field cannot be had', async () => {
    const ahead = new TypedAhead();
    const away = vi.fn();
    ahead.expect(new Promise(() => {}), away);
    expect(ahead.keep(press('Escape'))).toBe(true);
    expect(away).toHaveBeenCalledOnce();
    expect(ahead.keep(press('a'))).toBe(false);
    ahead.expect(Promise.reject(new Error('offline')), away);
    await vi.waitFor(() => expect(ahead.keep(press('a'))).toBe(false));
  });
});

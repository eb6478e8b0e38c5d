// Protects: a still press is a tap, a moving one pans, two fingers zoom about their middle, and the wheel zooms.

import { beforeEach, describe, expect, it, vi } from 'vitest';
import { listenGestures } from './gestures';

let element: HTMLElement;
let sink: { [name in 'pan' | 'zoom' | 'tap' | 'open' | 'hover']: ReturnType<typeof vi.fn> };

function pointer(type: string, id: number, x: number, y: number) {
  element.dispatchEvent(
    new PointerEvent(type, { pointerId: id, clientX: x, clientY: y, button: 0, pointerType: 'mouse' }),
  );
}

beforeEach(() => {
  element = document.createElement('div');
  element.setPointerCapture = () => {};
  sink = { pan: vi.fn(), zoom: vi.fn(), tap: vi.fn(), open: vi.fn(), hover: vi.fn() };
  listenGestures(element, sink as never);
});

describe('gestures', () => {
  it('tells a tap from a drag', () => {
    pointer('pointerdown', 1, 10, 10);
    pointer('pointerup', 1, 11, 10);
    expect(sink.tap).toHaveBeenCalledWith(11, 10);
    pointer('pointerdown', 1, 10, 10);
    pointer('pointermove', 1, 40, 20);
    pointer('pointerup', 1, 40, 20);
    expect(sink.pan).toHaveBeenCalledWith(30, 10);
    expect(sink.tap).toHaveBeenCalledTimes(1);
  });

  it('opens what is clicked twice', () => {
    element.dispatchEvent(new MouseEvent('dblclick', { clientX: 4, clientY: 5 }));
    expect(sink.open).toHaveBeenCalledWith(4, 5);
  });

  it('zooms by two fingers', () => {
    pointer('pointerdown', 1, 0, 0);
    pointer('pointerdown', 2, 100, 0);
    pointer('pointermove', 2, 200, 0);
    expect(sink.zoom).toHaveBeenCalledWith(2, 100, 0);
    pointer('pointerup', 2, 200, 0);
    pointer('pointerup', 1, 0, 0);
    expect(sink.tap).not.toHaveBeenCalled();
  });

  it('hears of hovering and of leaving', () => {
    pointer('pointermove', 1, 5, 6);
    pointer('pointerleave', 1, 0, 0);
    expect(sink.hover.mock.calls).toEqual([[{ x: 5, y: 6 }], [null]]);
  });
});

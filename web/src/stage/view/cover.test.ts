// Protects that a step does not lay out the page to learn what lies over the stage, and that what changed there is seen.

import { afterEach, expect, test, vi } from 'vitest';
import { Cover } from './cover';

afterEach(() => {
  vi.restoreAllMocks();
  document.body.replaceChildren();
});

function stage() {
  const host = document.createElement('div');
  const [canvas, map, told] = [
    document.createElement('canvas'),
    document.createElement('div'),
    document.createElement('ul'),
  ];
  const frame = document.createElement('span');
  map.append(frame);
  host.append(canvas, map, told);
  document.body.append(host);
  const sizes = new Map<Element, DOMRect>([
    [canvas, new DOMRect(100, 50, 800, 600)],
    [map, new DOMRect(108, 500, 90, 140)],
    [told, new DOMRect(100, 50, 1, 1)],
  ]);
  const measure = vi.spyOn(Element.prototype, 'getBoundingClientRect').mockImplementation(function (this: Element) {
    return sizes.get(this) ?? new DOMRect(700, 600, 40, 40);
  });
  return { host, map, told, frame, sizes, measure, cover: new Cover(canvas) };
}

test('steps ask once, as long as nothing that lies over the stage changes', () => {
  const { cover, measure, frame, told } = stage();
  expect(cover.rects).toEqual([{ x: 8, y: 450, width: 90, height: 140, isMap: false }]);
  const asked = measure.mock.calls.length;
  frame.style.left = '12px';
  told.append(document.createElement('li'));
  expect(cover.rects).toHaveLength(1);
  expect(measure.mock.calls.length).toBe(asked);
});

test('what comes to lie over the stage is told, what changes in it is not', async () => {
  const { host, map, cover } = stage();
  const changed = vi.fn();
  cover.destroy();
  const told = new Cover(host.querySelector('canvas')!, changed);
  expect(told.rects).toHaveLength(1);
  map.append(document.createElement('span'));
  await new Promise((done) => setTimeout(done));
  expect(changed).not.toHaveBeenCalled();
  host.append(document.createElement('p'));
  await new Promise((done) => setTimeout(done));
  expect(changed).toHaveBeenCalledOnce();
});

test('what is found at another place is told', async () => {
  const { host, map, sizes } = stage();
  const changed = vi.fn();
  const cover = new Cover(host.querySelector('canvas')!, changed);
  expect(cover.rects).toHaveLength(1);
  sizes.set(map, new DOMRect(108, 440, 90, 200));
  map.className = 'row';
  expect(cover.rects[0]).toMatchObject({ y: 390, height: 200 });
  await new Promise((done) => setTimeout(done));
  expect(changed).toHaveBeenCalledOnce();
});

test('what came, grew or says something else is measured at once', () => {
  const { cover, host, map, sizes } = stage();
  expect(cover.rects).toHaveLength(1);
  sizes.set(map, new DOMRect(108, 440, 90, 200));
  map.style.height = '200px';
  expect(cover.rects[0]).toMatchObject({ y: 390, height: 200 });
  const card = document.createElement('p');
  card.textContent = 'sin';
  host.append(card);
  expect(cover.rects).toHaveLength(2);
  sizes.set(card, new DOMRect(700, 560, 40, 80));
  card.firstChild!.nodeValue = 'a longer text';
  expect(cover.rects[1]).toMatchObject({ height: 80 });
  card.remove();
  expect(cover.rects).toHaveLength(1);
});

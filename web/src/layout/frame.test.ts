// Protects: the grounds of modules hold all that is theirs and nothing else, inside one another, apart from each other.

import { describe, expect, it } from 'vitest';
import { goldens } from '../protocol/goldens';
import { EventLog } from '../store/log';
import type { Frame } from './frame';
import type { Item } from './graph';
import { MirrorLayout } from './mirror';
import { holds, overlaps, type Rect } from './rect';

function laid(name: string): MirrorLayout {
  const log = new EventLog();
  const layout = new MirrorLayout(log);
  log.append(goldens().find(([golden]) => golden === name)![1]);
  layout.commit();
  return layout;
}

const boxOf = (item: Item): Rect => ({
  x: item.x - item.left,
  y: item.y,
  width: item.left + item.right,
  height: item.height,
});
const covers = (frame: Frame, box: Rect) =>
  holds(frame.rect, box.x, box.y) && holds(frame.rect, box.x + box.width, box.y + box.height);
const isWithin = (inner: Frame, outer: Frame) => {
  for (let at: Frame | null = inner; at; at = at.outer) if (at === outer) return true;
  return false;
};

describe.each(['training', '05_matrix_one_by_one', '17_mlp', '22_module_hooks'])('the grounds of %s', (name) => {
  const layout = laid(name);
  const chunks = layout.chunks.filter(({ frames }) => frames.length > 0);

  it('hold their items and no other', () => {
    for (const { frames, items } of chunks) {
      for (const frame of frames) {
        for (const item of items) {
          const box = boxOf(item);
          if (frame.items.includes(item)) expect(covers(frame, box), `${item.text} in ${frame.name}`).toBe(true);
          else expect(overlaps(frame.rect, box), `${item.text} in ${frame.name}`).toBe(false);
        }
      }
    }
  });

  it('do not run into each other', () => {
    for (const { frames } of chunks) {
      for (const a of frames) {
        for (const b of frames) {
          if (a === b || isWithin(a, b) || isWithin(b, a)) continue;
          expect(overlaps(a.rect, b.rect), `${a.name} and ${b.name}`).toBe(false);
        }
      }
    }
  });

  it('have names that no edge crosses', () => {
    for (const { frames, links } of chunks) {
      for (const frame of frames) {
        const text = [frame.label, frame.labelDetail].filter(Boolean).join(' ');
        const strip = { x: frame.labelX, y: frame.labelY - 8, width: [...text].length * 7.2, height: 16 };
        for (const { points } of links) {
          for (let i = 0; i < points.length; i += 2) {
            expect(text !== '' && holds(strip, points[i]!, points[i + 1]!), `${text} and an edge`).toBe(false);
          }
        }
      }
    }
  });
});

describe('a model', () => {
  const layout = laid('training');
  const frames = layout.chunks[0]!.frames;
  const named = (path: string) => frames.filter(({ place }) => place.kind === 'module' && place.event.path === path);

  it('has a ground for each call, named inside its outer one', () => {
    expect(frames.map(({ place, depth }) => [place.kind === 'module' && place.event.path, depth])).toEqual([
      ['model', 0],
      ['model.cell', 1],
      ['model.cell', 1],
      ['model.head', 1],
      ['model.cell.linear', 2],
      ['model.cell.linear', 2],
      ['model.head.0', 2],
    ]);
    expect(named('model.cell').map(({ name }) => name)).toEqual(['cell', 'cell']);
  });

  it('keeps the parameters of a module with it, and what it is given outside', () => {
    const [head] = named('model.head.0');
    expect(head!.items.map(({ text }) => text)).toEqual(
      expect.arrayContaining(['model.head.0.weight', 'model.head.0.bias', 'addmm']),
    );
    const [model] = named('model');
    expect(model!.items.some(({ text }) => text === 'batches[0]')).toBe(false);
    // Shared by two calls of the cell, so it lies in neither.
    expect(named('model.cell').some((cell) => cell.items.some(({ text }) => text.endsWith('.weight')))).toBe(false);
    expect(model!.items.some(({ text }) => text === 'model.cell.linear.weight')).toBe(true);
  });
});

// Protects: every moment of every recorded program can be shown, and the scene says what the state holds.

import { describe, expect, it } from 'vitest';
import { overlaps } from '../layout/rect';
import { goldens } from '../protocol/goldens';
import { outline } from './outline';
import { buildScene, type Scene } from './scene';
import { opened, walk } from './walks';

const NOTHING = { selection: null, hover: null };

describe.each(goldens())('%s', (_, events) => {
  it('can be shown at its moments', () => {
    const { timeline, layout } = opened(events);
    const stride = 1 + Math.floor(timeline.moments.length / 60);
    for (let cursor = -1; cursor < timeline.moments.length; cursor += stride) {
      const scene = buildScene(timeline.stateAt(cursor), layout, NOTHING);
      const { cards, pills, edges } = scene.visible(scene.bounds);
      const shown = [...cards, ...pills].map((part) => part.item.id).sort((a, b) => a - b);
      const expected = layout.items.filter((item) => item.seq <= scene.state.seq).map((item) => item.id);
      expect(shown).toEqual(expected);
      for (const edge of edges) if (edge.gradient) expect(edge.tracked).toBe(true);
      const ids = outline(scene).map((entry) => entry.id);
      expect(new Set(ids).size).toBe(ids.length);
    }
  });

  it('shows the same dots from wherever one comes', () => {
    const { timeline, layout } = opened(events);
    let before: Scene | null = null;
    for (const cursor of walk(timeline, 120)) {
      const state = timeline.stateAt(cursor);
      before = buildScene(state, layout, NOTHING, before);
      const { dots } = before.visible(before.bounds, 0.12, true);
      expect(dots).toEqual(buildScene(state, layout, NOTHING).visible(before.bounds, 0.12, true).dots);
    }
  });

  it('lays no part over another', () => {
    const { timeline, layout } = opened(events);
    const scene = buildScene(timeline.stateAt(timeline.moments.length - 1), layout, NOTHING);
    const { cards, pills } = scene.visible(scene.bounds);
    const boxes = pills.flatMap((pill) => [
      pill.rect,
      ...pill.chips.filter((chip) => !chip.absent).map((chip) => chip.rect),
      ...pill.hooks.map((hook) => hook.rect),
    ]);
    boxes.push(...cards.flatMap((card) => [card.rect, ...card.hooks.map((hook) => hook.rect)]));
    boxes.sort((a, b) => a.x - b.x);
    boxes.forEach((box, i) => {
      for (let k = i + 1; k < boxes.length && boxes[k]!.x < box.x + box.width; k += 1) {
        expect(overlaps(box, boxes[k]!), JSON.stringify([box, boxes[k]])).toBe(false);
      }
    });
  });

  it('shows every gradient that was sent on an edge, and every freed slot as freed', () => {
    const { timeline, layout } = opened(events);
    for (const event of events) {
      const cursor = timeline.momentOfSeq(event.seq);
      const scene = buildScene(timeline.stateAt(cursor), layout, NOTHING);
      if (event.kind === 'gradient_sent') {
        const link = layout.linkOf(event.node, event.input_nr);
        expect(link, `edge ${event.node}/${event.input_nr}`).not.toBeNull();
        expect(scene.edge(link!).gradient).not.toBeNull();
      }
      if (event.kind === 'buffer_freed') {
        const part = scene.part(layout.itemOfNode(event.node)!);
        const chip =
          part.kind === 'pill'
            ? part.chips.find((c) => c.target.type === 'saved' && c.target.slot === event.slot)
            : null;
        expect(chip?.live).toBe(false);
      }
    }
  });
});

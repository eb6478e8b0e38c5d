// Protects: notes say what a step comes to, with its numbers, and cover nothing that is on the stage.

import { expect, it } from 'vitest';
import moments from '../../examples/moments.json';
import topics from '../../examples/topics.json';
import { MirrorLayout } from '../../layout/mirror';
import { overlaps } from '../../layout/rect';
import { descent } from '../../messages/notes';
import { goldens } from '../../protocol/goldens';
import { EventLog } from '../../store/log';
import { Timeline } from '../../timeline/timeline';
import type { NotePart } from '../parts/parts';
import { buildScene } from '../scene';

const MOST_STEPS = 120;
const told = new Map<string, NotePart[]>();

for (const [name, events] of goldens()) {
  const log = new EventLog();
  const timeline = new Timeline(log);
  const layout = new MirrorLayout(log);
  log.append(events);
  layout.commit();
  const notes: NotePart[] = [];
  for (let cursor = 0; cursor < Math.min(timeline.moments.length, MOST_STEPS); cursor += 1) {
    const scene = buildScene(timeline.stateAt(cursor), layout, { selection: null, hover: null });
    notes.push(...scene.notes);
    if (scene.notes.length === 0) continue;
    const { cards, pills } = scene.visible(scene.bounds);
    const boxes = pills.flatMap(({ rect, chips, hooks }) => [
      rect,
      ...chips.filter((chip) => !chip.absent).map((chip) => chip.rect),
      ...hooks.map((hook) => hook.rect),
    ]);
    boxes.push(...cards.map(({ rect }) => rect));
    for (const note of scene.notes) {
      const covered = [...boxes, ...scene.notes.filter((other) => other !== note).map(({ rect }) => rect)];
      if (covered.some((box) => overlaps(box, note.rect))) throw new Error(`${name}, step ${cursor}: ${note.text}`);
    }
  }
  told.set(name, notes);
}

const texts = [...told.values()].flat().map(({ text, tone }) => `${tone}: ${text}`);

it.each([
  ['contributions with their sum', /^gradient: (\S+) \+ (\S+) = (\S+)$/],
  ['a broadcast that is folded back', /^gradient: Σ dim 0: \[4, 2\] → \[2\]$/],
  ['what is freed', /^saved: freed \d+ B, \d+ B still saved$/],
  ['what retain_graph keeps', /^saved: kept \d+ B: retain_graph$/],
  ['a second pass over a freed graph', /^error: freed at line \d+, needed again here$/],
  ['the line that saved and the line that changed', /^error: line \d+ saved v0, line \d+ made v1$/],
  ['a cut', /^forward: cut: no gradient passes$/],
  ['where a NaN begins', /^error: NaN begins here$/],
  ['an update by hand', /^forward: 2 − 0\.1 × 54 = −3\.4$/],
  ['an update by hand of several numbers', /^forward: \[1, 2\] − 0\.1 × \[−10, −8\] = \[2, 2\.8\]$/],
  ['an update through .data', /^forward: 11\.72 − 0\.1 × \(−0\.24\) = 11\.74$/],
  ['a recorded backward', /^second: this backward is recorded too$/],
])('tells %s', (_, pattern) => {
  expect(texts.filter((text) => pattern.test(text)).length).toBeGreaterThan(0);
});

it('adds up right', () => {
  for (const text of texts) {
    const sum = /^gradient: (−?[\d.]+) \+ (−?[\d.]+) = (−?[\d.]+)$/.exec(text)?.slice(1);
    const [a, b, total] = (sum ?? ['0', '0', '0']).map((number) => Number(number.replace('−', '-')));
    expect(Math.abs(a! + b! - total!)).toBeLessThanOrEqual(1e-3 * Math.max(1, Math.abs(total!)));
  }
});

it('stands where it is seen, as long as there is room', () => {
  const log = new EventLog();
  const timeline = new Timeline(log);
  const layout = new MirrorLayout(log);
  log.append([...goldens()].find(([name]) => name === '42_optimizer_step')![1]);
  layout.commit();
  let placed = 0;
  for (let cursor = 0; cursor < timeline.moments.length; cursor += 1) {
    const scene = buildScene(timeline.stateAt(cursor), layout, { selection: null, hover: null });
    const { x, y, width, height } = scene.frame;
    const room = { x: x - 10, y: y - 60, width: width + 20, height: height + 120 };
    for (const { rect, text } of scene.placeNotes({ rect: room, covered: [] })) {
      placed += 1;
      const isSeen = rect.x >= room.x && rect.x + rect.width <= room.x + room.width && rect.y >= room.y;
      expect(isSeen, `step ${cursor}: ${text}`).toBe(true);
    }
  }
  expect(placed).toBeGreaterThan(4);
});

const TEACHING = topics.flatMap(({ examples }) => examples.flatMap((one) => ('teaches' in one ? [one.name] : [])));
const MOMENTS: Readonly<Record<string, { at: number | null }>> = moments;

it.each(TEACHING)('stands in a narrow room too, beside the buttons that lie over it: %s', (name) => {
  const log = new EventLog();
  const timeline = new Timeline(log);
  const layout = new MirrorLayout(log);
  log.append([...goldens()].find(([one]) => one === name)![1]);
  layout.commit();
  const scene = buildScene(timeline.stateAt(MOMENTS[name]!.at!), layout, { selection: null, hover: null });
  // A phone's stage about what acts, at the scale at which one reads.
  const { x, y, width, height } = scene.focus!;
  const room = { x: x + width / 2 - 243, y: y + height / 2 - 337, width: 486, height: 674 };
  const corner = { x: room.x + 410, y: room.y + 540, width: 76, height: 134 };
  for (const { rect, about, text } of scene.placeNotes({ rect: room, covered: [corner] })) {
    if (!overlaps(about, room)) continue;
    const isSeen =
      rect.x >= room.x &&
      rect.x + rect.width <= room.x + room.width &&
      rect.y >= room.y &&
      rect.y + rect.height <= room.y + room.height;
    expect(isSeen && !overlaps(rect, corner), text).toBe(true);
  }
});

it('brackets what a parameter loses where that is signed or complex', () => {
  const lost = (grad: string) => descent('3', 0.1, grad, '2');
  expect(['3', '−3', '1+2i'].map(lost)).toEqual(['3 − 0.1 × 3 = 2', '3 − 0.1 × (−3) = 2', '3 − 0.1 × (1+2i) = 2']);
});

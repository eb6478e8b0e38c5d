// Protects: a note that has no place nearby as a whole is said briefly, and one that has is not; a sum is cut only where
// the view can show no more of it.

import { expect, it } from 'vitest';
import { MirrorLayout } from '../../layout/mirror';
import { contains, overlaps } from '../../layout/rect';
import { goldens } from '../../protocol/goldens';
import { EventLog } from '../../store/log';
import { Timeline } from '../../timeline/timeline';
import { buildScene } from '../scene';
import { placeNotes } from './note-place';

const log = new EventLog();
const timeline = new Timeline(log);
const layout = new MirrorLayout(log);
log.append([...goldens()].find(([name]) => name === '03_cube')![1]);
const scene = buildScene(timeline.stateAt(timeline.moments.length - 1), layout, { selection: null, hover: null });
const about = { x: 0, y: -2000, width: 40, height: 30 };
const whole = 'a text that needs much more room than there is in a narrow view';
const remark = { text: whole, brief: 'short', tone: 'gradient' as const, about };

it('is whole where there is room', () => {
  const rect = { x: -600, y: -2300, width: 1200, height: 600 };
  expect(placeNotes([remark], scene, { rect, covered: [] }).map(({ text }) => text)).toEqual([whole]);
  expect(placeNotes([remark], scene, null).map(({ text }) => text)).toEqual([whole]);
});

it('is brief where the whole would be cut off', () => {
  const rect = { x: -80, y: -2300, width: 200, height: 600 };
  const [note] = placeNotes([remark], scene, { rect, covered: [] });
  expect(note!.text).toBe('short');
  expect(note!.rect.x).toBeGreaterThanOrEqual(rect.x);
  expect(note!.rect.x + note!.rect.width).toBeLessThanOrEqual(rect.x + rect.width);
});

it('is brief where only that stands beside what it is about', () => {
  const rect = { x: -600, y: -2300, width: 1200, height: 600 };
  // All around but a gap as wide as the brief text.
  const covered = [
    { x: -600, y: -2200, width: 560, height: 400 },
    { x: 70, y: -2200, width: 530, height: 400 },
  ];
  const [note] = placeNotes([remark], scene, { rect, covered });
  expect(note!.text).toBe('short');
  expect(Math.abs(note!.rect.y - about.y)).toBeLessThan(60);
});

it('is whole where nothing shorter can be said', () => {
  const rect = { x: -80, y: -2300, width: 200, height: 600 };
  const { brief: _, ...long } = remark;
  expect(placeNotes([long], scene, { rect, covered: [] }).map(({ text }) => text)).toEqual([whole]);
});

it('is brief beside another one that would be cut off otherwise', () => {
  const other = { text: 'as long as a second text of some words', brief: 'brief', tone: 'gradient' as const };
  const remarks = [
    { ...other, about: { x: 0, y: -2000, width: 40, height: 30 } },
    { ...other, about: { x: 90, y: -2000, width: 40, height: 30 } },
  ];
  // One row of a room that is too narrow for both in full.
  const rect = { x: -80, y: -2040, width: 360, height: 74 };
  const notes = placeNotes(remarks, scene, { rect, covered: [{ x: -80, y: -1998, width: 360, height: 30 }] });
  expect(notes.map(({ text }) => text)).toEqual(['brief', 'brief']);
  const wide = { ...rect, x: -500, width: 1200 };
  expect(placeNotes(remarks, scene, { rect: wide, covered: [] }).map(({ text }) => text)).toEqual([
    other.text,
    other.text,
  ]);
});

it('is cut to the first sums where there is no room for all of them', () => {
  const lines = [['1 → a'], ['2 × c'], ['  → b'], ['3 × d'], ['  → e']];
  const sum = { text: lines.join('\n'), lines, tone: 'gradient' as const, about };
  // A room beside what it is about, as high as three lines.
  const rect = { x: -80, y: -2010, width: 400, height: 84 };
  const [cut] = placeNotes([sum], scene, { rect, covered: [], cuts: true });
  expect(cut!.text).toBe('1 → a\n… +2');
  expect(cut!.rect.height).toBeLessThan(rect.height);
  const [whole] = placeNotes([sum], scene, { rect, covered: [] });
  expect(whole!.text).toBe(sum.text);
  const high = { ...rect, y: -2100, height: 300 };
  expect(placeNotes([sum], scene, { rect: high, covered: [], cuts: true })[0]!.text).toBe(sum.text);
});

it('is cut to the one sum that is narrow enough where the first ones are not', () => {
  const lines = [
    ['a sum that is as long as the whole width of a page'],
    ['2 × c'],
    ['  → b'],
    ['another one as long as that'],
  ];
  const sum = { text: lines.join('\n'), lines, tone: 'gradient' as const, about };
  const rect = { x: -80, y: -2100, width: 200, height: 300 };
  const [cut] = placeNotes([sum], scene, { rect, covered: [], cuts: true });
  expect(cut!.text).toBe('2 × c\n  → b\n… +2');
  expect(cut!.rect.x).toBeGreaterThanOrEqual(rect.x);
  expect(cut!.rect.x + cut!.rect.width).toBeLessThanOrEqual(rect.x + rect.width);
});

it('lies over edges where they leave a sum no other place, and a view can show no more', () => {
  const rows = Array.from({ length: 60 }, (_, i) => new Float32Array([-900, -2400 + 14 * i, 900, -2400 + 14 * i]));
  const edges = rows.map((points) => ({ link: { points }, gradient: null }));
  const { state, bounds } = scene;
  const visible = () => ({ cards: [], pills: [], blocks: [], edges });
  const crossed = { layout, state, bounds, visible } as unknown as typeof scene;
  const sum = { text: '1 → a', lines: [['1 → a']], tone: 'gradient' as const, about };
  const rect = { x: -200, y: -2100, width: 400, height: 200 };
  expect(placeNotes([sum], crossed, { rect, covered: [] })).toEqual([]);
  const [over] = placeNotes([sum], crossed, { rect, covered: [], cuts: true });
  expect(over!.text).toBe('1 → a');
  expect(contains(rect, over!.rect)).toBe(true);
  expect(overlaps(about, over!.rect)).toBe(false);
});

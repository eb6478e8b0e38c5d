// The arrangement of the page in a link: the part of the stage that the reader chose to see, and what is open beside it.

import type { Rect } from '../../layout/rect';
import { panels } from '../../widgets/panels.svelte';

/** Farther away or wider than any stage. */
const MOST = 1e8;
const ROWS = ['training', 'buffers'] as const;

/** A part of the stage as `x,y,width,height` in its plane. */
export function writeView({ x, y, width, height }: Rect): string {
  return [x, y, width, height].map((value) => String(Math.round(value * 10) / 10)).join(',');
}

/** Reads a part of the stage; null where it is damaged. */
export function readView(text: string | null): Rect | null {
  const numbers = (text ?? '').split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  if (numbers.length !== 4 || !numbers.every((value) => Math.abs(value) < MOST)) return null;
  const [x, y, width, height] = numbers as [number, number, number, number];
  return width > 0 && height > 0 ? { x, y, width, height } : null;
}

/** The rooms that are open only as long as the reader wants them, as words. */
export function writeRooms(): string[] {
  return [...(panels.table ? ['table'] : []), ...ROWS.filter((rows) => rows === panels.rows)];
}

/** Opens what a link names; what it does not name stays as it is. */
export function openRooms(rooms: readonly string[]): void {
  if (rooms.includes('table')) panels.table = true;
  panels.rows = ROWS.find((rows) => rooms.includes(rows)) ?? panels.rows;
}

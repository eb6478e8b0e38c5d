// Draws the timeline's track: bands, marks, the memory under them and the cursor.

import { type Band, cursorX, type Mark, type RoundMark } from './bands';

export type Memory = { values: ArrayLike<number>; saved: ArrayLike<number>; gradients: ArrayLike<number> };
export type TrackPicture = {
  bands: readonly Band[];
  marks: readonly Mark[];
  rounds: readonly RoundMark[];
  memory: Memory;
  length: number;
  cursor: number;
  width: number;
  height: number;
};
export type TrackInk = Record<
  'ink' | 'muted' | 'faint' | 'hairline' | 'paper' | 'forward' | 'gradient' | 'saved' | 'error',
  string
>;

/** Vertical places in CSS pixels: where the band runs and where the memory curve begins. */
export const BAND_Y = 24;
const MEMORY_TOP = 40;
const LABEL_GAP = 8;
/** A lower track has no room for the numbers of rounds. */
const ROOM_FOR_ROUNDS = 64;
/** Rounds that would stand closer are left out. */
const LEAST_ROUND = 3;

/** Draws onto a context that is scaled to CSS pixels and empty. */
export function drawTrack(context: CanvasRenderingContext2D, picture: TrackPicture, ink: TrackInk, font: string): void {
  context.font = font;
  context.textBaseline = 'alphabetic';
  drawMemory(context, picture, ink);
  drawRounds(context, picture, ink);
  drawBands(context, picture, ink);
  drawMarks(context, picture, ink);
  drawCursor(context, picture, ink);
}

function drawBands(context: CanvasRenderingContext2D, picture: TrackPicture, ink: TrackInk): void {
  const { bands, length, width, cursor } = picture;
  if (length === 0) {
    context.fillStyle = ink.hairline;
    context.fillRect(0, BAND_Y - 1, width, 2);
    return;
  }
  let free = 0;
  for (const band of bands) {
    const left = cursorX(band.from - 1, length, width);
    const right = cursorX(band.to, length, width);
    const here = cursorX(Math.min(band.to, Math.max(band.from - 1, cursor)), length, width);
    const colour = band.phase === 'backward' ? ink.gradient : ink.forward;
    const gap = right - left > 6 ? 1.5 : 0;
    context.globalAlpha = 0.3;
    line(context, left + gap, right - gap, colour, band.phase === 'backward');
    context.globalAlpha = 1;
    if (here > left) line(context, left + gap, Math.max(left + gap, here - gap), colour, band.phase === 'backward');
    const text = band.phase === 'backward' ? `backward${(band.pass ?? 1) > 1 ? ` ${band.pass}` : ''}` : 'forward';
    const needed = context.measureText(text).width;
    if (left + 2 >= free && right - left >= needed + LABEL_GAP) {
      context.fillStyle = ink.muted;
      context.fillText(text, left + 2, BAND_Y - 10);
      free = left + 2 + needed + LABEL_GAP;
    }
  }
}

/** Forward is a solid line, backward a wave. */
function line(context: CanvasRenderingContext2D, left: number, right: number, colour: string, wave: boolean): void {
  context.strokeStyle = colour;
  context.lineWidth = 2;
  context.beginPath();
  context.moveTo(left, BAND_Y);
  if (wave && right - left > 16) {
    for (let x = left; x <= right; x += 1) context.lineTo(x, BAND_Y + Math.sin((x - left) / 2.6) * 2);
  } else {
    context.lineTo(right, BAND_Y);
  }
  context.stroke();
}

function drawMarks(context: CanvasRenderingContext2D, picture: TrackPicture, ink: TrackInk): void {
  const { marks, length, width } = picture;
  const taken = { output: -9, warning: -9, error: -9, backward: -9, optimizer: -9 };
  for (const mark of marks) {
    const x = Math.round(cursorX(mark.index, length, width)) - 0.5;
    if (x - taken[mark.kind] < 3) continue;
    taken[mark.kind] = x;
    context.lineWidth = 1.5;
    context.strokeStyle = {
      output: ink.muted,
      warning: ink.ink,
      error: ink.error,
      backward: ink.gradient,
      optimizer: ink.ink,
    }[mark.kind];
    context.beginPath();
    if (mark.kind === 'error') {
      context.lineWidth = 2;
      cross(context, x, BAND_Y, 4);
    } else if (mark.kind === 'backward') {
      context.moveTo(x, BAND_Y - 7);
      context.lineTo(x, BAND_Y + 7);
    } else if (mark.kind === 'optimizer') {
      diamond(context, x, BAND_Y, 4.5);
      context.fillStyle = ink.paper;
      context.fill();
    } else if (mark.kind === 'warning') {
      triangle(context, x, BAND_Y + 9);
    } else {
      context.moveTo(x, BAND_Y + 6);
      context.lineTo(x, BAND_Y + 11);
    }
    context.stroke();
  }
}

function cross(context: CanvasRenderingContext2D, x: number, y: number, arm: number): void {
  context.moveTo(x - arm, y - arm);
  context.lineTo(x + arm, y + arm);
  context.moveTo(x - arm, y + arm);
  context.lineTo(x + arm, y - arm);
}

function diamond(context: CanvasRenderingContext2D, x: number, y: number, arm: number): void {
  context.moveTo(x, y - arm);
  context.lineTo(x + arm, y);
  context.lineTo(x, y + arm);
  context.lineTo(x - arm, y);
  context.closePath();
}

/** A hairline where a round of the loop begins, with its number where there is room. */
function drawRounds(context: CanvasRenderingContext2D, picture: TrackPicture, ink: TrackInk): void {
  const { rounds, length, width, height } = picture;
  const places = rounds.map(({ index }) => Math.round(cursorX(index - 1, length, width)) - 0.5);
  let free = Number.NEGATIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  rounds.forEach(({ round }, i) => {
    const x = places[i]!;
    if (x - last < LEAST_ROUND) return;
    last = x;
    context.lineWidth = 1;
    context.strokeStyle = ink.hairline;
    context.beginPath();
    context.moveTo(x, BAND_Y + 5);
    context.lineTo(x, height);
    context.stroke();
    if (height < ROOM_FOR_ROUNDS) return;
    const text = String(round);
    if (x < free || (places[i + 1] ?? width) - x < context.measureText(text).width + LABEL_GAP) return;
    context.fillStyle = ink.muted;
    context.fillText(text, x + 3, MEMORY_TOP - 3);
    free = x + context.measureText(text).width + LABEL_GAP;
  });
}

function triangle(context: CanvasRenderingContext2D, x: number, y: number): void {
  context.moveTo(x, y - 3);
  context.lineTo(x + 3.5, y + 3);
  context.lineTo(x - 3.5, y + 3);
  context.closePath();
}

function drawMemory(context: CanvasRenderingContext2D, picture: TrackPicture, ink: TrackInk): void {
  const { memory, length, width, height } = picture;
  const room = height - MEMORY_TOP - 1;
  if (length === 0 || room < 12) return;
  let most = 1;
  for (let i = 0; i < length; i += 1) most = Math.max(most, total(memory, i));
  const columns = Math.max(1, Math.min(length, Math.floor(width)));
  const layers = [
    { of: (i: number) => total(memory, i), colour: ink.gradient, alpha: 0.75 },
    { of: (i: number) => (memory.values[i] ?? 0) + (memory.saved[i] ?? 0), colour: ink.saved, alpha: 0.75 },
    { of: (i: number) => memory.values[i] ?? 0, colour: ink.faint, alpha: 0.55 },
  ];
  for (const { of, colour, alpha } of layers) {
    context.beginPath();
    context.moveTo(0, height);
    for (let column = 0; column < columns; column += 1) {
      const from = Math.floor((column / columns) * length);
      const to = Math.max(from + 1, Math.floor(((column + 1) / columns) * length));
      let peak = 0;
      for (let i = from; i < to; i += 1) peak = Math.max(peak, of(i));
      const y = height - (peak / most) * room;
      context.lineTo((column / columns) * width, y);
      context.lineTo(((column + 1) / columns) * width, y);
    }
    context.lineTo(width, height);
    context.closePath();
    // Layers overlap: paper first, so that a layer's colour does not mix with the one behind it.
    context.globalAlpha = 1;
    context.fillStyle = ink.paper;
    context.fill();
    context.globalAlpha = alpha;
    context.fillStyle = colour;
    context.fill();
  }
  context.globalAlpha = 1;
}

function total(memory: Memory, i: number): number {
  return (memory.values[i] ?? 0) + (memory.saved[i] ?? 0) + (memory.gradients[i] ?? 0);
}

function drawCursor(context: CanvasRenderingContext2D, picture: TrackPicture, ink: TrackInk): void {
  const x = cursorX(picture.cursor, picture.length, picture.width);
  context.fillStyle = ink.ink;
  context.fillRect(Math.round(x) - 0.5, BAND_Y, 1, picture.height - BAND_Y);
  context.beginPath();
  context.arc(x, BAND_Y, 6, 0, 2 * Math.PI);
  context.fill();
  context.lineWidth = 2;
  context.strokeStyle = ink.paper;
  context.stroke();
}

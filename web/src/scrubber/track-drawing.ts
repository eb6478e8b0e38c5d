// Draws the timeline's track: bands, marks, the memory under them and the cursor.

import { type Numbered, thinned } from '../format/thinned';
import { cursorX, type MemoryColumns, type Span } from '../timeline/span';
import type { Band, LineRun, Mark, RoundMark } from './bands';

export type TrackPicture = {
  bands: readonly Band[];
  /** In order for each kind. */
  marks: readonly Mark[];
  rounds: readonly RoundMark[];
  /** What ran where, as far as there is room for it. */
  lines: readonly LineRun[];
  memory: MemoryColumns;
  /** The memory that fills the track. */
  most: number;
  length: number;
  span: Span;
  /** Room at the right that names of phases leave free. */
  reserved: number;
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
/** Rounds that would be closer are left out. */
const LEAST_ROUND = 3;
/** What is at the rims may reach this far beyond them. */
const EDGE = 8;
/** From this height on there is room for the numbers of lines. */
const ROOM_FOR_LINES = 96;

/** What does not move with the cursor, each for a canvas of its own: `done` is seen up to the cursor. */
export const LAYERS = ['ground', 'done', 'signs'] as const;

/** Draws a layer onto a context that is scaled to CSS pixels and empty. */
export function drawLayer(
  context: CanvasRenderingContext2D,
  layer: (typeof LAYERS)[number],
  picture: TrackPicture,
  ink: TrackInk,
  font: string,
): void {
  context.font = font;
  context.textBaseline = 'alphabetic';
  if (layer === 'done') drawDone(context, picture, ink);
  else if (layer === 'signs') drawMarks(context, picture, ink);
  else {
    drawMemory(context, picture, ink);
    drawRounds(context, picture, ink);
    drawLines(context, picture, ink);
    drawBands(context, picture, ink);
  }
}

/** What of its width in CSS pixels is done where the cursor is at a moment. */
export function doneWidth(cursor: number, { bands, span, width }: TrackPicture): number {
  const x = cursorX(cursor, span, width);
  const band = bands.find(({ from, to }) => from <= cursor && cursor <= to);
  return band && cursor === band.to ? x : x - (band ? gapOf(band, span, width) : 0);
}

/** The room at both ends of a band that is wide enough for it. */
function gapOf(band: Band, span: Span, width: number): number {
  const [left, right] = rims(band, span, width);
  return right - left > 6 ? 1.5 : 0;
}

function rims({ from, to }: Band, span: Span, width: number): [number, number] {
  return [Math.max(-EDGE, cursorX(from - 1, span, width)), Math.min(width + EDGE, cursorX(to, span, width))];
}

function drawBands(context: CanvasRenderingContext2D, picture: TrackPicture, ink: TrackInk): void {
  const { length, width, span, reserved } = picture;
  if (length === 0) {
    context.fillStyle = ink.hairline;
    context.fillRect(0, BAND_Y - 1, width, 2);
    return;
  }
  context.globalAlpha = 0.3;
  drawDone(context, picture, ink);
  context.globalAlpha = 1;
  context.fillStyle = ink.muted;
  let free = 0;
  for (const band of seenBands(picture)) {
    const [left, right] = rims(band, span, width);
    const text = band.phase === 'backward' ? `backward${(band.pass ?? 1) > 1 ? ` ${band.pass}` : ''}` : 'forward';
    const start = Math.max(0, left);
    if (start + 2 < free) continue;
    const needed = context.measureText(text).width;
    if (Math.min(width - reserved, right) - start >= needed + LABEL_GAP) {
      context.fillText(text, start + 2, BAND_Y - 10);
      free = start + 2 + needed + LABEL_GAP;
    }
  }
}

function seenBands({ bands, span }: TrackPicture): Band[] {
  return bands.filter(({ from, to }) => to >= span.from - 1 && from <= span.to);
}

function drawDone(context: CanvasRenderingContext2D, picture: TrackPicture, ink: TrackInk): void {
  const { span, width } = picture;
  for (const band of seenBands(picture)) {
    const [left, right] = rims(band, span, width);
    const gap = gapOf(band, span, width);
    const isBackward = band.phase === 'backward';
    line(context, left + gap, right - gap, isBackward ? ink.gradient : ink.forward, isBackward);
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
  const { marks, span, width } = picture;
  const taken: Partial<Record<Mark['kind'], number>> = {};
  for (const mark of marks) {
    const x = Math.round(cursorX(mark.index, span, width)) - 0.5;
    if (x < -EDGE || x > width + EDGE || x - (taken[mark.kind] ?? -99) < 3) continue;
    taken[mark.kind] = x;
    context.lineWidth = 1.5;
    context.strokeStyle = {
      output: ink.muted,
      warning: ink.ink,
      error: ink.error,
      caught: ink.muted,
      backward: ink.gradient,
      optimizer: ink.ink,
      nan: ink.error,
      stop: ink.ink,
      breakpoint: ink.ink,
    }[mark.kind];
    context.beginPath();
    if (mark.kind === 'error') {
      context.lineWidth = 2;
      cross(context, x, BAND_Y, 4);
    } else if (mark.kind === 'caught') {
      cross(context, x, BAND_Y, 3);
    } else if (mark.kind === 'backward') {
      context.moveTo(x, BAND_Y - 7);
      context.lineTo(x, BAND_Y + 7);
    } else if (mark.kind === 'optimizer') {
      diamond(context, x, BAND_Y, 4.5);
      context.fillStyle = ink.paper;
      context.fill();
    } else if (mark.kind === 'nan') {
      hatch(context, x, BAND_Y, 5);
    } else if (mark.kind === 'stop' || mark.kind === 'breakpoint') {
      context.arc(x, BAND_Y + 10, 3, 0, 2 * Math.PI);
      context.fillStyle = mark.kind === 'stop' ? ink.ink : ink.paper;
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

/** The second sign of what is broken: crossed lines, in a box of their own. */
function hatch(context: CanvasRenderingContext2D, x: number, y: number, arm: number): void {
  context.rect(x - arm, y - arm, 2 * arm, 2 * arm);
  cross(context, x, y, arm);
}

function diamond(context: CanvasRenderingContext2D, x: number, y: number, arm: number): void {
  context.moveTo(x, y - arm);
  context.lineTo(x + arm, y);
  context.lineTo(x, y + arm);
  context.lineTo(x - arm, y);
  context.closePath();
}

/** A hairline where a round of the loop begins, with its number where there is room: else with every second, fifth, tenth… */
function drawRounds(context: CanvasRenderingContext2D, picture: TrackPicture, ink: TrackInk): void {
  const { rounds, span, width, height } = picture;
  const marks: Numbered[] = [];
  const digit = context.measureText('0').width;
  let isEach = true;
  let last = Number.NEGATIVE_INFINITY;
  for (const { round, index } of rounds) {
    const x = Math.round(cursorX(index - 1, span, width)) - 0.5;
    marks.push({ number: round, x, room: digit * String(round).length + LABEL_GAP });
    if (x < -EDGE || x > width + EDGE) continue;
    if (x - last < LEAST_ROUND) {
      isEach = false;
      continue;
    }
    last = x;
    context.lineWidth = 1;
    context.strokeStyle = ink.hairline;
    context.beginPath();
    context.moveTo(x, BAND_Y + 5);
    context.lineTo(x, height);
    context.stroke();
  }
  if (height < ROOM_FOR_ROUNDS || !isEach) return;
  context.fillStyle = ink.muted;
  for (const { number, x } of thinned(marks, width)) {
    if (x >= -EDGE && x <= width + EDGE) context.fillText(String(number), x + 3, MEMORY_TOP - 3);
  }
}

function triangle(context: CanvasRenderingContext2D, x: number, y: number): void {
  context.moveTo(x, y - 3);
  context.lineTo(x + 3.5, y + 3);
  context.lineTo(x - 3.5, y + 3);
  context.closePath();
}

function drawMemory(context: CanvasRenderingContext2D, picture: TrackPicture, ink: TrackInk): void {
  const { memory, most, length, width, height } = picture;
  const room = height - MEMORY_TOP - 1;
  if (length === 0 || room < 12) return;
  const { values, saved, gradients, count, left, step } = memory;
  const upTo = [
    { of: (i: number) => values[i]! + saved[i]! + gradients[i]!, colour: ink.gradient, alpha: 0.75 },
    { of: (i: number) => values[i]! + saved[i]!, colour: ink.saved, alpha: 0.75 },
    { of: (i: number) => values[i]!, colour: ink.faint, alpha: 0.55 },
  ];
  context.save();
  context.beginPath();
  context.rect(0, 0, width, height);
  context.clip();
  for (const { of, colour, alpha } of upTo) {
    context.beginPath();
    context.moveTo(left, height);
    for (let column = 0; column < count; column += 1) {
      const y = height - (of(column) / most) * room;
      context.lineTo(left + column * step, y);
      context.lineTo(left + (column + 1) * step, y);
    }
    context.lineTo(left + count * step, height);
    context.closePath();
    // Layers overlap: paper first, so that a layer's colour does not mix with the one behind it.
    context.globalAlpha = 1;
    context.fillStyle = ink.paper;
    context.fill();
    context.globalAlpha = alpha;
    context.fillStyle = colour;
    context.fill();
  }
  context.restore();
}

/** The number of the line that ran, along the foot of the track, where there is room. */
function drawLines(context: CanvasRenderingContext2D, picture: TrackPicture, ink: TrackInk): void {
  const { lines, span, width, height } = picture;
  if (height < ROOM_FOR_LINES) return;
  context.fillStyle = ink.ink;
  for (const { from, to, line: number } of lines) {
    const left = Math.max(0, cursorX(from - 1, span, width));
    const right = Math.min(width, cursorX(to, span, width));
    const fits = (text: string): boolean => context.measureText(text).width + LABEL_GAP <= right - left;
    const text = [`line ${number}`, String(number)].find(fits);
    if (text === undefined) continue;
    context.globalAlpha = 0.35;
    context.fillRect(Math.round(left) + 1, height - 1, right - left - 2, 1);
    context.globalAlpha = 1;
    context.fillText(text, (left + right - context.measureText(text).width) / 2, height - 5);
  }
}

/** Draws the cursor onto a context that is scaled to CSS pixels. */
export function drawCursor(
  context: CanvasRenderingContext2D,
  cursor: number,
  picture: TrackPicture,
  ink: TrackInk,
): void {
  const x = cursorX(cursor, picture.span, picture.width);
  if (x < -EDGE || x > picture.width + EDGE) return;
  context.fillStyle = ink.ink;
  context.fillRect(Math.round(x) - 0.5, BAND_Y, 1, picture.height - BAND_Y);
  context.beginPath();
  context.arc(x, BAND_Y, 6, 0, 2 * Math.PI);
  context.fill();
  context.lineWidth = 2;
  context.strokeStyle = ink.paper;
  context.stroke();
}

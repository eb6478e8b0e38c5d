// Draws the timeline's track: bands, marks, the memory under them and the cursor.

export { stepTitle } from './step-title';

import { type Numbered, thinned } from '../format/thinned';
import { fileName, fileOf, inFile, lineText } from '../protocol/file-lines';
import { cursorX, type Span } from '../timeline/span';
import type { Band, LineRun } from './bands';
import { drawMarks } from './mark-drawing';
import { BAND_Y, EDGE, type TrackInk, type TrackPicture } from './track-picture';

/** Vertical places in CSS pixels: where names of phases are, and where the memory curve begins. */
const NAME_Y = 14;
const MEMORY_TOP = 40;
const LABEL_GAP = 8;
/** A row of numbers below the memory curve, which no bar and no cursor crosses, and what the curve keeps of its height. */
const ROW = 16;
const LEAST_MEMORY = 20;
/** A digit of a number in such a row, at most. */
const DIGIT = 8;
/** The phases of bands. */
const PHASES = ['forward', 'backward'] as const;
/** Rounds that would be closer are left out. */
const LEAST_ROUND = 3;
/** The piece of line before the name of a phase, which shows where one name ends and the next begins. */
const SAMPLE = 18;

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
    if (rowsOf(picture).lines) drawLines(context, picture, ink);
    drawBands(context, picture, ink);
  }
}

type Rows = { rounds: boolean; lines: boolean; foot: number };
const known = new WeakMap<TrackPicture, Rows>();

/** Which rows of numbers there is room for, and where the memory curve above them ends; a picture does not change. */
function rowsOf(picture: TrackPicture): Rows {
  const found = known.get(picture) ?? findRows(picture);
  known.set(picture, found);
  return found;
}

function findRows({ rounds, lines, span, width, height }: TrackPicture): Rows {
  let room = Math.floor((height - MEMORY_TOP - LEAST_MEMORY) / ROW);
  const hasRounds = rounds.length > 0 && room > 0;
  if (hasRounds) room -= 1;
  const pixels = width / (span.to - span.from);
  const fits = ({ from, to, line }: LineRun) => (to - from + 1) * pixels >= String(line).length * DIGIT + LABEL_GAP;
  const hasLines = room > 0 && lines.some(fits);
  return { rounds: hasRounds, lines: hasLines, foot: height - ROW * (Number(hasRounds) + Number(hasLines)) };
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
  const { bands, width, reserved } = picture;
  if (bands.length === 0) {
    context.fillStyle = ink.hairline;
    context.fillRect(0, BAND_Y - 1, width, 2);
    return;
  }
  const hidden = Math.max(0, cursorX(picture.shown - 1, picture.span, width));
  if (picture.shown < picture.length && hidden < width) {
    context.fillStyle = ink.hairline;
    context.fillRect(hidden, BAND_Y - 1, width - hidden, 2);
  }
  context.globalAlpha = 0.3;
  drawDone(context, picture, ink);
  context.globalAlpha = 1;
  context.fillStyle = ink.muted;
  const seen = seenBands(picture);
  const named = names(context, seen, picture);
  const phases = PHASES.filter((phase) => seen.some((band) => band.phase === phase));
  if (phases.every((phase) => named.some((one) => one.phase === phase))) {
    for (const { text, x } of named) context.fillText(text, x, NAME_Y);
    return;
  }
  // Stretches that are too short for their names, as those of loops, are named once, by how their lines look.
  let x = 2;
  for (const phase of phases) {
    const needed = SAMPLE + LABEL_GAP + context.measureText(phase).width;
    if (x + needed > width - reserved) break;
    line(context, x, x + SAMPLE, phase === 'backward' ? ink.gradient : ink.forward, phase === 'backward', NAME_Y - 4);
    context.fillText(phase, x + SAMPLE + LABEL_GAP / 2, NAME_Y);
    x += needed + LABEL_GAP;
  }
}

type Name = { phase: Band['phase']; text: string; x: number };

/** The names of the bands that have room for them. */
function names(
  context: CanvasRenderingContext2D,
  seen: readonly Band[],
  { span, width, reserved }: TrackPicture,
): Name[] {
  const found: Name[] = [];
  let free = 0;
  for (const band of seen) {
    const [left, right] = rims(band, span, width);
    const text = band.phase + ((band.pass ?? 1) > 1 ? ` ${band.pass}` : '');
    const start = Math.max(0, left);
    if (start + 2 < free) continue;
    const needed = context.measureText(text).width;
    if (Math.min(width - reserved, right) - start < needed + LABEL_GAP) continue;
    found.push({ phase: band.phase, text, x: start + 2 });
    free = start + 2 + needed + LABEL_GAP;
  }
  return found;
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
function line(
  context: CanvasRenderingContext2D,
  left: number,
  right: number,
  colour: string,
  wave: boolean,
  y = BAND_Y,
): void {
  context.strokeStyle = colour;
  context.lineWidth = 2;
  context.beginPath();
  context.moveTo(left, y);
  if (wave && right - left > 16) {
    for (let x = left; x <= right; x += 1) context.lineTo(x, y + Math.sin((x - left) / 2.6) * 2);
  } else {
    context.lineTo(right, y);
  }
  context.stroke();
}

/** A hairline where a round of the loop begins, with its number where there is room: else with every second, fifth, tenth… */
function drawRounds(context: CanvasRenderingContext2D, picture: TrackPicture, ink: TrackInk): void {
  const { rounds, span, width } = picture;
  const { rounds: numbered, foot } = rowsOf(picture);
  const end = foot + (numbered ? ROW : 0);
  const marks: Numbered[] = [];
  const lines: Numbered[] = [];
  const digit = context.measureText('0').width;
  let isEach = true;
  let last = Number.NEGATIVE_INFINITY;
  for (const { round, index } of rounds) {
    const x = Math.round(cursorX(index - 1, span, width)) - 0.5;
    const mark = { number: round, x, room: digit * String(round).length + LABEL_GAP };
    marks.push(mark);
    if (x < -EDGE || x > width + EDGE) continue;
    if (x - last < LEAST_ROUND) {
      isEach = false;
      continue;
    }
    last = x;
    lines.push(mark);
  }
  const shown = new Set(numbered && isEach ? thinned(marks, width) : []);
  context.lineWidth = 1;
  context.strokeStyle = ink.hairline;
  context.fillStyle = ink.muted;
  for (const line of lines) {
    const { number, x } = line;
    context.beginPath();
    context.moveTo(x, BAND_Y + 5);
    // Past the memory only beside its number: the others would go through those of their neighbours.
    context.lineTo(x, shown.has(line) ? end : foot);
    context.stroke();
    if (shown.has(line)) context.fillText(String(number), x + 4, end - 4);
  }
}

function drawMemory(context: CanvasRenderingContext2D, picture: TrackPicture, ink: TrackInk): void {
  const { memory, most, length, width } = picture;
  const { foot } = rowsOf(picture);
  const room = foot - MEMORY_TOP - 1;
  if (length === 0 || room < 12) return;
  const { values, saved, gradients, count, left, step } = memory;
  const upTo = [
    { of: (i: number) => values[i]! + saved[i]! + gradients[i]!, colour: ink.gradient, alpha: 0.75 },
    { of: (i: number) => values[i]! + saved[i]!, colour: ink.saved, alpha: 0.75 },
    { of: (i: number) => values[i]!, colour: ink.faint, alpha: 0.55 },
  ];
  context.save();
  context.beginPath();
  context.rect(0, 0, width, foot);
  context.clip();
  for (const { of, colour, alpha } of upTo) {
    context.beginPath();
    context.moveTo(left, foot);
    for (let column = 0; column < count; column += 1) {
      const y = foot - (of(column) / most) * room;
      context.lineTo(left + column * step, y);
      context.lineTo(left + (column + 1) * step, y);
    }
    context.lineTo(left + count * step, foot);
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
  context.fillStyle = ink.ink;
  for (const { from, to, line: number } of lines) {
    const left = Math.max(0, cursorX(from - 1, span, width));
    const right = Math.min(width, cursorX(to, span, width));
    const fits = (text: string): boolean => context.measureText(text).width + LABEL_GAP <= right - left;
    const text = [
      `line ${lineText(number)}`,
      fileOf(number) ? `${fileName(fileOf(number))}:${inFile(number)}` : `${number}`,
    ].find(fits);
    if (text === undefined) continue;
    context.globalAlpha = 0.35;
    context.fillRect(Math.round(left) + 1, height - ROW + 1, right - left - 2, 1);
    context.globalAlpha = 1;
    context.fillText(text, (left + right - context.measureText(text).width) / 2, height - 3);
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
  context.fillRect(Math.round(x) - 0.5, BAND_Y, 1, rowsOf(picture).foot - BAND_Y);
  context.beginPath();
  context.arc(x, BAND_Y, 6, 0, 2 * Math.PI);
  context.fill();
  context.lineWidth = 2;
  context.strokeStyle = ink.paper;
  context.stroke();
}

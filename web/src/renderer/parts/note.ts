// Draws notes: a few words with a bar in the colour of what they mean, and a thin line to what they are about; and scissors.

import { along } from '../../layout/edge-course';
import type { Rect } from '../../layout/rect';
import { SMALL, SUM_LINE, SUM_PAD, TEXT, width } from '../../layout/size';
import type { Brought, EdgePart, NotePart, Tone } from '../../scene/parts/parts';
import type { Progress } from '../motion';
import type { Pen } from '../pen';

const BAR = 3;
const PAD = 8;
/** How high a number is that is on its way to a sum. */
const BROUGHT = 18;

/** Draws a note, as far as its step has come: a sum as its numbers come together, another one once they have landed. */
export function drawNote(pen: Pen, note: NotePart, progress: Progress): void {
  const { text, tone, rect, leader, lines, quiet } = note;
  const land = lines ? progress.wake : progress.land;
  if (!pen.showsText || land <= 0) return;
  const { ctx, tokens } = pen;
  const colour = tokens[tone];
  const before = ctx.globalAlpha;
  ctx.globalAlpha = before * land;
  const [x0, y0, x1, y1] = leader;
  ctx.beginPath();
  ctx.moveTo(x0, y0);
  ctx.lineTo(x1, y1);
  pen.stroke(colour, 1.25);
  ctx.beginPath();
  ctx.arc(x0, y0, 2.5, 0, Math.PI * 2);
  pen.fill(colour);
  const { x, y, height } = rect;
  pen.box(x, y, rect.width, height, lines ? 6 : 3);
  pen.fill(tokens.raised);
  if (lines) {
    pen.stroke(colour, 1.5);
    for (const [i, line] of lines.entries()) {
      const said = line[knownOf(line.length, tone, progress)]!;
      pen.text(said, x + PAD + 1, y + SUM_PAD / 2 + SUM_LINE * (i + 0.5), tokens.ink, TEXT, 'left', 600);
    }
  } else {
    if (!quiet) pen.stroke(tokens.hairline, 1);
    pen.box(x, y, BAR, height, [3, 0, 0, 3]);
    pen.fill(colour);
    pen.text(text, x + PAD + 1, y + height / 2, quiet ? tokens.muted : tokens.ink, SMALL, 'left', quiet ? 400 : 600);
  }
  ctx.globalAlpha = before;
  for (const one of note.brought ?? []) drawBrought(pen, one, rect, progress.take);
}

/** How far of a line of a sum is known: of a gradient's, its product leaves with the pulse; of a value's, it is made once all has come. */
function knownOf(count: number, tone: Tone, { take, travel, land }: Progress): number {
  if (tone === 'forward') return travel < 1 ? 0 : land > 0 ? count - 1 : Math.max(0, count - 2);
  return travel > 0 ? count - 1 : take < 1 ? 0 : Math.max(0, count - 2);
}

/** Draws a number on its way to a sum. */
function drawBrought(pen: Pen, { text, tone, from }: Brought, to: Rect, take: number): void {
  if (take <= 0 || take >= 1) return;
  const { tokens } = pen;
  const [x0, y0] = [from.x + from.width / 2, from.y + from.height / 2];
  // The nearest place at the sum's rim.
  const x1 = Math.min(Math.max(x0, to.x + BROUGHT), to.x + to.width - BROUGHT);
  const y1 = to.y + to.height / 2;
  const [x, y] = [x0 + (x1 - x0) * take, y0 + (y1 - y0) * take];
  const wide = width(text, SMALL) + PAD;
  pen.box(x - wide / 2, y - BROUGHT / 2, wide, BROUGHT, 4);
  pen.fill(tokens.raised);
  pen.stroke(tokens[tone], 1.5);
  pen.text(text, x, y, tone === 'saved' ? tokens.savedInk : tokens.gradientInk, SMALL, 'center', 700);
}

/** Draws scissors on an edge that carries no gradient back, with the gap that they made. */
export function drawCut(pen: Pen, edge: EdgePart): void {
  if (!edge.cut || !pen.showsShapes) return;
  const { ctx, tokens } = pen;
  const { x, y } = along(edge.link.points, 0.72);
  ctx.fillStyle = tokens.paper;
  ctx.fillRect(x - 6, y - 5, 12, 10);
  // Open blades to the left, which cross at the edge, and two handles on its right.
  for (const side of [-1, 1]) {
    ctx.beginPath();
    ctx.moveTo(x - 13, y - side * 5);
    ctx.lineTo(x + 8, y + side * 4);
    pen.stroke(tokens.ink, 1.5);
    ctx.beginPath();
    ctx.arc(x + 11.5, y + side * 5.5, 3.5, 0, Math.PI * 2);
    pen.stroke(tokens.ink, 1.5);
  }
}

// Draws notes: a few words with a bar in the colour of what they mean, and a thin line to what they are about; and scissors.

import { along } from '../layout/edge-course';
import { SMALL, SUM_LINE, SUM_PAD, TEXT } from '../layout/size';
import type { EdgePart, NotePart } from '../scene/parts';
import type { Progress } from './motion';
import type { Pen } from './pen';

const BAR = 3;
const PAD = 8;

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
  const { x, y, width, height } = rect;
  pen.box(x, y, width, height, lines ? 6 : 3);
  pen.fill(tokens.raised);
  if (lines) {
    pen.stroke(colour, 1.5);
    for (const [i, line] of lines.entries()) {
      const said = line[progress.travel > 0 ? line.length - 1 : 0]!;
      pen.text(said, x + PAD + 1, y + SUM_PAD / 2 + SUM_LINE * (i + 0.5), tokens.ink, TEXT, 'left', 600);
    }
  } else {
    if (!quiet) pen.stroke(tokens.hairline, 1);
    pen.box(x, y, BAR, height, [3, 0, 0, 3]);
    pen.fill(colour);
    pen.text(text, x + PAD + 1, y + height / 2, quiet ? tokens.muted : tokens.ink, SMALL, 'left', quiet ? 400 : 600);
  }
  ctx.globalAlpha = before;
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

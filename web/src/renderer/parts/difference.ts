// Marks what differs from the baseline: a sign and a word on the corner, a diamond where words are too small.

import type { Rect } from '../../layout/rect';
import { SMALL } from '../../layout/size';
import type { Pen } from '../pen';

const HEIGHT = 16;
/** On the screen, in pixels. */
const DIAMOND = 6;

/** Draws the mark of one card or pill. */
export function drawDifference(pen: Pen, { x, y }: Rect, word: string): void {
  const { ctx, tokens } = pen;
  if (!pen.showsText) {
    const size = DIAMOND / pen.scale;
    ctx.beginPath();
    ctx.moveTo(x, y - size);
    ctx.lineTo(x + size, y);
    ctx.lineTo(x, y + size);
    ctx.lineTo(x - size, y);
    ctx.closePath();
    pen.fill(tokens.ink);
    return;
  }
  const text = `≠ ${word}`;
  const wide = [...text].length * SMALL * 0.6 + 10;
  pen.box(x - 6, y - HEIGHT + 3, wide, HEIGHT, 3);
  pen.fill(tokens.ink);
  pen.text(text, x - 1, y - HEIGHT / 2 + 3, tokens.paper, SMALL, 'left', 600);
}

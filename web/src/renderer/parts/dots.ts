// Draws what is too small for a shape: bars for leaves and nodes, and thin lines for edges, all of one colour at once.

import type { Item, Link } from '../../layout/graph';
import { PILL_HEIGHT } from '../../layout/size';
import type { Dots } from '../../scene/dots';
import type { Pen } from '../pen';

/** Points that lie closer on the screen, in pixels, are one: of a bend that is smaller than that nothing is seen. */
const LEAST_STEP = 1.5;
/**
 * Lines in one path, as a power of two: longer ones take longer to rasterize than they save.  Which lines share one does not
 * depend on what else is drawn, so that a patch comes out as the whole does.
 */
const LINES = 7;

/** Draws the edges among dots. */
export function drawThreads(pen: Pen, { sent, unsent }: Dots): void {
  strokeAll(pen, unsent, pen.tokens.faint);
  strokeAll(pen, sent, pen.tokens.gradient);
}

/** Draws leaves and nodes as bars; the right half of a node is its backward half, as in its pill. */
export function drawDots(pen: Pen, { items }: Dots): void {
  const { tokens } = pen;
  const body = (colour: string, some: readonly Item[]) => {
    pen.ctx.fillStyle = colour;
    for (const { x, y, pillTop, pillLeft, pillRight, height } of some) {
      pen.ctx.fillRect(x - pillLeft, y + pillTop, pillLeft + pillRight, height - pillTop);
    }
  };
  const half = (colour: string, some: readonly Item[]) => {
    pen.ctx.fillStyle = colour;
    for (const { x, y, pillTop, pillRight } of some) pen.ctx.fillRect(x, y + pillTop, pillRight, PILL_HEIGHT);
  };
  const front = (colour: string, some: readonly Item[]) => {
    pen.ctx.fillStyle = colour;
    for (const { x, y, pillTop, pillLeft } of some) pen.ctx.fillRect(x - pillLeft, y + pillTop, pillLeft, PILL_HEIGHT);
  };
  body(tokens.hairlineStrong, items.leaf);
  body(tokens.hairlineStrong, items['leaf-grad']);
  half(tokens.gradientFill, items['leaf-grad']);
  front(tokens.faint, items.untracked);
  half(tokens.hairlineStrong, items.untracked);
  front(tokens.muted, items.idle);
  half(tokens.hairlineStrong, items.idle);
  front(tokens.muted, items.done);
  half(tokens.gradientFill, items.done);
}

function strokeAll({ ctx, scale }: Pen, links: readonly Link[], colour: string): void {
  ctx.strokeStyle = colour;
  ctx.lineWidth = 1 / scale;
  ctx.setLineDash([]);
  const least = LEAST_STEP / scale;
  const paths = new Map<number, Link[]>();
  for (const link of links) {
    const path = paths.get(link.id >> LINES);
    if (path) path.push(link);
    else paths.set(link.id >> LINES, [link]);
  }
  for (const path of paths.values()) {
    ctx.beginPath();
    for (const { points, rect } of path) {
      let x = points[0]!;
      let y = points[1]!;
      ctx.moveTo(x, y);
      const last = points.length - 2;
      if (rect.width < least && rect.height < least) {
        ctx.lineTo(points[last]!, points[last + 1]!);
        continue;
      }
      for (let i = 2; i <= last; i += 2) {
        const nextX = points[i]!;
        const nextY = points[i + 1]!;
        if (i < last && Math.abs(nextX - x) < least && Math.abs(nextY - y) < least) continue;
        ctx.lineTo(nextX, nextY);
        x = nextX;
        y = nextY;
      }
    }
    ctx.stroke();
  }
}

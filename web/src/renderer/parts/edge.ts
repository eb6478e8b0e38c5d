// Draws edges: the value's lane in ink, the gradient's lane beside it, and the pulse that travels back.

import { along, beside } from '../../layout/edge-course';
import { holds } from '../../layout/rect';
import { LABEL_GAP, LANE, SMALL } from '../../layout/size';
import type { BlockPart, EdgePart } from '../../scene/parts/parts';
import type { Progress } from '../motion';
import type { Pen } from '../pen';

const PULSE = 5;
const WAITING = 0.35;

type Lanes = {
  offset: number;
  value: Float32Array;
  gradient: Float32Array;
  doubles: [Float32Array, Float32Array];
};
const lanes = new WeakMap<Float32Array, Lanes>();

function lanesOf(edge: EdgePart): Lanes {
  const { points } = edge.link;
  const offset = edge.tracked || edge.tangent ? LANE : 0;
  let made = lanes.get(points);
  if (made?.offset !== offset) {
    const side = edge.up ? -1 : 1;
    made = {
      offset,
      value: beside(points, side * offset),
      gradient: beside(points, -side * offset),
      doubles: [beside(points, side * (offset + 1.5)), beside(points, side * (offset - 1.5))],
    };
    lanes.set(points, made);
  }
  return made;
}

/** Draws the lines of an edge. */
export function drawEdge(pen: Pen, edge: EdgePart, progress: Progress): void {
  const { tokens } = pen;
  const { value, gradient, doubles } = lanesOf(edge);
  if (!pen.showsShapes) {
    pen.line(edge.link.points);
    pen.stroke(edge.gradient ? tokens.gradient : tokens.faint, 1 / pen.scale);
    return;
  }
  const travel = edge.bringing ? progress.travel : 1;
  const marked = edge.look.selected || edge.look.hovered;
  if (marked) {
    pen.line(edge.link.points);
    pen.stroke(edge.look.selected ? tokens.focus : tokens.hairlineStrong, LANE * 2 + 8);
    pen.line(edge.link.points);
    pen.stroke(tokens.paper, LANE * 2 + 4);
  }
  if (edge.trail) {
    const lane = edge.trail.forward ? value : gradient;
    pen.line(lane);
    pen.stroke(edge.trail.bad ? tokens.errorSoft : tokens.gradientSoft, 14);
    pen.line(lane);
    pen.stroke(edge.trail.bad ? tokens.error : tokens.gradientFill, 4);
  }
  if (edge.link.value) {
    const colour = edge.bringing
      ? tokens.forward
      : edge.look.second
        ? tokens.second
        : edge.tracked || edge.tangent
          ? tokens.ink
          : tokens.faint;
    if (edge.look.second && !edge.bringing) {
      for (const lane of doubles) {
        pen.line(lane, 0, travel);
        pen.stroke(colour, 1);
      }
    } else {
      pen.line(value, 0, travel);
      pen.stroke(colour, edge.bringing ? 2.25 : 1.5, edge.tracked || edge.tangent ? [] : [4, 3]);
    }
    if (travel === 1) arrowAt(pen, value, 'end', colour);
  }
  if (edge.tangent && !edge.tracked) {
    // A tangent takes the lane of gradients, the other way.
    pen.line(gradient, 0, travel);
    pen.stroke(tokens.forward, edge.bringing ? 2.75 : 2);
    if (travel === 1) arrowAt(pen, gradient, 'end', tokens.forward);
  }
  if (edge.tracked && (edge.gradient || (edge.trail && !edge.trail.forward))) {
    const shown = edge.sending ? progress.travel : 1;
    pen.line(gradient, 1 - shown, 1);
    // A NaN or an infinity spreads along a broken line, and its number says which.
    const broken = edge.trail?.bad || (!edge.trail && edge.gradient?.bad);
    const colour = broken ? tokens.error : tokens.gradient;
    pen.stroke(colour, edge.sending || edge.trail ? 2.75 : 2, broken ? [2, 3] : []);
    if (shown === 1) arrowAt(pen, gradient, 'start', colour);
  }
}

/** Draws the gradient's number beside an edge, unless it is in what is closed. */
export function drawEdgeLabel(pen: Pen, edge: EdgePart, progress: Progress, closed: readonly BlockPart[]): void {
  const { link, sending, trail } = edge;
  const gradient = trail ?? edge.gradient;
  if (!gradient || !link.labelled || !pen.showsText || isIn(closed, link.labelX, link.labelY)) return;
  const { ctx, tokens } = pen;
  ctx.globalAlpha = sending ? progress.land : 1;
  const colour = gradient.bad ? tokens.errorInk : tokens.gradientInk;
  pen.label(
    gradient.text,
    link.labelX + (link.labelLeft ? -1 : 1) * (LANE + LABEL_GAP),
    link.labelY,
    colour,
    SMALL,
    link.labelLeft ? 'right' : 'left',
    sending || trail ? 700 : 500,
  );
  ctx.globalAlpha = 1;
}

/** Draws the pulses of the gradients and values that are under way, outside of what is closed. */
export function drawPulse(
  pen: Pen,
  edge: EdgePart,
  progress: Progress,
  landing: boolean,
  closed: readonly BlockPart[],
): void {
  const { travel } = progress;
  if (travel <= 0 || travel >= 1) return;
  const { value, gradient } = lanesOf(edge);
  const { ctx, tokens } = pen;
  if (edge.sending || (landing && edge.gradient)) {
    // What lands in `.grad` has waited beside its number.
    const from = landing ? WAITING : 1;
    const { x, y } = along(gradient, from * (1 - travel));
    if (isIn(closed, x, y)) return;
    ctx.beginPath();
    ctx.arc(x, y, PULSE, 0, Math.PI * 2);
    pen.fill(tokens.gradientFill);
    pen.stroke(tokens.paper, 1.5);
    // The number that was computed leaves with it.
    if (edge.sending && edge.gradient && edge.link.labelled) {
      const ink = edge.gradient.bad ? tokens.errorInk : tokens.gradientInk;
      pen.text(edge.gradient.text, x + PULSE + 2, y - 2 * PULSE, ink, SMALL, 'left', 700);
    }
  } else if (edge.bringing && edge.link.value) {
    const { x, y } = along(value, travel);
    if (isIn(closed, x, y)) return;
    ctx.beginPath();
    ctx.arc(x, y, PULSE - 1, 0, Math.PI * 2);
    pen.fill(tokens.forward);
  }
}

function isIn(closed: readonly BlockPart[], x: number, y: number): boolean {
  return closed.some(({ rect }) => holds(rect, x, y));
}

function arrowAt(pen: Pen, points: Float32Array, end: 'start' | 'end', colour: string): void {
  const n = points.length;
  const [x, y, bx, by] =
    end === 'end'
      ? [points[n - 2]!, points[n - 1]!, points[n - 4]!, points[n - 3]!]
      : [points[0]!, points[1]!, points[2]!, points[3]!];
  pen.arrow(x, y, x - bx, y - by, colour);
}

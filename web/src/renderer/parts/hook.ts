// Draws what is beside a line: hooks as tags tied to it, and the tangents that values carry.

import { HOOK_SIGN, LANE, SMALL } from '../../layout/size';
import type { HookPart, TangentPart } from '../../scene/parts/parts';
import type { Align, Pen } from '../pen';

const RADIUS = 10;

/** Draws a hook: its name, and what it made of what it saw. */
export function drawHook(pen: Pen, hook: HookPart): void {
  if (!pen.showsShapes) return;
  const { ctx, tokens } = pen;
  const { x, y, width, height } = hook.rect;
  const middle = y + height / 2;
  const changed = hook.after !== null && hook.state === 'ran';
  const isValue = hook.side === 'value';
  const colour = changed
    ? isValue
      ? tokens.forward
      : tokens.gradient
    : hook.state === 'ran'
      ? tokens.ink
      : tokens.hairlineStrong;
  if (hook.where !== 'node post') {
    ctx.beginPath();
    ctx.moveTo(isValue ? hook.laneX - LANE : hook.laneX + LANE, middle);
    ctx.lineTo(isValue ? x + width : x, middle);
    pen.stroke(colour, 1.25);
  }
  if (hook.current) {
    pen.box(x - 3, y - 3, width + 6, height + 6, RADIUS + 3);
    pen.stroke(isValue ? tokens.forward : tokens.gradientFill, 2.5);
  }
  pen.box(x, y, width, height, RADIUS);
  pen.fill(changed ? (isValue ? tokens.forwardSoft : tokens.gradientSoft) : tokens.raised);
  pen.stroke(colour, 1.25, hook.state === 'gone' ? [3, 3] : []);
  if (!pen.showsText) return;
  const ink = hook.state === 'ran' ? tokens.ink : tokens.muted;
  sign(pen, x + 7, middle, ink);
  const left = x + HOOK_SIGN;
  pen.text(hook.name, left, middle, ink, SMALL, 'left', 500);
  const named = [...hook.name].length * SMALL * 0.6;
  if (hook.state === 'gone') {
    ctx.beginPath();
    ctx.moveTo(left - 1, middle);
    ctx.lineTo(left + named + 1, middle);
    pen.stroke(tokens.muted, 1.25);
    return;
  }
  if (hook.after === null) return;
  const before = hook.before === null ? ' → ' : `  ${hook.before} → `;
  pen.text(before, left + named, middle, tokens.muted, SMALL);
  const changedInk = isValue ? tokens.forwardInk : tokens.gradientInk;
  pen.text(hook.after, left + named + [...before].length * SMALL * 0.6, middle, changedInk, SMALL, 'left', 700);
}

/** The sign of a hook: a hook. */
function sign(pen: Pen, x: number, y: number, colour: string): void {
  const { ctx } = pen;
  ctx.beginPath();
  ctx.moveTo(x + 5, y - 5);
  ctx.lineTo(x + 5, y + 1.5);
  ctx.arc(x + 2.5, y + 1.5, 2.5, 0, Math.PI);
  ctx.lineTo(x, y);
  pen.stroke(colour, 1.5);
}

/** Draws a tangent: an arrow along the way of the values, and its number. */
export function drawTangent(pen: Pen, tangent: TangentPart, x: number, y: number, align: Align, up: boolean): void {
  const text = `${up ? '↑' : '↓'} ${tangent.text}`;
  const colour = tangent.bad ? pen.tokens.errorInk : pen.tokens.forwardInk;
  pen.text(text, x, y, colour, SMALL, align, tangent.now ? 700 : 500);
}

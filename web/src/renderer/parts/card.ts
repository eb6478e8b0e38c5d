// Draws cards: a leaf with its name, its value and its stack of gradients; constants and tensors shown again as slips.

import { CARD_BODY, DECK_MOST, DECK_STEP, GRAD_HEIGHT, LARGE, SMALL, TANGENT_HEIGHT, TEXT } from '../../layout/size';
import type { CardPart } from '../../scene/parts/parts';
import type { Progress } from '../motion';
import type { Pen } from '../pen';
import { drawHook, drawTangent } from './hook';
import { drawStop } from './stop';

const RADIUS = 8;
const PAD = 12;

/** Draws a card; `landing` while a gradient lands on it, `appearing` while it comes. */
export function drawCard(pen: Pen, card: CardPart, progress: Progress, landing: boolean, appearing: boolean): void {
  const { ctx } = pen;
  ctx.globalAlpha = appearing ? progress.appear : 1;
  if (card.item.kind === 'leaf') drawLeaf(pen, card, progress, landing);
  else drawSlip(pen, card, landing);
  ctx.globalAlpha = 1;
}

function drawLeaf(pen: Pen, card: CardPart, progress: Progress, landing: boolean): void {
  const { tokens } = pen;
  const { x, y, width, height } = card.rect;
  ring(pen, card, landing);
  if (card.grad) drawDeck(pen, card, landing ? progress.land : 1);
  pen.box(x, y, width, height, RADIUS);
  pen.fill(tokens.raised);
  if (card.grad?.total) {
    pen.box(x, y + card.item.body, width, GRAD_HEIGHT, [0, 0, RADIUS, RADIUS]);
    pen.fill(tokens.gradientSoft);
  }
  pen.box(x, y, width, height, RADIUS);
  pen.stroke(card.grad ? tokens.ink : tokens.hairlineStrong, card.grad ? 1.5 : 1);
  for (const hook of card.hooks) drawHook(pen, hook);
  pen.name([card.name, lastOf(card.name)], x + width / 2, y + height / 2, width, tokens.ink);
  if (!pen.showsText) return;
  const { body, tangent } = card.item;
  const words = body - (tangent ? TANGENT_HEIGHT : 0);
  drawWords(pen, card, words);
  if (card.tangent) drawTangent(pen, card.tangent, x + PAD, y + words + TANGENT_HEIGHT / 2 - 2, 'left', false);
  if (card.grad) drawGrad(pen, card, landing ? progress.land : 1);
}

/** Draws name, value and version of a leaf in a stretch of its card so many pixels high: in one line where there is no room for two. */
function drawWords(pen: Pen, card: CardPart, high: number): void {
  const { tokens } = pen;
  const { x, y, width } = card.rect;
  const { value, version } = card;
  const isLine = high < CARD_BODY;
  const middle = y + (isLine ? high / 2 : 14);
  const right = x + width - PAD;
  pen.text(card.name, x + PAD, middle, tokens.ink, LARGE, 'left', 650);
  const ink = value.bad ? tokens.errorInk : card.moved ? tokens.forwardInk : tokens.ink;
  const weight = card.moved ? 650 : 400;
  if (isLine) pen.text(value.text, right, middle, ink, TEXT, 'right', weight);
  else pen.text(value.text, x + PAD, y + 32, ink, TEXT, 'left', weight);
  if (!version) return;
  const colour = version.now ? tokens.forwardInk : tokens.muted;
  const strong = version.now ? 700 : 500;
  const beside = x + PAD + [...card.name].length * LARGE * 0.6 + 5;
  const free = right - [...value.text].length * TEXT * 0.6 - beside;
  if (!isLine) pen.text(version.text, right, middle, colour, SMALL, 'right', strong);
  else if (free > [...version.text].length * SMALL * 0.6) {
    pen.text(version.text, beside, middle, colour, SMALL, 'left', strong);
  }
  // Above the corner of a card that was not expected to change.
  else pen.text(version.text, x + width, y - 9, colour, SMALL, 'right', strong);
}

/** A path's end: it distinguishes a parameter from others of its module. */
function lastOf(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1).replace(/^…/, '');
}

function drawGrad(pen: Pen, card: CardPart, land: number): void {
  const { ctx, tokens } = pen;
  const { x, y, width } = card.rect;
  const top = y + card.item.body;
  const middle = top + GRAD_HEIGHT / 2;
  const { total, sum } = card.grad!;
  ctx.beginPath();
  ctx.moveTo(x, top);
  ctx.lineTo(x + width, top);
  pen.stroke(tokens.hairlineStrong, 1, total ? [] : [3, 3]);
  pen.text('.grad', x + PAD, middle, total ? tokens.gradientInk : tokens.muted, SMALL);
  if (!total) {
    pen.text('None', x + width - PAD, middle, tokens.muted, SMALL, 'right');
    return;
  }
  const before = ctx.globalAlpha;
  ctx.globalAlpha = before * land;
  const left = x + PAD + 6 * SMALL * 0.6;
  pen.text(total.text, left, middle, total.bad ? tokens.errorInk : tokens.gradientInk, SMALL, 'left', 700);
  if (sum) pen.text(sum, x + width - PAD, middle, tokens.muted, SMALL, 'right');
  ctx.globalAlpha = before;
}

/** One sheet below the strip for each earlier contribution. */
function drawDeck(pen: Pen, card: CardPart, land: number): void {
  const { tokens } = pen;
  const { x, y, width, height } = card.rect;
  const sheets = Math.min(DECK_MOST, Math.max(0, card.grad!.layers - 1));
  for (let sheet = sheets; sheet >= 1; sheet -= 1) {
    const inset = sheet * 3;
    const down = sheet === sheets ? land : 1;
    pen.box(x + inset, y + height - 16 + sheet * DECK_STEP * down, width - inset * 2, 16, [0, 0, RADIUS, RADIUS]);
    pen.fill(tokens.gradientSoft);
    pen.stroke(tokens.gradient, 1.25);
  }
}

function drawSlip(pen: Pen, card: CardPart, landing: boolean): void {
  const { tokens } = pen;
  const { x, y, width, height } = card.rect;
  ring(pen, card, landing);
  const isAgain = card.item.kind === 'again';
  pen.box(x, y, width, height, height / 2);
  pen.fill(isAgain ? tokens.paper : tokens.raised);
  pen.stroke(tokens.hairlineStrong, 1, isAgain ? [4, 3] : []);
  const colour = card.value.bad ? tokens.errorInk : tokens.muted;
  pen.name([card.name, lastOf(card.name)], x + width / 2, y + height / 2, width, tokens.muted);
  if (!isAgain) {
    pen.text(card.name, x + width / 2, y + height / 2, colour, TEXT, 'center');
    return;
  }
  pen.text('↑', x + 14, y + height / 2, tokens.faint, SMALL, 'center');
  pen.text(card.name, x + width / 2 + 6, y + height / 2, tokens.ink, TEXT, 'center');
}

function ring(pen: Pen, card: CardPart, landing: boolean): void {
  const { tokens } = pen;
  const { look, rect } = card;
  const radius = card.item.kind === 'leaf' ? RADIUS : rect.height / 2;
  const outline = (gap = 4): void =>
    pen.box(rect.x - gap, rect.y - gap, rect.width + gap * 2, rect.height + gap * 2, radius + gap);
  if (look.current || look.blamed || look.hovered) {
    outline();
    if (look.hovered) pen.fill(tokens.sunken);
    const colour = look.blamed ? tokens.error : landing ? tokens.gradientFill : tokens.forward;
    if (look.current || look.blamed) pen.stroke(colour, 2.5);
  }
  if (look.paused && !look.current) {
    outline();
    pen.stroke(tokens.ink, 2.5, [2, 3]);
  }
  if (look.stops) drawStop(pen, rect);
  if (look.selected) {
    outline();
    pen.stroke(tokens.focus, 2.5);
  }
  // Nothing is filled: arrows end and numbers are this close.
  if (look.lit) {
    outline(look.current || look.blamed || look.paused || look.selected ? 7 : 4);
    pen.stroke(tokens.ink, 2);
  }
}

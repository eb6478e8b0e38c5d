// Draws pills: an op's forward half on the left of its spine, its backward node on the right, saved tensors on its shoulder.

import {
  cut,
  LABEL_GAP,
  LANE,
  LARGE,
  nodeText,
  PILL_HEIGHT,
  SHOULDER,
  SMALL,
  SUB_ROW,
  slotText,
  width as widthOf,
} from '../../layout/size';
import * as say from '../../messages/pictures';
import type { ChipPart, OutputPart, PillPart } from '../../scene/parts/parts';
import { isSame, type Target } from '../../scene/target';
import type { Progress } from '../motion';
import type { Pen } from '../pen';
import { drawHook, drawTangent } from './hook';
import { drawStop } from './stop';

const RADIUS = PILL_HEIGHT / 2;
const SEED_RADIUS = 12;

export type PillMotion = {
  waking: boolean;
  appearing: boolean;
  seeding: boolean;
  backward: boolean;
  freeing: (chip: ChipPart) => boolean;
};

/** Draws a pill with its chips, the labels at its outputs and its seed. */
export function drawPill(pen: Pen, pill: PillPart, progress: Progress, motion: PillMotion): void {
  const { ctx, tokens } = pen;
  ctx.globalAlpha = motion.appearing ? progress.appear : 1;
  const { x, y, width, height } = pill.rect;
  ring(pen, pill, motion, progress);
  pen.box(x, y, width, height, RADIUS);
  pen.fill(tokens.raised);
  if (pill.status === 'done' || pill.status === 'running') {
    pen.box(pill.spine, y, x + width - pill.spine, height, [0, RADIUS, RADIUS, 0]);
    pen.fill(tokens.gradientSoft);
  }
  if (pill.look.failed) {
    pen.box(x, y, width, height, RADIUS);
    pen.hatch(x, y, width, height, tokens.error);
  }
  outline(pen, pill);
  texts(pen, pill);
  if (pen.showsShapes)
    for (const chip of pill.chips) if (!chip.absent) drawChip(pen, chip, motion.freeing(chip) ? progress.empty : 1);
  for (const hook of pill.hooks) drawHook(pen, hook);
  for (const output of pill.outputs) drawOutput(pen, pill, output);
  if (pill.seed) drawSeed(pen, pill, motion.seeding ? progress.travel : 1);
  if (pill.look.failed && pen.showsText) badge(pen, x + width - 4, y - 6, 'error');
  ctx.globalAlpha = 1;
}

function outline(pen: Pen, pill: PillPart): void {
  const { ctx, tokens } = pen;
  const { x, y, width, height } = pill.rect;
  const untracked = pill.status === 'untracked';
  const faint = (untracked && !pill.tangent) || pill.replaced !== null;
  const colour = pill.look.failed ? tokens.error : pill.look.second ? tokens.second : faint ? tokens.faint : tokens.ink;
  pen.box(x, y, width, height, RADIUS);
  pen.stroke(colour, 1.5, faint ? [4, 3] : []);
  if (pill.look.second) {
    pen.box(x + 3, y + 3, width - 6, height - 6, RADIUS - 3);
    pen.stroke(colour, 1);
  }
  if (untracked) return;
  if (pill.status === 'ready' || pill.status === 'running') {
    pen.box(pill.spine, y, x + width - pill.spine, height, [0, RADIUS, RADIUS, 0]);
    pen.stroke(tokens.gradient, 1.75);
  }
  if (!pill.name && !pill.replaced) return;
  ctx.beginPath();
  ctx.moveTo(pill.spine, y + 1);
  ctx.lineTo(pill.spine, y + height - 1);
  pen.stroke(tokens.hairlineStrong, 1);
}

function texts(pen: Pen, pill: PillPart): void {
  const { tokens } = pen;
  const { x, y, width, height } = pill.rect;
  const middle = y + height / 2;
  const isTold = pill.status !== 'untracked' || pill.tangent;
  if (!pen.showsText) {
    pen.name(
      [pill.symbol, pill.symbol.split(' ')[0]!],
      x + width / 2,
      middle,
      width,
      isTold ? tokens.ink : tokens.muted,
    );
    return;
  }
  if (pill.status === 'untracked') {
    pen.text(pill.symbol, x + width / 2, middle, isTold ? tokens.ink : tokens.muted, LARGE, 'center', 500);
    pen.text(pill.item.reason, x + width + SHOULDER, middle, tokens.muted, SMALL);
    return;
  }
  // Alone it has the whole pill.
  const isAlone = !pill.name && !pill.replaced;
  pen.text(pill.symbol, isAlone ? x + width / 2 : (x + pill.spine) / 2 + 2, middle, tokens.ink, LARGE, 'center', 600);
  if (isAlone) return;
  if (pill.replaced) {
    // Nothing leads to this node any longer.
    const name = nodeText(pill.item.nodeName);
    const wide = widthOf(name, SMALL);
    const centre = (pill.spine + x + width) / 2 - 2;
    pen.text(name, centre, middle, tokens.muted, SMALL, 'center');
    pen.ctx.beginPath();
    pen.ctx.moveTo(centre - wide / 2, middle);
    pen.ctx.lineTo(centre + wide / 2, middle);
    pen.stroke(tokens.muted, 1.25);
    return;
  }
  if (!pill.name) return;
  const colour = pill.look.failed ? tokens.errorInk : pill.status === 'idle' ? tokens.muted : tokens.gradientInk;
  const weight = pill.status === 'running' ? 700 : 450;
  pen.text(pill.name, (pill.spine + x + width) / 2 - 2, middle, colour, SMALL, 'center', weight);
}

function ring(pen: Pen, pill: PillPart, motion: PillMotion, progress: Progress): void {
  const { ctx, tokens } = pen;
  const { x, y, width, height } = pill.rect;
  const outline = (gap: number): void => pen.box(x - gap, y - gap, width + gap * 2, height + gap * 2, RADIUS + gap);
  if (pill.look.hovered) {
    outline(5);
    pen.fill(tokens.sunken);
  }
  if (pill.look.current || motion.waking) {
    const before = ctx.globalAlpha;
    ctx.globalAlpha = before * progress.wake;
    outline(4);
    pen.stroke(
      pill.look.failed ? tokens.error : motion.backward && !pill.rerun ? tokens.gradientFill : tokens.forward,
      3,
    );
    ctx.globalAlpha = before;
  } else if (pill.look.blamed) {
    outline(4);
    pen.stroke(tokens.error, 2, [5, 3]);
  }
  if (pill.look.paused && !pill.look.current) {
    outline(4);
    pen.stroke(tokens.ink, 2.5, [2, 3]);
  }
  if (pill.look.stops) drawStop(pen, pill.rect);
  if (pill.look.selected) {
    outline(pill.look.current ? 7 : 4);
    pen.stroke(tokens.focus, 2.5);
  }
  // Nothing is filled: arrows end and numbers are this close.
  const { lit, current, blamed, paused, selected } = pill.look;
  if (lit) {
    outline(current && selected ? 10 : current || blamed || paused || selected ? 7 : 4);
    pen.stroke(tokens.ink, 2);
  }
}

function drawChip(pen: Pen, chip: ChipPart, empty: number): void {
  const { ctx, tokens } = pen;
  const { x, y, width, height } = chip.rect;
  const marked = chip.failed || chip.stale !== null;
  const colour = marked ? tokens.error : tokens.saved;
  const full = chip.live ? 1 : 1 - empty;
  pen.box(x, y, width, height, 4);
  if (full > 0) {
    const before = ctx.globalAlpha;
    ctx.globalAlpha = before * full;
    pen.fill(marked ? tokens.errorSoft : tokens.savedSoft);
    ctx.globalAlpha = before;
  }
  if (chip.failed) {
    pen.box(x, y, width, height, 4);
    pen.hatch(x, y, width, height, tokens.error);
  }
  if (chip.current) {
    pen.box(x - 3, y - 3, width + 6, height + 6, 6);
    pen.stroke(tokens.saved, 2.5);
  }
  pen.box(x, y, width, height, 4);
  const isOpen = full < 0.5;
  pen.stroke(isOpen && !marked ? tokens.faint : colour, chip.look.selected ? 2.5 : 1.25, isOpen ? [3, 3] : []);
  if (chip.look.selected) pen.stroke(tokens.focus, 2.5);
  if (!pen.showsText) return;
  const ink = marked ? tokens.errorInk : isOpen ? tokens.muted : tokens.savedInk;
  const text = chip.stale ? staleText(chip) : chip.current && chip.unpacked ? unpackedText(chip) : chip.text;
  pen.text(text, x + 8, y + height / 2, ink, SMALL, 'left', 500);
  if (chip.packed !== null && !isOpen) {
    // What a hook keeps lies in a wrapping of its own.
    pen.box(x + 2.5, y + 2.5, width - 5, height - 5, 2);
    pen.stroke(colour, 0.75);
  }
  if (!isOpen) return;
  if (chip.packed !== null || (chip.current && chip.unpacked)) return;
  // A freed chip's bytes are struck through.
  const size = chip.text.split('  ').at(-1) ?? '';
  const wide = [...size].length * SMALL * 0.6;
  ctx.beginPath();
  ctx.moveTo(x + width - 8 - wide - 1, y + height / 2);
  ctx.lineTo(x + width - 7, y + height / 2);
  pen.stroke(ink, 1.25);
}

/** Ties the chip that is pointed at to the chips that hold the same storage, by dotted lines. */
export function drawAliases(pen: Pen, pills: readonly PillPart[], hover: Target | null): void {
  if (hover?.type !== 'saved' || !pen.showsShapes) return;
  const chips = pills.flatMap((pill) => pill.chips).filter((chip) => !chip.absent);
  const pointed = chips.find((chip) => isSame(chip.target, hover));
  if (!pointed) return;
  const { ctx, tokens } = pen;
  for (const chip of chips) {
    if (chip === pointed || chip.storage !== pointed.storage) continue;
    const from = pointed.rect;
    const to = chip.rect;
    const x = Math.max(from.x + from.width, to.x + to.width) + 14;
    ctx.beginPath();
    ctx.moveTo(from.x + from.width, from.y + from.height / 2);
    ctx.lineTo(x, from.y + from.height / 2);
    ctx.lineTo(x, to.y + to.height / 2);
    ctx.lineTo(to.x + to.width, to.y + to.height / 2);
    pen.stroke(tokens.saved, 1.5, [2, 3]);
  }
}

function staleText(chip: ChipPart): string {
  const { saved, now } = chip.stale!;
  const room = Math.floor((chip.rect.width - 16) / (SMALL * 0.6));
  const texts = [say.staleVersions(saved, now), say.staleChange(saved, now), `v${saved}→v${now}`];
  return texts.find((text) => text.length <= room) ?? 'stale';
}

function unpackedText(chip: ChipPart): string {
  const room = Math.floor((chip.rect.width - 16) / (SMALL * 0.6));
  const slot = chip.target.type === 'saved' ? slotText(chip.target.slot) : '';
  const text = `${slot} ← ${chip.unpacked}`;
  if (chip.packed === null) return cut(`${slot} ↻ again`, room);
  return [...text].length <= room ? text : cut(`← ${chip.unpacked}`, room);
}

function drawOutput(pen: Pen, pill: PillPart, output: OutputPart): void {
  if (!pen.showsText) return;
  const { tokens } = pen;
  const offset = output.spread + (pill.status === 'untracked' && !pill.tangent ? LABEL_GAP : LANE + LABEL_GAP);
  const left = output.x - offset;
  const value = output.value.text;
  const ink = output.value.bad ? tokens.errorInk : output.name ? tokens.ink : tokens.muted;
  pen.text(value, left, output.y, output.value.bad ? ink : tokens.muted, SMALL, 'right');
  let beside = left - (value ? ([...value].length + 1) * SMALL * 0.6 : 0);
  if (output.version) {
    const { text, now } = output.version;
    pen.text(text, beside, output.y, now ? tokens.forwardInk : tokens.muted, SMALL, 'right', now ? 700 : 500);
    beside -= ([...text].length + 1) * SMALL * 0.6;
  }
  if (output.name) pen.text(output.name, beside, output.y, tokens.ink, SMALL, 'right', 600);
  if (output.tangent) {
    drawTangent(pen, output.tangent, left, output.y + (pill.up ? -SUB_ROW : SUB_ROW), 'right', pill.up);
  }
  if (!output.gradient || (pill.seed && pill.item.seed)) return;
  const wide = [...output.gradient.text].length * SMALL * 0.6;
  if (output.kept || pill.seed) {
    pen.box(output.x + offset - 5, output.gradientY - 9, wide + 10, 18, 9);
    if (pill.seed) pen.fill(tokens.gradientFill);
    else pen.stroke(tokens.gradient, 1.25);
  }
  const colour = output.gradient.bad ? tokens.errorInk : pill.seed ? tokens.onGradient : tokens.gradientInk;
  pen.text(output.gradient.text, output.x + offset, output.gradientY, colour, SMALL, 'left', 600);
}

function drawSeed(pen: Pen, pill: PillPart, travel: number): void {
  const { ctx, tokens } = pen;
  const down = pill.up ? -1 : 1;
  const rim = pill.up ? pill.rect.y : pill.rect.y + PILL_HEIGHT;
  const x = pill.spine + LANE;
  const { text, bad } = pill.seed!;
  if (!pill.item.seed) return;
  const from = pill.up ? pill.item.y + SEED_RADIUS : pill.item.y + pill.item.height - SEED_RADIUS;
  const tip = rim + (from - rim) * (1 - travel);
  ctx.beginPath();
  ctx.moveTo(x, from);
  ctx.lineTo(x, tip);
  pen.stroke(tokens.gradient, 2);
  if (travel === 1) pen.arrow(x, rim, 0, -down, tokens.gradient);
  const wide = Math.max(SEED_RADIUS * 2, [...text].length * SMALL * 0.6 + 16);
  pen.box(x - wide / 2, from - SEED_RADIUS, wide, SEED_RADIUS * 2, SEED_RADIUS);
  pen.fill(bad ? tokens.errorSoft : tokens.gradientFill);
  pen.text(text, x, from, bad ? tokens.errorInk : tokens.onGradient, SMALL, 'center', 700);
}

function badge(pen: Pen, right: number, middle: number, text: string): void {
  const { tokens } = pen;
  const wide = [...text].length * SMALL * 0.6 + 12;
  pen.box(right - wide, middle - 9, wide, 18, 9);
  pen.fill(tokens.error);
  pen.text(text, right - wide / 2, middle, tokens.paper, SMALL, 'center', 700);
}

// The rectangles that a thing on the stage takes as it is drawn: its body, and each text and chip that belongs to it.

import type { Link } from '../../layout/graph';
import { grown, type Rect, union } from '../../layout/rect';
import { DECK_MOST, DECK_STEP, LABEL_GAP, LANE, SMALL, SUB_ROW, width } from '../../layout/size';
import type { CardPart, EdgePart, OutputPart, PillPart } from './parts';

export type ShapeKind = 'body' | 'chip' | 'hook' | 'name' | 'gradient' | 'seed' | 'reason' | 'error';
export type Shape = { kind: ShapeKind; rect: Rect };

/** How far the ring of what acts reaches beyond it. */
const RING = 6;
const TEXT_HEIGHT = 16;
/** A text with some air. */
const ROW = 20;
const BADGE_WIDTH = 48;
const BADGE_HEIGHT = 18;

/** The shapes of a card or a pill. */
export function shapesOf(part: CardPart | PillPart): Shape[] {
  const { rect, hooks } = part;
  const shapes: Shape[] = [{ kind: 'body', rect: grown(rect, RING) }];
  for (const hook of hooks) shapes.push({ kind: 'hook', rect: hook.rect });
  if (part.kind === 'card') {
    const sheets = Math.min(DECK_MOST, Math.max(0, (part.grad?.layers ?? 0) - 1));
    if (sheets > 0) shapes[0]!.rect.height += sheets * DECK_STEP;
    return shapes;
  }
  for (const chip of part.chips) if (!chip.absent) shapes.push({ kind: 'chip', rect: chip.rect });
  for (const output of part.outputs) shapes.push(...textsOf(part, output));
  const { item, seed, look } = part;
  if (part.status === 'untracked' && item.reason) {
    const wide = width(item.reason, SMALL) + LABEL_GAP;
    shapes.push({ kind: 'reason', rect: { x: rect.x + rect.width, y: rect.y, width: wide, height: rect.height } });
  }
  if (seed && item.seed) {
    const wide = Math.max(24, width(seed.text, SMALL) + 16);
    const y = part.up ? item.y : item.y + item.height - 24;
    shapes.push({ kind: 'seed', rect: { x: part.spine + LANE - wide / 2, y, width: wide, height: 24 } });
  }
  if (look.failed) {
    const x = rect.x + rect.width - 4 - BADGE_WIDTH;
    shapes.push({ kind: 'error', rect: { x, y: rect.y - 15, width: BADGE_WIDTH, height: BADGE_HEIGHT } });
  }
  return shapes;
}

/** The name and value on the left of an output's line, and its gradient on the right. */
function textsOf(pill: PillPart, output: OutputPart): Shape[] {
  const gap = output.spread + LABEL_GAP + (pill.status === 'untracked' && !pill.tangent ? 0 : LANE);
  const texts = [output.name, output.version?.text, output.value.text].filter(Boolean);
  const shapes: Shape[] = [];
  const row = (kind: ShapeKind, text: string, x: number, y: number) => {
    if (text === '') return;
    shapes.push({ kind, rect: { x, y: y - TEXT_HEIGHT / 2, width: width(text, SMALL), height: TEXT_HEIGHT } });
  };
  const name = texts.join(' ');
  row('name', name, output.x - gap - width(name, SMALL), output.y);
  if (output.tangent) {
    const text = `↓ ${output.tangent.text}`;
    row('name', text, output.x - gap - width(text, SMALL), output.y + (pill.up ? -SUB_ROW : SUB_ROW));
  }
  if (output.gradient && !(pill.seed && pill.item.seed))
    row('gradient', output.gradient.text, output.x + gap, output.gradientY);
  return shapes;
}

/** The number beside an edge; null where it has none. */
export function numberOf({ link, gradient, trail }: EdgePart): Rect | null {
  const text = (trail ?? gradient)?.text;
  if (!text || !link.labelled) return null;
  const wide = width(text, SMALL);
  const x = link.labelX + (link.labelLeft ? -wide - LANE - LABEL_GAP : LANE + LABEL_GAP);
  return { x, y: link.labelY - TEXT_HEIGHT / 2, width: wide, height: TEXT_HEIGHT };
}

/** The room of a number beside an edge that reaches so far from it. */
export function numberRoom({ labelX, labelY, labelLeft }: Link, reach: number): Rect {
  return { x: labelX - (labelLeft ? reach : 0), y: labelY - ROW / 2, width: reach, height: ROW };
}

/** The smallest rectangle that holds some shapes. */
export function wholeOf(shapes: readonly Shape[]): Rect {
  return shapes.reduce<Rect | null>((whole, { rect }) => union(whole, rect), null)!;
}

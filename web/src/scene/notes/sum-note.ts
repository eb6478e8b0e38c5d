// The sum of a step as a note: what it computes, and the numbers that are brought to it.

import { values } from '../../format/number';
import type { Item } from '../../layout/graph';
import type { MirrorLayout } from '../../layout/mirror';
import type { Rect } from '../../layout/rect';
import { symbolOf } from '../../layout/symbol';
import type { OpApplied } from '../../protocol/events';
import type { RunState } from '../../timeline/state';
import type { SceneOptions } from '../options';
import type { Brought, CardPart, LeafLines, PillPart, SumLines } from '../parts/parts';
import { shapesOf } from '../parts/shape';
import type { Remark } from './notes';

type Shown = {
  state: RunState;
  layout: MirrorLayout;
  options: Pick<SceneOptions, 'sum'>;
  part(item: Item): CardPart | PillPart;
};

/** A saved tensor is brought as numbers up to so many characters. */
const MOST_CHARS = 8;

/** Returns the notes with the sum of the step, above what computes it or becomes it; none where either is missing. */
export function sumNote(scene: Shown): Remark[] {
  const { layout } = scene;
  const { sum } = scene.options;
  if (!sum) return [];
  if ('leaves' in sum) return sum.leaves.flatMap((leaf) => leafNote(leaf, scene));
  const isBackward = 'node' in sum;
  const item = isBackward ? layout.itemOfNode(sum.node) : itemOfOp(sum.op, layout);
  if (!item) return [];
  const part = scene.part(item);
  const { lines, narrow } = sum;
  const actor = isBackward ? (scene.state.node(sum.node)?.name ?? '') : symbolOf(sum.op.op);
  const note = { text: textOf(lines), lines, brief: textOf(narrow), briefLines: narrow, about: part.rect, actor };
  if (!isBackward || part.kind !== 'pill') return [{ ...note, tone: isBackward ? 'gradient' : 'forward' }];
  return [{ ...note, tone: 'gradient', brought: broughtTo(part, sum.node, scene) }];
}

function leafNote({ tensor, name, tone, lines, narrow }: LeafLines, { layout, state }: Shown): Remark[] {
  const about = cardOf(tensor, layout, state);
  const note = { text: textOf(lines), lines, brief: textOf(narrow), briefLines: narrow, actor: name, tone };
  return about ? [{ ...note, about }] : [];
}

/** Returns the room of the last card of a leaf; null where it has none yet. */
export function cardOf(tensor: number, layout: MirrorLayout, state: RunState): Rect | null {
  const card = layout.cardsOf(tensor).findLast((one) => one.kind === 'leaf' && one.seq <= state.seq);
  return card
    ? { x: card.x - card.pillLeft, y: card.y, width: card.pillLeft + card.pillRight, height: card.body }
    : null;
}

/** Returns the item of an op; null where it is not on the stage as itself. */
export function itemOfOp(event: OpApplied, layout: MirrorLayout): Item | null {
  const output = event.outputs[0];
  const item = event.node ? layout.itemOfNode(event.node.node) : output && layout.itemOfTensor(output.tensor);
  return item?.event?.seq === event.seq ? item : null;
}

function textOf(lines: SumLines['lines']): string {
  return lines.map((line) => line.at(-1)!).join('\n');
}

/** The gradient that came to a node, and what its chips hold. */
function broughtTo(pill: PillPart, node: number, { state }: Shown): Brought[] {
  const brought: Brought[] = [];
  const came = shapesOf(pill).find(({ kind }) => kind === 'gradient' || kind === 'seed')?.rect;
  const text = pill.seed?.text ?? pill.outputs.find(({ gradient }) => gradient)?.gradient?.text;
  if (came && text) brought.push({ text, tone: 'gradient', from: came });
  const known = state.history.nodes.get(node);
  for (const { target, rect, absent } of pill.chips) {
    if (absent || target.type !== 'saved') continue;
    const tensor = known?.info?.saved.find(({ slot }) => slot === target.slot)?.tensor;
    const value = tensor == null ? null : state.tensorAt(tensor, known!.born)?.value;
    const held = value ? values(value, MOST_CHARS) : null;
    if (held !== null) brought.push({ text: held, tone: 'saved', from: rect });
  }
  return brought;
}

// The notes of a step, a few words with its numbers: what adds up, is folded back, freed, kept, changed, cut or breaks.

import { heldBytes, values } from '../../format/number';
import type { Item } from '../../layout/graph';
import type { MirrorLayout } from '../../layout/mirror';
import { type Rect, union } from '../../layout/rect';
import { LABEL_GAP, LANE, PILL_HEIGHT, SMALL, width } from '../../layout/size';
import * as say from '../../messages/notes';
import { foldedDims } from '../../protocol/broadcast';
import type { ErrorRaised, Event, GradientSent, SavedTensor, Summary } from '../../protocol/events';
import { isBad } from '../../protocol/finite';
import { isStale, type RunState, type SavedState } from '../../timeline/state';
import { type Update, updatesIn } from '../../timeline/updates';
import type { SceneOptions } from '../options';
import type { CardPart, NotePart, PillPart } from '../parts/parts';
import { numberRoom } from '../parts/shape';
import { cardOf, itemOfOp, sumNote } from './sum-note';

/**
 * A note that has no place yet; `brief` is what it says where there is little room, or none near, of a sum in `briefLines`. One that
 * has an `actor` names it where that is hidden in a closed box.
 */
export type Remark = Omit<NotePart, 'rect' | 'leader'> & {
  brief?: string;
  briefLines?: NotePart['lines'];
  actor?: string;
};

/** What notes are made from: a scene. */
type Shown = {
  state: RunState;
  layout: MirrorLayout;
  options: Pick<SceneOptions, 'sum'>;
  part(item: Item): CardPart | PillPart;
};

const MOST_NOTES = 4;
const MOST_CHARS = 44;
/** Elements of one contribution are written out up to so many characters. */
const MOST_PART = 14;
/** In larger graphs the sum of what all nodes hold says little. */
const MOST_NODES = 400;
const ROW = 20;

/** The notes of a scene's step. */
export function notesOf(scene: Shown): Remark[] {
  const { events } = scene.state;
  const remarks = sumNote(scene);
  for (const event of events) remarks.push(...remarksOn(event, scene));
  remarks.push(...moved(scene), ...freedNow(scene), ...recordedNow(scene));
  const origin = brokenBefore(scene);
  if (origin) remarks.push(origin);
  // Contributions to one receiver within a step are one sum: the last has them all.
  const last = new Map(remarks.map((remark) => [`${remark.tone} ${remark.about.x} ${remark.about.y}`, remark]));
  return [...last.values()].slice(0, MOST_NOTES);
}

function remarksOn(event: Event, scene: Shown): Remark[] {
  const { state, layout } = scene;
  switch (event.kind) {
    case 'gradient_sent':
      return [...summed(event, scene), ...folded(event, scene)];
    case 'node_started': {
      const call = state.call?.event;
      const item = layout.leafOf(event.node) === null ? layout.itemOfNode(event.node) : null;
      const cut = item?.inputs.find(({ from }) => from.inputs.some((link) => isCutAt(link.to, link.from, state)));
      if (cut) return [{ text: say.stopsHere, tone: 'gradient', about: scene.part(cut.from).rect }];
      if (!item || !call?.retain_graph || call.create_graph) return [];
      const live = state.node(event.node)?.saved.filter((saved) => saved.live) ?? [];
      const about = chipsOf(item, live, scene);
      return about ? [{ text: say.kept(heldBytes(live)), tone: 'saved', about }] : [];
    }
    case 'tensor_mutated':
      return state.stale(event.storage).flatMap(({ node, saved }) => stale(node.node, saved, scene));
    case 'op_applied': {
      const output = event.outputs[0];
      const item = itemOfOp(event, layout);
      if (!item) return [];
      const about = scene.part(item).rect;
      const isCut = event.node === null && item.inputs.some((link) => isCutAt(link.to, link.from, state));
      if (isCut) return [{ text: say.cutHere, tone: 'forward', about }];
      if (!output || !state.history.isBroken(output.tensor, output.value) || event.during !== null) return [];
      const inherited = event.inputs.some(({ tensor }) => {
        const input = tensor === null ? null : state.tensorAt(tensor, event.seq - 1);
        return input !== null && state.history.isBroken(tensor!, input.value);
      });
      return inherited ? [] : [{ text: say.beginsHere(kindOf(output.value)), tone: 'error', about }];
    }
    case 'error_raised':
      return failed(event, scene);
    default:
      return [];
  }
}

/** Whether an item cuts the graph that one of its inputs is part of. */
function isCutAt(to: Item, from: Item, state: RunState): boolean {
  return to.event?.op === 'detach' && (from.node !== null || state.tensor(from.tensor)?.requiresGrad === true);
}

/** `9 + 9 = 18`, where a second or later gradient arrives. */
function summed(event: GradientSent, scene: Shown): Remark[] {
  if (!event.total) return [];
  const parts = scene.state.contributions(event);
  const about = receiverOf(event, scene);
  if (!about || parts.length < 2) return [];
  const texts = parts.map((part) => values(part.value, MOST_PART));
  const total = values(event.total, MOST_PART + 4);
  const sum = total && texts.every((text) => text !== null) ? say.contributions(texts as string[], total) : null;
  const text = sum && [...sum].length <= MOST_CHARS ? sum : say.addUp(parts.length);
  return [{ text, tone: isBad(event.total) ? 'error' : 'gradient', about }];
}

/** Where a gradient waits: at the card of a leaf, or at the output that it is the gradient of. */
function receiverOf(event: GradientSent, scene: Shown): Rect | null {
  const { layout, state } = scene;
  const leaf = layout.leafOf(event.to_node);
  if (leaf !== null) {
    const card = layout.cardsOf(leaf).findLast((one) => one.kind === 'leaf' && one.seq <= state.seq);
    return card ? scene.part(card).rect : null;
  }
  const item = layout.itemOfNode(event.to_node);
  const part = item ? scene.part(item) : null;
  const output = part?.kind === 'pill' ? part.outputs[event.output_nr] : undefined;
  if (!output?.gradient) return part?.rect ?? null;
  return {
    x: output.x + LANE,
    y: output.gradientY - 10,
    width: 2 * LABEL_GAP + width(output.gradient.text, SMALL),
    height: ROW,
  };
}

/** `Σ dim 0: [4, 2] → [2]`, on the way of a gradient that was broadcast. */
function folded(event: GradientSent, { layout }: Shown): Remark[] {
  const { reduced_from: from, value } = event;
  const link = layout.linkOf(event.node, event.input_nr);
  if (!from || !link) return [];
  const wide = LANE + 2 * LABEL_GAP + width(values(value, 11) ?? 8, SMALL);
  const about = link.labelled
    ? numberRoom(link, wide)
    : { x: link.from.x, y: link.from.y + link.from.pillTop + PILL_HEIGHT, width: 1, height: ROW };
  const dims = foldedDims(from, value.shape);
  const brief = say.foldedBriefly(dims);
  return [{ text: say.foldedBack(from, value.shape, dims), brief, tone: 'gradient', about }];
}

function freedNow(scene: Shown): Remark[] {
  const { state, layout } = scene;
  const slots = new Map<number, { slot: string; storage: number; nbytes: number }[]>();
  for (const event of state.events) {
    if (event.kind === 'buffer_freed') slots.set(event.node, [...(slots.get(event.node) ?? []), event]);
  }
  if (slots.size !== 1) return [];
  const [node, freed] = [...slots][0]!;
  const item = layout.itemOfNode(node);
  const about = item ? chipsOf(item, freed, scene) : null;
  if (!about) return [];
  const { nodes } = state.history;
  let held: SavedTensor[] | null = null;
  if (nodes.size <= MOST_NODES) {
    held = [];
    for (const id of nodes.keys()) held.push(...(state.node(id)?.saved.filter((saved) => saved.live) ?? []));
  }
  const own = heldBytes(freed);
  const brief = say.freed(own, null);
  if (scene.options.sum) return [{ text: brief, quiet: true, tone: 'saved', about }];
  return [{ text: say.freed(own, held ? heldBytes(held) : null), brief, tone: 'saved', about }];
}

/** The ops that a node's own backward adds to the graph. */
function recordedNow(scene: Shown): Remark[] {
  const { state, layout } = scene;
  let about: Rect | null = null;
  for (const event of state.events) {
    if (event.kind !== 'op_applied' || event.during === null || !event.node || !state.call?.event.create_graph)
      continue;
    const item = layout.itemOfNode(event.node.node);
    if (item?.event?.seq === event.seq) about = union(about, scene.part(item).rect);
  }
  return about ? [{ text: say.recordedToo, tone: 'second', about }] : [];
}

function failed(event: ErrorRaised, scene: Shown): Remark[] {
  const { state, layout } = scene;
  const node = event.node === null ? null : state.node(event.node);
  const item = node && layout.leafOf(node.node) === null ? layout.itemOfNode(node.node) : null;
  if (!node || !item) return [];
  const gone = node.saved.filter((saved) => !saved.live);
  const about = chipsOf(item, gone, scene);
  if (!about) return node.saved.filter(isStale).flatMap((saved) => stale(node.node, saved, scene));
  const freed = state.history.nodes.get(node.node)?.freedAt(gone[0]!.slot) ?? Number.POSITIVE_INFINITY;
  const call = state.history.calls.findLast((one) => one.event.seq < freed);
  return call && Number.isFinite(freed) ? [{ text: say.freedAt(call.event.line), tone: 'error', about }] : [];
}

/** The line that saved and the line that changed. */
function stale(node: number, saved: SavedState, scene: Shown): Remark[] {
  const { layout, state } = scene;
  const item = layout.itemOfNode(node);
  const about = item ? chipsOf(item, [saved], scene) : null;
  const change = layout.items.find(
    ({ event, seq }) =>
      seq <= state.seq &&
      event?.in_place &&
      event.outputs.some(({ storage, version }) => storage === saved.storage && version > saved.version),
  );
  if (!about || !item?.event || !change?.event) return [];
  const text = say.changedAt(item.event.line, saved.version, change.event.line, saved.versionNow);
  return [{ text, brief: say.changedBriefly(change.event.line, saved.versionNow), tone: 'error', about }];
}

/** `2 − 0.1 × 3 = 1.7` where a step was just that, else what it added, or how far it went. */
function moved({ layout, state, options: { sum } }: Shown): Remark[] {
  const summed = new Set(sum && 'leaves' in sum ? sum.leaves.map(({ tensor }) => tensor) : []);
  return updatesIn(state).flatMap((update) => {
    const said = summed.has(update.tensor) ? null : movedText(update);
    const about = said && cardOf(update.tensor, layout, state);
    if (!about) return [];
    return [{ ...said, tone: isBad(update.after) ? ('error' as const) : ('forward' as const), about }];
  });
}

function movedText({ before, after, change, descent }: Update): Pick<Remark, 'text' | 'brief'> | null {
  const [was, is] = [before, after].map((value) => values(value, MOST_PART));
  if (was && is && descent) {
    const grad = values(descent.grad, MOST_PART) ?? '';
    const text = say.descent(was, descent.rate, grad, is);
    if ([...text].length <= MOST_CHARS) return { text, brief: say.descentBriefly(descent.rate, grad) };
  }
  const [from, to] = [before.values[0], after.values[0]];
  if (was && is && after.shape.length === 0 && typeof from === 'number' && typeof to === 'number')
    return { text: say.added(was, to - from, is), brief: say.addedBriefly(to - from) };
  if (change === null || typeof before.norm !== 'number' || before.norm === 0) return null;
  return { text: say.wentBy(change, change / before.norm), brief: say.wentBriefly(change) };
}

/** Where the first NaN or infinity of the pass that runs began, while what it spread to arrives. */
function brokenBefore(scene: Shown): Remark | null {
  const { state, layout } = scene;
  const call = state.call?.event.call;
  const { nodes, arrivals } = state.history;
  const spreads = state.events.some(
    (event) =>
      (event.kind === 'gradient_sent' && isBad(event.value)) ||
      (event.kind === 'grad_accumulated' && isBad(event.after)),
  );
  if (call === undefined || !spreads || nodes.size > MOST_NODES) return null;
  let first: GradientSent | null = null;
  for (const series of arrivals.values()) {
    for (let i = series.count(state.seq) - 1; i >= 0 && series.entries[i]!.call === call; i -= 1) {
      const one = series.entries[i]!;
      if (isBad(one.value) && (!first || one.seq < first.seq)) first = one;
    }
  }
  const started = first ? nodes.get(first.node)?.starts.at(first.seq) : undefined;
  const item = first ? layout.itemOfNode(first.node) : null;
  if (!first || !item || started?.kind !== 'node_started') return null;
  if (started.gradients.some((value) => value && isBad(value)) || state.keepsNaN(first.node)) return null;
  return { text: say.beginsHere(kindOf(first.value)), tone: 'error', about: scene.part(item).rect };
}

function kindOf(value: Summary): string {
  return value.nan_count > 0 ? 'NaN' : 'Inf';
}

/** The room of some of an item's chips; null where none of them is seen. */
function chipsOf(item: Item, slots: readonly { slot: string }[], scene: Shown): Rect | null {
  const part = scene.part(item);
  if (part.kind !== 'pill') return null;
  let rect: Rect | null = null;
  for (const chip of part.chips) {
    const { target } = chip;
    if (chip.absent || target.type !== 'saved' || !slots.some(({ slot }) => slot === target.slot)) continue;
    rect = union(rect, chip.rect);
  }
  return rect;
}

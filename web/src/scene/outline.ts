// The visible scene as a list in words, for screen readers, the keyboard and tests.

import { bytes } from '../format/number';
import type { Frame } from '../layout/frame';
import type { Item } from '../layout/graph';
import type { Chunk } from '../layout/placed';
import { moduleOf } from '../layout/program/place';
import * as say from '../messages/outline';
import { foldOf, NO_FOLDS } from './fold/folds';
import type { BlockPart, CardPart, ChipPart, HookPart, PillPart } from './parts/parts';
import type { Scene } from './scene';
import { isSame, keyOf, type Target, targetOf } from './target';

export type OutlineEntry = {
  id: string;
  target: Target;
  label: string;
  description: string;
  selected: boolean;
  /** Whether what is in it is listed; left out where there is nothing to open. */
  expanded?: boolean;
};

const MOST_ENTRIES = 200;

/** What a scene shows, in the order of the program: of more than 200 things the last, with the grounds they are on. */
export function outline(scene: Scene): OutlineEntry[] {
  const { layout, state, folded } = scene;
  const shown: Item[] = [];
  const open: Frame[] = [];
  const closed: Frame[] = [];
  for (let i = layout.chunks.length - 1; i >= 0 && shown.length < MOST_ENTRIES; i -= 1) {
    const chunk = layout.chunks[i]!;
    if (chunk.first > state.seq || folded.chunks.has(chunk)) continue;
    const frames = framesAt(chunk, scene);
    shown.push(
      ...chunk.items.filter((item) => item.seq <= state.seq && item.kind !== 'again' && !frames.hidden.has(item)),
    );
    open.push(...frames.open);
    closed.push(...frames.closed);
  }
  shown.sort((a, b) => a.seq - b.seq || a.id - b.id);
  const listed = new Set(shown.splice(-MOST_ENTRIES));
  const parts: { seq: number; entries: () => OutlineEntry[] }[] = [];
  for (const block of folded.blocks.slice(-MOST_ENTRIES))
    parts.push({ seq: block.rounds[0]!.seq, entries: () => [roundsEntry(block)] });
  closed.sort((a, b) => a.seq - b.seq);
  const listedFrames = open.filter((frame) => frame.items.some((item) => listed.has(item)));
  for (const frame of [...listedFrames, ...closed.slice(-MOST_ENTRIES)])
    parts.push({ seq: frame.seq, entries: () => [frameEntry(frame, scene)] });
  for (const item of listed) {
    parts.push({
      seq: item.seq,
      entries: () => {
        const part = scene.part(item);
        return part.kind === 'card' ? cardEntries(part) : pillEntries(part);
      },
    });
  }
  // A ground comes before the first of its ops.
  parts.sort((a, b) => a.seq - b.seq);
  const entries = new Map<string, OutlineEntry>();
  for (const one of parts) for (const entry of one.entries()) add(entries, entry);
  const { differing } = scene.options;
  if (differing)
    for (const entry of entries.values()) {
      const word = differing.get(entry.id);
      if (word) entry.description = described(entry.description, `differs: ${word}`);
    }
  return [...entries.values()];
}

/** The grounds of a chunk that have begun and lie in no folded one, and the items that folded ones hide. */
function framesAt(chunk: Chunk, scene: Scene): { open: Frame[]; closed: Frame[]; hidden: Set<Item> } {
  const open: Frame[] = [];
  const closed: Frame[] = [];
  const hidden = new Set<Item>();
  const shut = new Set<Frame>();
  for (const frame of chunk.frames) {
    const lies = frame.outer !== null && shut.has(frame.outer);
    const folds = isFolded(frame, scene);
    if (lies || folds) shut.add(frame);
    if (folds && !lies) for (const item of frame.items) hidden.add(item);
    if (!lies && frame.seq <= scene.state.seq) (folds ? closed : open).push(frame);
  }
  return { open, closed, hidden };
}

function isFolded(frame: Frame, { options }: Scene): boolean {
  return foldOf(frame.place, options.folds ?? NO_FOLDS) === true;
}

function roundsEntry(block: BlockPart): OutlineEntry {
  const target = block.target!;
  return {
    id: keyOf(target),
    target,
    label: block.rounds.length > 1 ? `loop ${block.name}` : block.name,
    description: block.detail,
    selected: block.selected,
    expanded: false,
  };
}

function add(entries: Map<string, OutlineEntry>, entry: OutlineEntry): void {
  entries.delete(entry.id);
  entries.set(entry.id, entry);
}

function frameEntry(frame: Frame, scene: Scene): OutlineEntry {
  const { place } = frame;
  const target = targetOf(place);
  return {
    id: keyOf(target),
    target,
    label:
      place.kind === 'module'
        ? `module ${place.event.path}`
        : place.kind === 'round'
          ? frame.name
          : `${place.kind} ${frame.name}`,
    description: described(
      place.kind === 'module' ? place.type : place.kind === 'round' ? place.event.text : place.kind,
      place.kind === 'function' || (place.kind === 'module' && frame.outer && place.event.times > 1)
        ? `call ${place.event.times}`
        : '',
    ),
    selected: isSame(target, scene.options.selection),
    expanded: !isFolded(frame, scene),
  };
}

function cardEntries(card: CardPart): OutlineEntry[] {
  const { grad } = card;
  const name = card.item.kind === 'leaf' ? card.name : 'constant';
  const stack = grad && (grad.total ? `.grad ${grad.total.text}` : say.gradNone);
  const layers = grad && grad.layers > 1 ? `${grad.layers} contributions` : '';
  const entry: OutlineEntry = {
    id: keyOf(card.target),
    target: card.target,
    label: `${name} ${card.value.text}`.trim(),
    description: described(
      'leaf',
      card.version ? `version ${card.version.text.slice(1)}` : '',
      card.tangent ? `tangent ${card.tangent.text}` : '',
      grad ? say.requiresGrad : say.doesNotRequireGrad,
      stack ?? '',
      layers,
      card.look.current ? say.currentStep : '',
      card.look.paused ? say.theProgramIsPausedHere : '',
      card.look.stops ? say.hasABreakpoint : '',
      card.look.lit ? say.inTheAnswer : '',
    ),
    selected: card.look.selected,
  };
  return [entry, ...card.hooks.map((hook, i) => hookEntry(hook, i, card.target))];
}

const HOOK_STATES: Record<HookPart['state'], string> = { waiting: 'waits', ran: say.hasRun, gone: say.takenOff };

function hookEntry(hook: HookPart, index: number, target: Target): OutlineEntry {
  return {
    id: `hook:${keyOf(target)}/${index}`,
    target,
    label: `hook ${hook.name}`,
    description: described(
      `${hook.where} hook`,
      HOOK_STATES[hook.state],
      hook.before && hook.after ? `${hook.before} → ${hook.after}` : (hook.after ?? ''),
      hook.current ? say.currentStep : '',
    ),
    selected: false,
  };
}

function pillEntries(pill: PillPart): OutlineEntry[] {
  const { item } = pill;
  const module = moduleOf(item.place);
  const results = pill.outputs
    .map((output) => [output.name, output.version?.text, output.value.text].filter(Boolean).join(' '))
    .join(', ');
  const tangents = pill.outputs.flatMap((output) => (output.tangent ? [output.tangent.text] : []));
  const gradients = pill.outputs
    .map((output) => output.gradient?.text)
    .filter(Boolean)
    .join(', ');
  const entry: OutlineEntry = {
    id: keyOf(pill.target),
    target: pill.target,
    label: [pill.symbol, item.nodeName].filter(Boolean).join(' '),
    description: described(
      item.node === null ? say.outsideTheGraph : pill.look.second ? say.opOfBackward : 'op',
      item.reason && say.notRecorded(item.reason),
      results && `gives ${results}`,
      tangents.length > 0 ? `tangent ${tangents.join(', ')}` : '',
      module ? `in ${module.event.path}` : '',
      item.checkpoint ? say.inTheCheckpointOf(item.checkpoint.function) : '',
      pill.look.current && pill.rerun ? say.computedAgain : '',
      pill.replaced ? say.gradFnReplaced(pill.replaced) : '',
      gradients && `gradient ${gradients}`,
      STATUS[pill.status],
      pill.look.failed ? 'error' : '',
      pill.look.current ? say.currentStep : '',
      pill.look.paused ? say.theProgramIsPausedHere : '',
      pill.look.stops ? say.hasABreakpoint : '',
      pill.look.lit ? say.inTheAnswer : '',
    ),
    selected: pill.look.selected,
  };
  return [
    entry,
    ...pill.chips.map((chip) => chipEntry(chip, item)),
    ...pill.hooks.map((hook, i) => hookEntry(hook, i, pill.target)),
  ];
}

const STATUS: Record<PillPart['status'], string> = {
  untracked: '',
  idle: '',
  ready: say.waitsForItsTurn,
  running: say.runsBackward,
  done: say.hasRunBackward,
};

function chipEntry(chip: ChipPart, item: Item): OutlineEntry {
  const target = chip.target;
  const slot = target.type === 'saved' ? target.slot : '';
  const saved = item.chips.find((candidate) => candidate.saved.slot === slot)?.saved;
  return {
    id: keyOf(target),
    target,
    label: `${item.nodeName} ${slot}`,
    description: described(
      chip.absent ? say.checkpointRecomputes : chip.live ? 'saved' : 'freed',
      chip.packed === null ? (saved ? bytes(saved.nbytes) : '') : say.packedByAHookInto(chip.packed),
      chip.unpacked ? `unpacked: ${chip.unpacked}` : '',
      chip.current ? say.currentStep : '',
      chip.stale ? say.staleVersionSavedAtVersion(chip.stale.now, chip.stale.saved) : '',
    ),
    selected: chip.look.selected,
  };
}

function described(...parts: string[]): string {
  return parts.filter((part) => part !== '').join('; ');
}

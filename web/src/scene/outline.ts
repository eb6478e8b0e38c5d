// The visible scene as a list in words, for screen readers, the keyboard and tests.

import { bytes } from '../caption/number';
import type { Frame } from '../layout/frame';
import type { Item } from '../layout/graph';
import type { CardPart, ChipPart, HookPart, PillPart } from './parts';
import type { Scene } from './scene';
import { isSame, keyOf, type Target } from './target';

export type OutlineEntry = { id: string; target: Target; label: string; description: string; selected: boolean };

const MOST_ENTRIES = 200;

/** What a scene shows of the pass in force, in the order of the program; of more than 200 things the last. */
export function outline(scene: Scene): OutlineEntry[] {
  const { layout, state } = scene;
  const shown: Item[] = [];
  for (let i = layout.chunks.length - 1; i >= 0 && shown.length < MOST_ENTRIES; i -= 1) {
    const chunk = layout.chunks[i]!;
    if (chunk.first > state.seq) continue;
    shown.push(...chunk.items.filter((item) => item.seq <= state.seq && item.kind !== 'again'));
  }
  shown.sort((a, b) => a.seq - b.seq || a.id - b.id);
  const entries = new Map<string, OutlineEntry>();
  const frames = layout.chunks.flatMap((chunk) => chunk.frames.filter(({ seq }) => seq <= state.seq));
  frames.sort((a, b) => a.seq - b.seq);
  let next = 0;
  for (const item of shown.slice(-MOST_ENTRIES)) {
    // A module comes before the first of its ops.
    for (; next < frames.length && frames[next]!.seq <= item.seq; next += 1)
      add(entries, frameEntry(frames[next]!, scene));
    const part = scene.part(item);
    for (const entry of part.kind === 'card' ? cardEntries(part) : pillEntries(part)) add(entries, entry);
  }
  return [...entries.values()];
}

function add(entries: Map<string, OutlineEntry>, entry: OutlineEntry): void {
  entries.delete(entry.id);
  entries.set(entry.id, entry);
}

function frameEntry(frame: Frame, scene: Scene): OutlineEntry {
  const { path, call, times } = frame.call.event;
  const target: Target = { type: 'module', call };
  return {
    id: keyOf(target),
    target,
    label: `module ${path}`,
    description: described(frame.call.type, frame.outer && times > 1 ? `call ${times}` : ''),
    selected: isSame(target, scene.options.selection),
  };
}

function cardEntries(card: CardPart): OutlineEntry[] {
  const { grad } = card;
  const name = card.item.kind === 'leaf' ? card.name : 'constant';
  const stack = grad ? (grad.total ? `.grad ${grad.total.text}` : '.grad None') : 'no gradient wanted';
  const layers = grad && grad.layers > 1 ? `${grad.layers} contributions` : '';
  const entry: OutlineEntry = {
    id: keyOf(card.target),
    target: card.target,
    label: `${name} ${card.value.text}`.trim(),
    description: described(
      'leaf',
      card.version ? `version ${card.version.text.slice(1)}` : '',
      card.tangent ? `tangent ${card.tangent.text}` : '',
      stack,
      layers,
      card.look.current ? 'current step' : '',
    ),
    selected: card.look.selected,
  };
  return [entry, ...card.hooks.map((hook, i) => hookEntry(hook, i, card.target))];
}

const HOOK_STATES: Record<HookPart['state'], string> = { waiting: 'waits', ran: 'has run', gone: 'taken off' };

function hookEntry(hook: HookPart, index: number, target: Target): OutlineEntry {
  return {
    id: `hook:${keyOf(target)}/${index}`,
    target,
    label: `hook ${hook.name}`,
    description: described(
      `${hook.where} hook`,
      HOOK_STATES[hook.state],
      hook.before && hook.after ? `${hook.before} → ${hook.after}` : (hook.after ?? ''),
      hook.current ? 'current step' : '',
    ),
    selected: false,
  };
}

function pillEntries(pill: PillPart): OutlineEntry[] {
  const { item } = pill;
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
      item.node === null ? 'outside the graph' : pill.look.second ? 'op recorded by a backward pass' : 'op',
      item.reason && `not recorded: ${item.reason}`,
      results && `gives ${results}`,
      tangents.length > 0 ? `tangent ${tangents.join(', ')}` : '',
      item.module ? `in ${item.module.event.path}` : '',
      item.checkpoint ? `in the checkpoint of ${item.checkpoint.function}` : '',
      pill.look.current && pill.rerun ? 'computed again' : '',
      pill.replaced ? `no longer the grad_fn: ${pill.replaced} is` : '',
      gradients && `gradient ${gradients}`,
      STATUS[pill.status],
      pill.look.failed ? 'error' : '',
      pill.look.current ? 'current step' : '',
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
  ready: 'waits for its turn',
  running: 'runs backward',
  done: 'has run backward',
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
      chip.absent ? 'not kept: checkpoint computes it again' : chip.live ? 'saved' : 'freed',
      chip.packed === null ? (saved ? bytes(saved.nbytes) : '') : `packed by a hook into ${chip.packed}`,
      chip.unpacked ? `unpacked: ${chip.unpacked}` : '',
      chip.current ? 'current step' : '',
      chip.stale ? `stale: version ${chip.stale.now}, saved at version ${chip.stale.saved}` : '',
    ),
    selected: chip.look.selected,
  };
}

function described(...parts: string[]): string {
  return parts.filter((part) => part !== '').join('; ');
}

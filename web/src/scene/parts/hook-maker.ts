// Makes the parts that are beside a value or a gradient: hooks, versions and tangents.

import { brief, gradient as gradientText } from '../../format/number';
import type { HookChip, Item } from '../../layout/graph';
import { GRADIENT_CHARS, HOOK_HEIGHT, HOOK_SIGN, SMALL } from '../../layout/size';
import type { Summary } from '../../protocol/events';
import { isBad } from '../../protocol/finite';
import type { RunState, TensorState } from '../../timeline/state';
import type { HookPart, TangentPart, VersionPart } from './parts';

/** The hooks of an item that hang there by now. */
export function hooksOf(item: Item, state: RunState): HookPart[] {
  return item.hooks.filter(({ hung }) => hung.hung <= state.seq).map((chip) => hookPart(chip, item, state));
}

function hookPart(chip: HookChip, item: Item, state: RunState): HookPart {
  const { hung, side, name, width } = chip;
  const run = hung.runs.at(state.seq);
  const text = (value: Summary) =>
    side === 'value' ? brief(value, GRADIENT_CHARS) : gradientText(value, GRADIENT_CHARS);
  const changed = run?.before && run.after ? { before: text(run.before), after: text(run.after) } : null;
  const room = Math.floor((width - HOOK_SIGN - 8) / (SMALL * 0.6)) - [...name].length;
  const fits = changed ? [...changed.before, ...changed.after].length + 5 <= room : true;
  // The chip is as wide as what it says now, within the room that it was given.
  const chars =
    [...name].length + (changed ? (fits ? 5 + [...changed.before].length : 3) + [...changed.after].length : 0);
  const shown = Math.min(width, Math.ceil(HOOK_SIGN + chars * SMALL * 0.6 + 10));
  const seqs = new Set(state.events.map((event) => event.seq));
  return {
    rect: {
      x: item.x + chip.x + (side === 'value' ? width - shown : 0),
      y: item.y + chip.y,
      width: shown,
      height: HOOK_HEIGHT,
    },
    laneX: item.x,
    side,
    where: hung.where,
    name,
    before: changed && fits ? changed.before : null,
    after: changed?.after ?? null,
    state: hung.removed <= state.seq ? 'gone' : run ? 'ran' : 'waiting',
    current: seqs.has(hung.hung) || seqs.has(hung.removed) || (run !== undefined && seqs.has(run.seq)),
  };
}

/** The version of a tensor that was changed in place. */
export function versionOf(tensor: TensorState, state: RunState): VersionPart | null {
  // What a module did to its parameters before anyone saw them is no change.
  if (tensor.version === (state.history.versionsOf(tensor.tensor, tensor.storage)?.entries[0] ?? 0)) return null;
  const now = state.events.some((event) => event.kind === 'tensor_mutated' && event.storage === tensor.storage);
  return { text: `v${tensor.version}`, now };
}

/** The tangent that a tensor carries, in so many characters. */
export function tangentOf(tensor: TensorState | null, state: RunState, most: number): TangentPart | null {
  const tangent = tensor?.tangent;
  if (!tangent) return null;
  return {
    text: gradientText(tangent.value, most),
    bad: isBad(tangent.value),
    now: state.events.some((event) => event.seq === tangent.seq),
  };
}

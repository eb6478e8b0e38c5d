// What each filter of the graph shows, and what there is to choose.

import type { Item } from '../layout/graph';
import type { Summary } from '../protocol/events';
import { lineText } from '../protocol/file-lines';
import { isBad } from '../protocol/finite';
import type { History } from '../timeline/history';
import { isDropped } from '../timeline/state';
import type { Filter } from './filter';

/** Whether what a filter shows depends on the step. */
export function isOfStep({ kind }: Filter): boolean {
  return kind === 'nan' || kind === 'held' || kind === 'freed';
}

/** Whether an item belongs to a filter after event `seq`. */
export function tester(filter: Filter, history: History, seq: number): (item: Item) => boolean {
  switch (filter.kind) {
    case 'nan':
      return (item) => item.seq <= seq && isBroken(item, history, seq);
    case 'held':
      return (item) => hasSlot(item, history, seq, true);
    case 'freed':
      return (item) => hasSlot(item, history, seq, false);
    case 'unreached':
      return (item) => history.calls.length > 0 && isUnreached(item, history);
    case 'pass':
      return (item) => ranIn(item, history, filter.call);
    case 'module': {
      const own = parametersIn(filter.path, history);
      return (item) => isIn(item, filter.path) || (item.kind !== 'op' && own.has(item.tensor));
    }
  }
}

function holdsBad(value: Summary | null | undefined): boolean {
  return value != null && isBad(value);
}

function isBroken(item: Item, history: History, seq: number): boolean {
  for (const { tensor } of item.outputs) {
    const own = history.tensors.get(tensor);
    if (holdsBad(own?.values.at(seq)) || holdsBad(own?.grads.at(seq)?.value)) return true;
  }
  if (item.node === null) return false;
  const arrival = history.arrivals.get(item.node)?.at(seq);
  if (holdsBad(arrival?.total ?? arrival?.value)) return true;
  const start = history.nodes.get(item.node)?.starts.at(seq);
  return start?.kind === 'node_started' && start.gradients.some(holdsBad);
}

/** Whether an op's node holds, or has freed, one of its saved tensors; neither before the node is there. */
function hasSlot(item: Item, history: History, seq: number, isLive: boolean): boolean {
  const node = item.node === null || item.kind !== 'op' ? undefined : history.nodes.get(item.node);
  if (!node?.info || node.born > seq) return false;
  for (const { slot } of node.info.saved) {
    // What a checkpoint takes away is neither.
    if (isDropped(node.packs.get(slot)?.event)) continue;
    const live = node.released > seq && node.freedAt(slot) > seq;
    if (live === isLive) return true;
  }
  return false;
}

function isUnreached(item: Item, history: History): boolean {
  if (item.kind !== 'leaf' || !item.requiresGrad) return false;
  const own = history.tensors.get(item.tensor);
  return own !== undefined && own.kept.seqs.length === 0 && !own.grads.entries.some(isArrival);
}

function isArrival({ event }: { event: { kind: string } }): boolean {
  return event.kind === 'grad_accumulated';
}

function ranIn(item: Item, history: History, call: number): boolean {
  if (item.kind === 'op') {
    const node = item.node === null ? undefined : history.nodes.get(item.node);
    return node?.starts.entries.some((start) => start.call === call) ?? false;
  }
  const grads = history.tensors.get(item.tensor)?.grads.entries ?? [];
  return grads.some(({ event }) => event.kind === 'grad_accumulated' && event.call === call);
}

function isIn(item: Item, path: string): boolean {
  for (let place = item.place; place; place = place.outer) {
    if (place.kind === 'module' && place.event.path === path) return true;
  }
  return false;
}

function parametersIn(path: string, history: History): Set<number> {
  const found = new Set<number>();
  for (const module of history.whereabouts.modules.values()) {
    if (module.path !== path && !module.path.startsWith(`${path}.`)) continue;
    for (const { tensor } of module.parameters) found.add(tensor);
  }
  return found;
}

/** The passes and modules that can be chosen, with their words. */
export function choices(history: History): { passes: { call: number; text: string }[]; modules: string[] } {
  const passes = history.calls.map(({ event }, i) => ({
    call: event.call,
    text: `${i + 1}: ${event.api === 'grad' ? 'grad()' : 'backward()'}${event.line === null ? '' : `, line ${lineText(event.line)}`}`,
  }));
  const modules = new Set<string>();
  for (const { event } of history.whereabouts.calls.values()) modules.add(event.path);
  return { passes, modules: [...modules].sort(byParts) };
}

/** Paths as people count: `layers.2` before `layers.10`. */
function byParts(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}

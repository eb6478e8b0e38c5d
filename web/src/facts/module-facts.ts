// The facts about one call of a module at a moment: its parameters, and what its ops did and saved.

import type { ModuleDescribed } from '../protocol/events';
import type { History } from '../timeline/history';
import type { FunctionCall, ModuleCall } from '../timeline/module-calls';

export type ModuleFacts = {
  call: ModuleCall;
  described: ModuleDescribed | null;
  /** Parameters by their path inside this module: its own, then those of the modules that it called. */
  parameters: { path: string; tensor: number }[];
  elements: number;
  parameterBytes: number;
  nodes: number;
  /** What the nodes of its ops saved, and how much of it is still held; each storage counts once. */
  savedBytes: number;
  heldBytes: number;
  calls: ModuleCall[];
  /** The other calls of the same module, in order, with this one among them. */
  siblings: ModuleCall[];
};

/** The facts of a call after event `seq`; null when it has not begun. */
export function moduleFacts(history: History, number: number, seq: number): ModuleFacts | null {
  const { whereabouts } = history;
  const call = whereabouts.calls.get(number);
  if (!call || call.event.seq > seq) return null;
  const all = [...whereabouts.calls.values()].filter((other) => other.event.seq <= seq);
  const inside = all.filter((other) => isWithin(other, call));
  const parameters = new Map<number, string>();
  for (const { event } of inside) {
    const own = event.path === call.event.path ? '' : event.path.replace(`${call.event.path}.`, '');
    for (const { name, tensor } of whereabouts.modules.get(event.module)?.parameters ?? []) {
      if (!parameters.has(tensor)) parameters.set(tensor, own ? `${own}.${name}` : name);
    }
  }
  const summaries = [...parameters.keys()].flatMap((tensor) => history.tensors.get(tensor)?.values.at(seq) ?? []);
  const saved = savedBy(history, call, seq);
  return {
    call,
    described: whereabouts.modules.get(call.event.module) ?? null,
    parameters: [...parameters].map(([tensor, path]) => ({ tensor, path })),
    elements: summaries.reduce((sum, { shape }) => sum + shape.reduce((product, dim) => product * dim, 1), 0),
    parameterBytes: summaries.reduce((sum, { nbytes }) => sum + nbytes, 0),
    ...saved,
    calls: inside.filter(({ outer }) => outer === call),
    siblings: all.filter(({ event }) => event.module === call.event.module),
  };
}

function isWithin(call: ModuleCall, outer: ModuleCall): boolean {
  for (let at: ModuleCall | null = call; at; at = at.outer) if (at === outer) return true;
  return false;
}

/** What the nodes of the ops of a call saved up to event `seq`, and how much of it is still held. */
export function savedBy(history: History, call: ModuleCall | FunctionCall, seq: number) {
  const storages = new Map<number, { nbytes: number; held: boolean }>();
  let nodes = 0;
  const until = Math.min(seq, call.left);
  for (const node of history.nodes.values()) {
    if (!node.op || node.op.seq < call.event.seq || node.op.seq > until || node.op.during !== null) continue;
    nodes += 1;
    for (const { slot, storage, nbytes } of node.info?.saved ?? []) {
      const held = node.freedAt(slot) > seq && node.released > seq;
      const known = storages.get(storage);
      storages.set(storage, { nbytes: Math.max(nbytes, known?.nbytes ?? 0), held: held || known?.held === true });
    }
  }
  const all = [...storages.values()];
  const total = (some: typeof all) => some.reduce((sum, { nbytes }) => sum + nbytes, 0);
  return { nodes, savedBytes: total(all), heldBytes: total(all.filter(({ held }) => held)) };
}

// The way back of an element as the stage shows it: what each edge carries of it, and what each node gets.

import { element, shape } from '../format/number';
import type { Link } from '../origins/chain';
import type { Provenance } from '../origins/provenance';
import type { Step } from '../origins/tree';
import type { TensorElement } from '../protocol/events';
import type { Run } from '../run/run.svelte';
import type { Label, Trail } from '../scene/parts/parts';
import type { History } from '../timeline/history';

/** The way of what was asked about; null where there is none to show. */
export function trailOf(asked: Provenance, run: Run | null): Trail | null {
  if (asked.about === 'gradient') return ofGradient(asked.origin.trail);
  return asked.about === 'value' && run ? ofValue(asked.chain.links, run.timeline.history) : null;
}

function ofGradient(steps: readonly Step[]): Trail | null {
  if (steps.length === 0) return null;
  return {
    forward: false,
    edges: new Map(steps.map((step) => [`${step.node}/${step.inputNr}`, label(step.element, step.sent)])),
    outputs: new Map(steps.map(({ to, element: at }) => [`${to.node}/${to.output}`, label(at, to.value)])),
  };
}

/** Along the edges by which what is not finite was passed on. */
function ofValue(links: readonly Link[], history: History): Trail {
  const edges = new Map<string, Label>();
  for (const { node, sources } of links) {
    const source = sources.find((one) => one.bad);
    const made = node === null ? undefined : history.nodes.get(node);
    if (!source || !made?.info || !made.op) continue;
    const { inputs } = made.op;
    const count = made.info.next_functions.length;
    const given = count === inputs.length ? inputs : inputs.filter((input) => input.tensor !== null);
    const nr = given.findIndex((input) => input.tensor === source.tensor);
    if (nr >= 0 && nr < count) edges.set(`${node}/${nr}`, label(source.element ?? [], source.value ?? 'NaN'));
  }
  return { forward: true, edges, outputs: new Map() };
}

function label(at: readonly number[], value: TensorElement): Label {
  const text = element(value, 'torch.float32');
  return { text: at.length > 0 ? `${shape(at)} ${text}` : text, bad: JSON.stringify(value).includes('"') };
}

// The heat of a place of the program: the norm of the gradients that its parameters got, or that it gave to parameters around it.

import type { Area } from '../../layout/area';
import type { Link } from '../../layout/graph';
import type { MirrorLayout } from '../../layout/mirror';
import type { Chunk, Column } from '../../layout/placed';
import type { RunState } from '../../timeline/state';

/** `given` where a place has no parameters of its own, and gives gradients to some that other rounds use as well. */
export type Heat = { norm: number; given: boolean };

/** The edges on which the ops of an area give gradients to leaves; no area changes once it is placed. */
const giving = new WeakMap<Area, readonly Link[]>();

/** The norm of an area's leaves in a column that is over, which nothing changes. */
const brought = new WeakMap<Area, number | null>();

/** The heat of an area of a chunk; null where no gradient has come. */
export function heatIn(area: Area, chunk: Chunk, state: RunState, layout: MirrorLayout): Heat | null {
  const column = layout.columns[chunk.column]!;
  const isRound = area.frame?.place.kind === 'round';
  const own = isRound || area.wanted.length === 0 ? null : ownNorm(area, column, state);
  if (own !== null) return { norm: own, given: false };
  const given = givenNorm(area, column, state, layout);
  return given === null ? null : { norm: given, given: true };
}

/** The norm of the `.grad` of an area's leaves; a column that is over keeps what its backward passes brought. */
function ownNorm(area: Area, column: Column, state: RunState): number | null {
  const isOver = column.last < state.seq;
  const known = isOver ? brought.get(area) : undefined;
  if (known !== undefined) return known;
  const norm = normOf(
    area.wanted.map(({ tensor }) => {
      const grads = state.history.tensors.get(tensor)?.grads;
      if (!grads) return null;
      let last = grads.count(Math.min(state.seq, column.last)) - 1;
      // Most training loops empty `.grad` before the next forward pass begins.
      while (isOver && last >= 0 && grads.entries[last]!.event.kind !== 'grad_accumulated') last -= 1;
      const change = grads.entries[last];
      return change && change.event.seq >= column.first ? (change.value?.norm ?? null) : null;
    }),
  );
  if (isOver) brought.set(area, norm);
  return norm;
}

/** The norm of what an area's ops gave to leaves in the column's last backward pass. */
function givenNorm(area: Area, column: Column, state: RunState, layout: MirrorLayout): number | null {
  const [began] = state.history.callStarts;
  if (began === undefined || began > state.seq) return null;
  let links = giving.get(area);
  if (!links) {
    links = [...givingIn(area, layout)];
    giving.set(area, links);
  }
  const recent = column.calls.at(state.seq) ?? 0;
  return normOf(
    links.map(({ node, inputNr }) => {
      const sent = state.sent(node!, inputNr);
      return sent && sent.call >= recent ? (sent.value.norm ?? null) : null;
    }),
  );
}

function* givingIn(area: Area, layout: MirrorLayout): Generator<Link> {
  for (const item of area.items) {
    for (const link of item.inputs) {
      if (link.node === null || link.from.kind === 'op') continue;
      if (layout.cardsOf(link.from.tensor).some(({ requiresGrad }) => requiresGrad)) yield link;
    }
  }
  for (const inner of area.areas) yield* givingIn(inner, layout);
}

function normOf(norms: readonly (number | string | null)[]): number | null {
  const known = norms.filter((norm) => norm !== null);
  return known.length === 0 ? null : Math.sqrt(known.reduce<number>((sum, norm) => sum + Number(norm) ** 2, 0));
}

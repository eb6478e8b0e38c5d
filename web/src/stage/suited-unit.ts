// The unit that suits a view of boxes: what most of the boxes are.

import type { Place } from '../layout/program/place';
import type { Unit } from '../run/unit';
import type { BlockPart } from '../scene/parts/parts';

/** Of the units that a run can be stepped in, the one that most ops in some boxes are in: modules or functions, or rounds. */
export function suitedUnit(blocks: readonly BlockPart[], units: readonly Unit[]): Unit {
  let called = 0;
  let looped = 0;
  for (const { area } of blocks) {
    const kind = kindOf(area.frame?.place ?? area.areas[0]?.frame?.place ?? null);
    if (kind === 'module') called += area.ops;
    else if (kind === 'round') looped += area.ops;
  }
  const order: readonly Unit[] = looped > called ? ['round', 'module'] : ['module', 'round'];
  return order.find((unit) => units.includes(unit)) ?? 'node';
}

/** The unit of a box. Rounds of a loop inside a round, as of layers while a model is trained, are none, but their modules are. */
function kindOf(place: Place | null): Unit | null {
  if (!place) return null;
  const loop = place.kind === 'round' ? place.outer : place;
  if (loop.kind !== 'loop') return 'module';
  for (let at = loop.outer; at; at = at.outer) if (at.kind === 'round') return 'module';
  return 'round';
}

// The unit that suits a view of boxes: what most of the boxes are.

import type { Place } from '../layout/program/place';
import type { StageRenderer } from '../renderer/canvas';
import type { Unit } from '../run/unit';
import type { BlockPart } from '../scene/parts/parts';
import type { Scene } from '../scene/scene';

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

/** The unit of a step in the boxes that all of a large model is shown as, found once for all that is laid out of a run. */
export class SuitedUnit {
  #found: { run: unknown; chunks: number } | null = null;

  /** The unit that the view now suits, or null where it is still the one found before. */
  found(run: { units: readonly Unit[] }, scene: Scene, renderer: StageRenderer): Unit | null {
    const chunks = scene.layout.chunks.length;
    const isSame = this.#found?.run === run;
    if (isSame && this.#found?.chunks === chunks) return null;
    this.#found = { run, chunks };
    // A link leads to a step of a large model without showing all of it.
    const scale = renderer.showsBoxes ? renderer.camera.goal : renderer.scaleOfBoxes(scene);
    if (scale !== null) return suitedUnit(scene.grounds(scene.bounds, scale).blocks, run.units);
    return isSame ? null : 'node';
  }
}

/** The unit of a box. Rounds of a loop inside a round, as of layers while a model is trained, are none, but their modules are. */
function kindOf(place: Place | null): Unit | null {
  if (!place) return null;
  const loop = place.kind === 'round' ? place.outer : place;
  if (loop.kind !== 'loop') return 'module';
  for (let at = loop.outer; at; at = at.outer) if (at.kind === 'round') return 'module';
  return 'round';
}

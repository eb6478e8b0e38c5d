// What a step is about and one does not see: out of the view, under something that lies over it, or too small to be read.

import { contains, grown, overlaps, type Rect } from '../layout/rect';
import { SMALL } from '../layout/size';
import type { StageRenderer } from '../renderer/canvas';
import { areasAround, isRoomy } from '../scene/box/areas';
import type { Located } from '../scene/located';
import type { Scene } from '../scene/scene';
import { shapesOf } from '../scene/shape';
import { keyOf, type Target } from '../scene/target';
import { onScreen, type RimArrow } from './rim';

/** `what` is the kind of thing, `how` it is missed; `of` names the thing that acts. */
export type Miss = { what: string; how: 'outside' | 'covered' | 'small' | 'nowhere'; of: string };

/** The least size of texts, in CSS pixels: on a phone, and elsewhere. */
const LEAST_TEXT = { narrow: 10, wide: 12 };
/** What rounding may take off a text or a rim. */
const SLACK = 0.01;

/** Looks from a view at what is on the stage. */
class Sight {
  readonly #view: Rect;
  readonly #arrows: ReadonlySet<string>;

  constructor(
    readonly renderer: StageRenderer,
    pointed: readonly RimArrow[],
  ) {
    const { width, height } = renderer.camera;
    this.#view = grown({ x: 0, y: 0, width, height }, SLACK);
    this.#arrows = new Set(pointed.flatMap(({ things }) => things.map(({ target }) => keyOf(target))));
  }

  /** How a rectangle is missed; null where all of it is seen. */
  how(rect: Rect): 'outside' | 'covered' | null {
    const place = onScreen(rect, this.renderer.camera);
    if (!contains(this.#view, place)) return 'outside';
    return this.renderer.covered().some((over) => overlaps(over, place)) ? 'covered' : null;
  }

  isPointedTo(target: Target): boolean {
    return this.#arrows.has(keyOf(target));
  }

  /** The misses of the smallest text, where it is less than can be read. */
  texts(of: string): Miss[] {
    const { camera } = this.renderer;
    const size = SMALL * camera.scale;
    const least = camera.opening ? SMALL * camera.readable.whole : camera.narrow ? LEAST_TEXT.narrow : LEAST_TEXT.wide;
    return size < least - SLACK ? [{ what: `text ${size.toFixed(1)}`, how: 'small', of }] : [];
  }
}

/** What of a step is missed; what an arrow at the rim points to is not. */
export function missesOf(scene: Scene, renderer: StageRenderer, pointed: readonly RimArrow[]): Miss[] {
  const sight = new Sight(renderer, pointed);
  if (renderer.showsBoxes) return boxMissed(scene, renderer, sight);
  const misses: Miss[] = [];
  const things = scene.acting.map((item) => {
    const part = scene.part(item);
    const of = part.kind === 'card' ? part.name : item.nodeName || part.symbol;
    const missed: Miss[] = [];
    for (const { kind, rect } of shapesOf(part)) {
      const how = sight.how(rect);
      if (how) missed.push({ what: kind, how, of });
    }
    if (!sight.isPointedTo(part.target)) misses.push(...missed);
    return { of, isSeen: missed.length === 0 };
  });
  const [first] = things;
  if (!first) return misses;
  if (!things.some(({ isSeen }) => isSeen)) misses.push({ what: 'all', how: 'nowhere', of: first.of });
  misses.push(...sight.texts(first.of));
  for (const { text, rect, about } of scene.notes) {
    const how = sight.how(rect);
    if (how && sight.how(about) === null) misses.push({ what: 'note', how, of: text });
  }
  return misses;
}

/** Among boxes, which have texts of 12 px, the innermost one around what acts is to be seen. */
function boxMissed(scene: Scene, renderer: StageRenderer, sight: Sight): Miss[] {
  const [actor] = scene.acting;
  if (!actor) return [];
  const around = areasAround(actor, scene.layout);
  const box = around.findLast((area) => isRoomy(area, renderer.camera.scale)) ?? around[0];
  const how = box ? sight.how(box.rect) : 'nowhere';
  return how ? [{ what: 'box', how, of: box?.frame?.name ?? actor.nodeName }] : [];
}

/** Whether all of the pass that a step belongs to is seen, as far as it has come. */
export function seesPass(scene: Scene, renderer: StageRenderer): boolean {
  const sight = new Sight(renderer, []);
  const { cards, pills } = scene.visible(scene.frame);
  return [...cards, ...pills].every((part) => shapesOf(part).every(({ rect }) => sight.how(rect) === null));
}

/** What of an answer's evidence is missed: of that at least one thing is to be seen, and arrows point to the others. */
export function evidenceMissed(
  evidence: readonly Located[],
  renderer: StageRenderer,
  pointed: readonly RimArrow[],
): Miss[] {
  const sight = new Sight(renderer, pointed);
  const [first] = evidence;
  if (!first) return [];
  const misses: Miss[] = [];
  let seen = 0;
  for (const { rect, target, name } of evidence) {
    const how = sight.how(rect);
    if (!how) seen += 1;
    else if (!sight.isPointedTo(target)) misses.push({ what: 'evidence', how, of: name });
  }
  if (seen === 0) misses.push({ what: 'evidence', how: 'nowhere', of: first.name });
  return [...misses, ...sight.texts(first.name)];
}

// What a step is about and one does not see: out of the view, under something that lies over it, too small to be read, or
// left out.

import { contains, grown, overlaps, type Rect, shared, union } from '../../layout/rect';
import { SMALL } from '../../layout/size';
import type { StageRenderer } from '../../renderer/canvas';
import { showsText } from '../../renderer/pen';
import { boxAround } from '../../scene/box/areas';
import type { Located } from '../../scene/located';
import { numberOf, shapesOf, wholeOf } from '../../scene/parts/shape';
import type { Scene } from '../../scene/scene';
import { keyOf, type Target } from '../../scene/target';
import { onScreen, type RimArrow } from './rim';

/**
 * `what` is the kind of thing, `how` it is missed; `of` names the thing that acts.  `pointed` is what an arrow leads to though
 * the view could show it.
 */
export type Miss = {
  what: string;
  how: 'outside' | 'covered' | 'small' | 'nowhere' | 'absent' | 'pointed';
  of: string;
};

/** The least size of texts, in CSS pixels: on a phone, and elsewhere. */
const LEAST_TEXT = { narrow: 10, wide: 12 };
/** What rounding may take off a text or a rim. */
const SLACK = 0.01;
/** Points at which it is looked up what lies on top are no further apart, and so far inside the rims, in CSS pixels. */
const PROBED = 32;
const INSET = 1;

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
    if (this.renderer.covered().some((over) => overlaps(over, place))) return 'covered';
    return this.#isUnder(place) ? 'covered' : null;
  }

  /** Returns whether the page shows something else than the canvas at a place. */
  #isUnder({ x, y, width, height }: Rect): boolean {
    const { canvas } = this.renderer;
    const { left, top } = canvas.getBoundingClientRect();
    return probes(top + y, height).some((at) =>
      probes(left + x, width).some((across) => document.elementFromPoint(across, at) !== canvas),
    );
  }

  /** Returns whether a rectangle could be in view at a scale at which it can be read, clear of what lies over the stage. */
  hasRoom(rect: Rect): boolean {
    const { camera } = this.renderer;
    const scale = camera.zooms ? camera.readable.read : camera.goal;
    return camera.clear(rect, scale, this.renderer.covered()) !== null;
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

/** Points along a length, at its rims and in between. */
function probes(from: number, length: number): number[] {
  const pieces = Math.max(1, Math.ceil(length / PROBED));
  const span = Math.max(0, length - 2 * INSET);
  return Array.from({ length: pieces + 1 }, (_, i) => from + INSET + (span * i) / pieces);
}

/** Returns the parts of a step that are missed; those that an arrow at the rim points to are not, where the view has no room for all. */
export function missesOf(scene: Scene, renderer: StageRenderer, pointed: readonly RimArrow[]): Miss[] {
  const sight = new Sight(renderer, pointed);
  if (renderer.showsBoxes) return boxMissed(scene, renderer, sight);
  const misses: Miss[] = [];
  const things = scene.acting.map((item) => {
    const part = scene.part(item);
    const of = part.kind === 'card' ? part.name : item.nodeName || part.symbol;
    const shapes = shapesOf(part);
    const missed: Miss[] = [];
    for (const { kind, rect } of shapes) {
      const how = sight.how(rect);
      if (how) missed.push({ what: kind, how, of });
    }
    if (!sight.isPointedTo(part.target)) misses.push(...missed);
    return { of, rect: wholeOf(shapes), isSeen: missed.length === 0 };
  });
  const [first] = things;
  if (first) {
    const seen = things.filter(({ isSeen }) => isSeen);
    if (seen.length === 0) misses.push({ what: 'all', how: 'nowhere', of: first.of });
    const whole = things.reduce<Rect | null>((all, { rect }) => union(all, rect), null)!;
    if (seen.length < things.length && sight.hasRoom(whole)) misses.push({ what: 'all', how: 'pointed', of: first.of });
    misses.push(...sight.texts(first.of), ...sentMissed(scene, whole, sight));
  }
  return [...misses, ...notesMissed(scene, sight)];
}

/** The numbers of gradients that travel in a step, which are not seen though no arrow leads to where they go and there is room. */
function sentMissed(scene: Scene, shown: Rect, sight: Sight): Miss[] {
  const noted = scene.notes.reduce((all, { rect }) => union(all, rect), shown);
  return [...scene.effects.sending].flatMap((id) => {
    const edge = scene.edge(scene.layout.links[id]!);
    const number = numberOf(edge);
    const how = number && sight.how(number);
    if (!how || sight.isPointedTo(scene.part(edge.link.from).target) || !sight.hasRoom(union(noted, number))) return [];
    return [{ what: 'number', how, of: edge.gradient?.text ?? '' }];
  });
}

/** The notes of a step on what is seen that have no place, or one where they are not seen. */
function notesMissed(scene: Scene, sight: Sight): Miss[] {
  const misses: Miss[] = [];
  for (const { text, about } of scene.remarks) {
    if (sight.how(about) !== null) continue;
    const note = scene.notes.find((one) => one.about === about);
    const how = note ? sight.how(note.rect) : 'absent';
    if (how) misses.push({ what: 'note', how, of: text });
  }
  return misses;
}

/** Among boxes, which have texts of 12 px, the innermost one around what acts is to be seen. */
function boxMissed(scene: Scene, renderer: StageRenderer, sight: Sight): Miss[] {
  const [actor] = scene.acting;
  if (!actor) return [];
  const box = boxAround(actor, scene.layout, renderer.camera.scale);
  const { drawn } = scene;
  // What of it is still to come may lie beyond the view.
  const how = box ? sight.how(drawn && overlaps(drawn, box.rect) ? shared(drawn, box.rect) : box.rect) : 'nowhere';
  return how ? [{ what: 'box', how, of: box?.frame?.name ?? actor.nodeName }] : [];
}

/** Returns whether all of a step's pass is in view, as far as it has come. */
export function seesPass(scene: Scene, renderer: StageRenderer): boolean {
  const sight = new Sight(renderer, []);
  const { cards, pills } = scene.visible(scene.frame);
  return [...cards, ...pills].every((part) => shapesOf(part).every(({ rect }) => sight.how(rect) === null));
}

/** Returns whether a thing is in view, a ground also as a box; of an edge that the view has no room for, one end, with an arrow to the other. */
export function isSeen(thing: Located, renderer: StageRenderer, pointed: readonly RimArrow[]): boolean {
  const misses = (things: readonly Located[], arrows: readonly RimArrow[]) =>
    evidenceMissed(things, renderer, arrows).length > 0;
  if (!misses([thing], [])) return true;
  const { ends, rect, isGround } = thing;
  if (isGround && !showsText(renderer.camera.scale)) return new Sight(renderer, []).how(rect) === null;
  return ends !== undefined && !new Sight(renderer, []).hasRoom(rect) && !misses(ends, pointed);
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

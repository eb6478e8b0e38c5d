// Where on the stage the answer to a question belongs: at the `.grad` of a leaf, or at what makes a tensor.

import type { Item } from '../../layout/graph';
import type { Rect } from '../../layout/rect';
import { GRAD_HEIGHT, PILL_HEIGHT } from '../../layout/size';
import { shapesOf } from '../../scene/parts/shape';
import type { Scene } from '../../scene/scene';
import { onScreen } from '../../stage/view/rim';
import { boundAt } from '../../timeline/holders';
import type { RunState } from '../../timeline/state';
import type { StageView } from '../../workbench/stage-view';

/** The tensor that a question is about; `label` is what is written before its field, as `.grad`. */
export type QuestionPlace = { tensor: number; slot: 'grad' | 'value'; name: string; label: string };

/** What a question is placed at, in the plane of the stage: in the middle of it, or below it. */
export type Slot = { rect: Rect; side: 'over' | 'below' };

/** What is longer is written in the panel alone. */
const MOST_LABEL = 26;
/** A variable of Python, with any letters, and what is read of it. */
const PATH = /(?<![\p{ID_Continue}.'"])[\p{ID_Start}_]\p{ID_Continue}*(?:\.\p{ID_Continue}+|\[\d+\])*/gu;
const LAST = /(\.\p{ID_Continue}+|\[\d+\]|^\p{ID_Continue}+)$/u;

/**
 * The tensor that an expression is about, of a program in a state; null where it is about none, or several, and where `isTyped` and it is
 * too long to be written before a field.
 */
export function placeOf(expression: string, state: RunState, isTyped = true): QuestionPlace | null {
  const tensors = boundAt(state.history, state.seq);
  const found = new Map<string, string>();
  for (const [path] of expression.matchAll(PATH)) {
    const name = longestName(path, tensors);
    if (name !== null) found.set(name, path.slice(name.length));
  }
  const [only, ...others] = found;
  if (!only || others.length > 0) return null;
  const [name, rest] = only;
  const isWhole = expression === name + rest;
  const slot = /^\.grad(?!\w)/.test(rest) && state.tensor(tensors.get(name)!)?.isLeaf ? 'grad' : 'value';
  const short = slot === 'grad' ? '.grad' : name;
  const label = !isTyped ? short : isWhole ? rest || name : expression;
  if (label.length > MOST_LABEL) return null;
  return { tensor: tensors.get(name)!, slot, name, label };
}

/** The longest beginning of a path that is the name of a tensor, as `net[0].weight` of `net[0].weight.grad`. */
function longestName(path: string, names: ReadonlyMap<string, number>): string | null {
  for (let name = path; name !== ''; name = name.replace(LAST, '')) if (names.has(name)) return name;
  return null;
}

/** The card of a tensor, of several the last one that is there, or the op that makes it; null where it has none. */
export function itemOf({ tensor }: QuestionPlace, { layout, state }: Scene): Item | null {
  const cards = layout.cardsOf(tensor).filter((one) => one.kind !== 'again');
  return cards.findLast(({ seq }) => seq <= state.seq) ?? cards[0] ?? layout.itemOfTensor(tensor);
}

/**
 * Where the field of a question is: over a `.grad` that is None, below one that is there; below what makes a tensor, over where it will
 * be made.  Null where that is not laid out.
 */
export function slotOf(place: QuestionPlace, scene: Scene): Slot | null {
  const { tensor, slot } = place;
  const { state } = scene;
  const item = itemOf(place, scene);
  if (!item || item.chunk < 0) return null;
  const isThere = item.seq <= state.seq;
  const rect = isThere ? scene.part(item).rect : bodyOf(item);
  if (slot === 'grad' && item.requiresGrad) {
    const strip = { ...rect, y: rect.y + item.body, height: GRAD_HEIGHT };
    return { rect: strip, side: isThere && state.tensor(tensor)?.grad ? 'below' : 'over' };
  }
  return { rect, side: isThere ? 'below' : 'over' };
}

/** The card or the pill that an item will be. */
export function bodyOf(item: Item): Rect {
  const grad = item.requiresGrad ? GRAD_HEIGHT : 0;
  const height = item.kind === 'op' ? PILL_HEIGHT : item.kind === 'leaf' ? item.body + grad : item.height;
  return { x: item.x - item.pillLeft, y: item.y + item.pillTop, width: item.pillLeft + item.pillRight, height };
}

/** More items than this are not kept clear of. */
const MOST_KEPT_CLEAR = 400;

/** The rectangles that what is on the stage takes with its texts and notes, in CSS pixels from the top left of the stage. */
export function obstaclesInView({
  scene,
  seen: { rect, scale },
}: NonNullable<ReturnType<StageView['picture']>>): Rect[] {
  const { items } = scene.layout;
  if (items.length > MOST_KEPT_CLEAR) return [];
  const there = items.filter(({ chunk, seq }) => chunk >= 0 && seq <= scene.state.seq);
  return [...there.flatMap((item) => shapesOf(scene.part(item))), ...scene.notes].map((shape) =>
    onScreen(shape.rect, { x: rect.x, y: rect.y, scale }),
  );
}

/** Give the place of `at` on the stage in CSS pixels from its top left; null where nothing is drawn, or `at` gives none. */
export function placeInView(view: StageView | null, at: (scene: Scene) => Rect | null): Rect | null {
  const picture = view?.picture();
  const rect = picture ? at(picture.scene) : null;
  if (!picture || !rect) return null;
  const { rect: seen, scale } = picture.seen;
  return onScreen(rect, { x: seen.x, y: seen.y, scale });
}

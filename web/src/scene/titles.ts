// What stands above the columns of the stage: the number of each pass, and what is computed by a recorded graph.

import type { Rect } from '../layout/rect';
import { SMALL, width } from '../layout/size';
import * as say from '../messages/pictures';
import type { Scene } from './scene';

/** `x` is where the text begins, or its middle; `y` the middle of its height. */
export type Title = { text: string; x: number; y: number; second: boolean; rect: Rect };

const ORDINALS = ['1st', '2nd', '3rd'];
const HEIGHT = 20;

/** The titles of a scene. */
export function titlesOf({ layout, state }: Pick<Scene, 'layout' | 'state'>): Title[] {
  const made: Title[] = [];
  for (const { up, order, rect, first } of layout.chunks) {
    if (!up || first > state.seq) continue;
    const text = say.derivativeRecorded(ORDINALS[order - 1] ?? `${order}th`);
    made.push(titleOf(text, rect.x + rect.width / 2, rect.y - 20, true));
  }
  if (layout.columns.length < 2) return made;
  for (const { index, rect, first } of layout.columns) {
    if (rect && first <= state.seq) made.push(titleOf(say.pass(index + 1), rect.x, rect.y - 24, false));
  }
  return made;
}

function titleOf(text: string, x: number, y: number, second: boolean): Title {
  const wide = width(text, SMALL);
  return { text, x, y, second, rect: { x: second ? x - wide / 2 : x, y: y - HEIGHT / 2, width: wide, height: HEIGHT } };
}

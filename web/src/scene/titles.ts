// The titles above the columns of the stage: the number of each pass, and what a recorded graph computes.

import { thinned } from '../format/thinned';
import { overlaps, type Rect } from '../layout/rect';
import { SMALL, width } from '../layout/size';
import * as say from '../messages/pictures';
import type { BlockPart } from './parts/parts';
import { type Tie, tieOf } from './parts/ties';
import { passNames } from './pass-names';
import type { Scene } from './scene';

/** `x` is where the text begins, or its middle; `y` the middle of its height. */
export type Title = {
  text: string;
  x: number;
  y: number;
  second: boolean;
  rect: Rect;
  /** The line to it from what it is the derivative of. */
  tie: Tie['points'];
};

const ORDINALS = ['1st', '2nd', '3rd'];
const HEIGHT = 20;

/** The titles of a scene. */
export function titlesOf({ layout, state }: Pick<Scene, 'layout' | 'state'>): Title[] {
  const made: Title[] = [];
  for (const chunk of layout.chunks) {
    const { up, order, rect, first } = chunk;
    if (!up || first > state.seq) continue;
    const middle = rect.y - 14;
    const tie = tieOf(chunk, layout, state.history, middle);
    const what = say.derivative(ORDINALS[order - 1] ?? `${order}th`);
    const text = tie ? say.derivativeOf(what, state.tensor(tie.source.tensor)?.name ?? tie.source.text) : what;
    made.push({ ...titleOf(text, rect.x, middle, true), tie: tie?.points ?? null });
  }
  if (layout.columns.length < 2) return made;
  for (const [{ rect, first }, { name }] of passNames(layout, state.history)) {
    if (rect && first <= state.seq) made.push(titleOf(name, rect.x, rect.y - 14, false));
  }
  return made;
}

/** From afar titles are as large on the screen as they are near: so many pixels above, high, and apart. */
const ABOVE = 16;
const LINE = 14;
const APART = 16;

/**
 * The numbers of passes in a scene that is seen from afar, by their middle height: each, or of many side by side as many as
 * have room.  None is above a block that says its own, or over what is `taken`.
 */
export function farTitlesOf(
  { layout, state }: Pick<Scene, 'layout' | 'state'>,
  scale: number,
  blocks: readonly BlockPart[],
  taken: readonly Rect[],
): Title[] {
  if (layout.columns.length < 2) return [];
  const marks = [...passNames(layout, state.history)].flatMap(([{ rect, first }, { number, name, short }]) =>
    rect && first <= state.seq
      ? [{ number, short, text: name, rect, x: rect.x * scale, room: width(short, SMALL) + APART }]
      : [],
  );
  const own = blocks.filter((block) => saysItself(block, scale));
  const last = marks.at(-1);
  // Wide passes are below each other, and each has its title where there is room between them.
  const isStacked = marks.some(({ x }, i) => i > 0 && x <= marks[i - 1]!.x);
  const shown = isStacked ? marks : thinned(marks, last ? last.x + last.rect.width * scale : 0);
  const isEach =
    isStacked || (shown.length === marks.length && shown.every(({ text, x }, i) => hasRoom(text, x, shown[i + 1]?.x)));
  return shown.flatMap(({ short, text, rect, x }, i) => {
    if (own.some((block) => overlaps(block.rect, rect))) return [];
    const named = isEach || (i === 0 && hasRoom(text, x, shown[1]?.x));
    const title = titleOf(named ? text : short, rect.x, rect.y - ABOVE / scale, false, scale);
    const over = isStacked ? [...taken, ...marks.map((mark) => mark.rect)] : taken;
    return over.some((other) => overlaps(other, title.rect)) ? [] : [title];
  });
}

function hasRoom(text: string, x: number, next: number | undefined): boolean {
  return next === undefined || next - x >= width(text, SMALL) + APART / 2;
}

/** Whether a block of a whole pass, or of several, has room for its own name. */
function saysItself({ rect, rounds, area, short }: BlockPart, scale: number): boolean {
  return (rounds.length > 0 || area.frame === null) && rect.width * scale >= width(short, SMALL) + 8;
}

function titleOf(text: string, x: number, y: number, second: boolean, scale = 1): Title {
  const wide = width(text, SMALL) / scale;
  const high = (scale < 1 ? LINE : HEIGHT) / scale;
  return { text, x, y, second, tie: null, rect: { x, y: y - high / 2, width: wide, height: high } };
}

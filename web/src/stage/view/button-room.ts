// The room on the stage that its buttons lie over, in CSS pixels.

/** Up to this width of the page, and from this one on, as `narrow` and `roomy` in widgets/media. */
const NARROW = 859;
const ROOMY = 1440;
const BUTTONS = 40;
/** With words on them, beside the margin of the view that they reach into. */
const WORDED = 48;
const LARGE = 52;
/** A narrower stage has them in a row at its bottom. */
const IN_A_ROW = 440;

/** At the right of the stage, or at the bottom where they are in a row. */
export type ButtonRoom = { inRow: boolean; aside: number; below: number };

/** The room of the buttons on a stage of this width, in a page of that width. */
export function buttonRoom(width: number, page: number): ButtonRoom {
  const size = page <= NARROW ? LARGE : page >= ROOMY ? WORDED : BUTTONS;
  const inRow = width < IN_A_ROW;
  return { inRow, aside: inRow ? 0 : size, below: inRow ? size : 0 };
}

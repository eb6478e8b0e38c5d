// The sizes of panels that the reader has not chosen: they follow the window and the program.

/** A character of the code, in CSS pixels. */
const CHAR = 7.8;
/** The gutters before a line, what is kept free behind it, and a short value beside it. */
const BESIDE = 60;
const SHORT_VALUE = 24;
const LEAST_CODE = 300;
const INSPECTOR = { least: 272, most: 320, share: 0.22 };
/** Below this height of the window the timeline is lower: the stage needs the room. */
const LOW_WINDOW = 800;
const TIMELINE = { low: 104, high: 120 };

type Sizes = { code: number; inspector: number; timeline: number };

/** The width that the code of a program needs: that of its longest line with a short value beside it. */
export function codeWidth(source: string): number {
  const longest = source.split('\n').reduce((most, line) => Math.max(most, [...line.trimEnd()].length), 0);
  return Math.max(LEAST_CODE, Math.ceil(longest * CHAR) + BESIDE + SHORT_VALUE);
}

/** The sizes for code that needs a width, in a window: the code has at most a third of the window. */
export function suitedSizes(needed: number, window: { width: number; height: number }): Sizes {
  const { least, most, share } = INSPECTOR;
  return {
    code: Math.min(needed, Math.floor(window.width / 3)),
    inspector: Math.min(most, Math.max(least, Math.round(window.width * share))),
    timeline: window.height < LOW_WINDOW ? TIMELINE.low : TIMELINE.high,
  };
}
